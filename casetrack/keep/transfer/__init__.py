"""Export and import of whole collections as one file."""
