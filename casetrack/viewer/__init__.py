"""The viewer: a passage on its page, as a page of HTML or a picture.

>>> from casetrack.viewer import view_html
>>> html = view_html(collection, chunk_id)  # doctest: +SKIP
"""

from casetrack.viewer.view import Shelf, View, open_view, view_html, view_png

__all__ = ["Shelf", "View", "open_view", "view_html", "view_png"]
