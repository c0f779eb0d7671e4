"""Encrypted files: a secret of the user's, a head that says what the file is, a stream of blocks.

A file begins with its head (:mod:`head`), which anyone may read: what kind of file
it is, and how the key is made of the passphrase (Argon2id). What follows is a stream of
XChaCha20-Poly1305 (:mod:`stream`): blocks that can only be read in their order, to
the marked last one. All of it is libsodium's, through PyNaCl; nothing here is a cipher of our own.
"""
