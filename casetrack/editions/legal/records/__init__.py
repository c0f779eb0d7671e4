"""What the legal edition returns."""
