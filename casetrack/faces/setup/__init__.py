"""Entering CaseTrack into AI programs, updating and removing it, and making its bundle."""
