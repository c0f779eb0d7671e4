"""Text for people, in the form that the requirement shows. Programs get the structured result."""

from casetrack.faces.mcp.render.collections import (
    ACTIVE_NOW,
    NEXT_STEP,
    collection_details,
    collection_line,
    created,
    document_details,
    document_line,
    ocr_line,
    section_line,
    sizes,
    structure,
)
from casetrack.faces.mcp.render.passages import (
    NOTHING_FOUND,
    chunk,
    context,
    labelled,
    number,
    passage,
    reading,
    related,
    search_result,
    search_results,
    short_result,
    shown_query,
    source_line,
    told,
)
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
