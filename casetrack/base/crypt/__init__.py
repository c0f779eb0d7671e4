"""Encrypted files: a readable header, then a stream of encrypted blocks.

The header (:mod:`stream`) has the kind of the file and the parameters of Argon2id, which derives
the key. XChaCha20-Poly1305 blocks follow and decrypt only in order, up to the block marked as last.
All cryptography comes from libsodium (PyNaCl).
"""
