"""Places as the paper names them: they leave the text of a page, and stay with it as data."""
