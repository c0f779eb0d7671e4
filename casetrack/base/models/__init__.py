"""The models and profiles that this version knows, as data."""
