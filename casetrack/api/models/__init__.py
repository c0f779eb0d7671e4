"""The models of an installation: list, download and check them."""
