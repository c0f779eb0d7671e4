"""Pages inside a conversation (MCP Apps, extension ``io.modelcontextprotocol/ui``, 2026-01-26).

A program that shows pages of its servers opens one beside what a tool answers: the passage on its
page, the timeline, the graph. A page is one file of HTML without a word of a document in it; what
it shows comes with the result, and its clicks call tools through the program. Programs that do not
say they show pages are told nothing of all this.
"""

from casetrack.faces.mcp.apps.pages import PAGES, AppPage, link, page_of, ui_meta

__all__ = ["PAGES", "AppPage", "link", "page_of", "ui_meta"]
