"""Measures search quality on questions with known answers.

Open a question set (a folder in BEIR layout, or a golden file), run it in one mode with
:func:`measure`, and store or compare the :class:`Run`.
"""

from casetrack.api.evaluate.advise import measure
from casetrack.api.evaluate.beir import in_profile, open_beir
from casetrack.api.evaluate.golden import open_golden
from casetrack.api.evaluate.measures import Difference, compare_scores
from casetrack.api.evaluate.questions import Question, QuestionSet
from casetrack.api.evaluate.runs import Run, find_run, save_run, stored_runs
