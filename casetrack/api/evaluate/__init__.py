"""Measures the search on questions whose answers are known: a number for every decision.

A question set is opened from a folder in BEIR layout or from a golden file; :func:`measure` asks
it in one mode and gives a :class:`Run`, which can be stored and compared with others.
"""

from casetrack.api.evaluate.ask import measure
from casetrack.api.evaluate.beir import in_profile, open_beir
from casetrack.api.evaluate.golden import open_golden
from casetrack.api.evaluate.measures import Difference, compare_scores
from casetrack.api.evaluate.questions import Question, QuestionSet
from casetrack.api.evaluate.runs import Run, find_run, save_run, stored_runs

__all__ = [
    "Difference",
    "Question",
    "QuestionSet",
    "Run",
    "compare_scores",
    "find_run",
    "in_profile",
    "measure",
    "open_beir",
    "open_golden",
    "save_run",
    "stored_runs",
]
