"""What people and programs see: command line, MCP, window, notebooks, installation."""
