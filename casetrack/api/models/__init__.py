"""The models of an installation: list them, fetch them, check them."""
