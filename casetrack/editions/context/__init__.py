"""The edition for people who code: every source, one config, one answer.

``config`` reads ctx's TOML, ``home`` opens the collection that it describes, ``api`` searches and
reads it. The command ``ctx``, MCP and REST say what these return.
"""
