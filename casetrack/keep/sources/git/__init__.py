"""A branch of a Git repository: read through the user's own git, without a checkout."""
