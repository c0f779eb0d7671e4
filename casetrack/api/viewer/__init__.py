"""Render passages on their pages, the graph and the timeline, as HTML or as pictures."""

from casetrack.api.viewer.graph_figure import entity_graph_html, entity_graph_page
from casetrack.api.viewer.page import view_html
from casetrack.api.viewer.sheet import sheet_path, write_sheet
from casetrack.api.viewer.timeline_figure import timeline_html, timeline_page
from casetrack.api.viewer.view import View, open_view
