"""Text for people, in the form that the requirement shows. Programs get the structured result."""

from casetrack.api.text.form import counted, span
from casetrack.faces.mcp.render.pieces import one_line, table
