"""The viewer: passages on their pages, the graph and the timeline, as HTML or as pictures.

>>> from casetrack.viewer import view_html
>>> html = view_html(collection.workspace.state(), chunk_id)  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from casetrack.viewer.graph_page import entity_graph_html, entity_graph_page
    from casetrack.viewer.sheet import sheet_path, write_sheet
    from casetrack.viewer.timeline_page import timeline_html, timeline_page
    from casetrack.viewer.view import View, open_view, view_html, view_png

__all__ = [
    "View",
    "entity_graph_html",
    "entity_graph_page",
    "open_view",
    "sheet_path",
    "timeline_html",
    "timeline_page",
    "view_html",
    "view_png",
    "write_sheet",
]
_MODULES = {
    "graph_page": ("entity_graph_html", "entity_graph_page"),
    "sheet": ("sheet_path", "write_sheet"),
    "timeline_page": ("timeline_html", "timeline_page"),
    "view": ("View", "open_view", "view_html", "view_png"),
}


def __getattr__(name: str) -> Any:
    """Import a name when it is asked for: a command that cuts a quote needs no page, no reader."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
