"""Text for people, in the form that the requirement shows. Programs get the structured result."""

from casetrack.faces.mcp.render.pieces import (
    counted,
    duration,
    excerpt,
    home_path,
    method,
    one_line,
    phrase,
    quoted,
    size,
    span,
    table,
)
