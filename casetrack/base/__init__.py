"""Shared vocabulary: errors, settings, records, and what all packages use."""
