"""What the passages of a collection are about: groups of similar ones, named by their terms."""
