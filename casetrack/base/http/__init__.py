"""A local web server: its address, access rules and listening socket.

Used by the MCP server (:mod:`casetrack.faces.mcp.http`) and the window
(:mod:`casetrack.faces.window`).
"""
