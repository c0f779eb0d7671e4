"""Topics of a collection: groups of similar passages, named by their terms."""
