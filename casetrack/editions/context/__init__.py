"""The edition for developers: one config, many sources, one search.

``config`` reads the TOML file, ``home`` opens its collection, ``api`` searches and reads it.
"""
