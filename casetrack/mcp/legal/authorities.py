"""The tool that makes tables of authorities."""

from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.errors import UsageError
from casetrack.legal.authorities import USUAL_PASSIM, authorities_of
from casetrack.legal.drafts import read_draft
from casetrack.legal.paper.authorities import as_text
from casetrack.mcp.legal.locating import CaseName, locate_case
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread
from casetrack.mcp.specs import READS, tool
from casetrack.records.legal.authorities import TableOfAuthorities
