"""Records of the legal edition."""
