"""Text for people, in the form that the requirement shows. Programs get the structured result."""

from casetrack.faces.mcp.render.pieces import counted, one_line, span, table
