"""The protocol over HTTP: access checks, and the state of each connection.

The web server is imported on first use.
"""
