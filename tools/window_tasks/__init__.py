"""Tasks of a person who has only the window: ``just window-tasks``."""
