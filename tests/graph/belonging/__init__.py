"""Collections made up to show how documents belong together, with what a reader would note."""
