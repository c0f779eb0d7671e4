"""Answers of the graph: entities, dates, amounts, references and relations with their sources.

Entries with text of a document have a :class:`Quote` with a citation to the line (invariant P4).
"""

from casetrack.base.records.graph.amounts import *
from casetrack.base.records.graph.changes import *
from casetrack.base.records.graph.entities import *
from casetrack.base.records.graph.overview import *
from casetrack.base.records.graph.timeline import *
from casetrack.base.records.passages import *
