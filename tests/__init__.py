"""The tests; a package, since an installed library brings one of the same name."""
