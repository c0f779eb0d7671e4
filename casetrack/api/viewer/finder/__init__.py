"""One page of HTML that searches a whole collection in the browser, without a server."""

from casetrack.api.viewer.finder.page import finder_html, finder_page

__all__ = ["finder_html", "finder_page"]
