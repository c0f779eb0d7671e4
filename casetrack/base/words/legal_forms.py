"""Legal forms of companies."""

from __future__ import annotations

from typing import Final

from casetrack.base.words import WordLists

LEGAL_FORMS: Final = WordLists(__file__)
"""Lists of legal forms: ``families``, ``words``, ``ends``, ..."""
