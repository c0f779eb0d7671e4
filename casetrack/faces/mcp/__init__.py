"""The MCP server: the operations of the library as tools for AI programs.

``server`` starts it, ``app`` assembles it. Everything about documents is decided in
:mod:`casetrack.api.library` and :mod:`casetrack.api.collection`.
"""
