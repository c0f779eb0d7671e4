"""Pages inside a conversation (MCP Apps, extension ``io.modelcontextprotocol/ui``, 2026-01-26).

A page is one HTML file without any document text: its content is in the result of a tool, and its
clicks call tools. Only clients that declare support for pages see them.
"""

from casetrack.faces.mcp.apps.pages import PAGES, AppPage, link, page_of, ui_meta

__all__ = ["PAGES", "AppPage", "link", "page_of", "ui_meta"]
