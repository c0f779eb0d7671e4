"""SQL over collections: the available names, splitting of statements, and their control."""
