"""A web server on this computer: its address, who may call it, and how it listens.

Two faces use it: the protocol for AI programs (:mod:`casetrack.faces.mcp.http`) and the window
(:mod:`casetrack.faces.window`).
"""
