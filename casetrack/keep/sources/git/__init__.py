"""A branch of a Git repository, read with the user's git, without a checkout."""
