"""Tables as text gives them: what a line's cells hold, what their columns are, how they count."""
