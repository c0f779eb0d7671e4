"""Results of the library: documents, chunks, search results, reports.

Records with document text have its :class:`~casetrack.base.provenance.Provenance` (invariant P4).
``as_dict`` returns the JSON form of the command line and MCP.
"""

from casetrack.base.records.cards import *
from casetrack.base.records.collections import *
from casetrack.base.records.documents import *
from casetrack.base.records.health import *
from casetrack.base.records.passages import *
from casetrack.base.records.reports import *
from casetrack.base.records.search import *
from casetrack.base.records.table import *
