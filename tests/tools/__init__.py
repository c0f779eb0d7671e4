"""Makes papers of courts, as real ones are printed, and knows what is printed where."""
