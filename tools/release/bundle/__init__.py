"""The MCP bundle for Claude Desktop."""
