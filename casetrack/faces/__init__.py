"""User interfaces: command line, MCP, window, notebooks, installation."""
