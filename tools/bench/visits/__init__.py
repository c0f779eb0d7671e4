"""A first-time user at the window: a real browser, clicks and keys, and tasks to do with them."""
