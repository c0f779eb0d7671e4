"""Plain text and text-based formats."""
