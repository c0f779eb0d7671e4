"""Ten questions to a folder of contracts, each one SQL statement, with annotated answers.

Every statement returns ``document_name``, ``chunk_id``, ``citation`` and ``text`` (the passage),
and its answer. The score of a question is the share of the contracts with an annotated clause of
its category for which a returned passage shows such a clause. A dozen contracts and all questions
together must reach :data:`QUICK_SHARE`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sections import sections

QUICK_CONTRACTS = 12
QUICK_CATEGORIES = 8
QUICK_SHARE = 0.8
_SHOWN_WORDS = 8

Clauses = dict[str, tuple[str, ...]]
"""The annotated clauses of one category, by contract."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about contracts.

    Attributes
    ----------
    asks
        In the words of an analyst.
    category
        Name of the annotations that answer it; empty if all do.
    is_answered
        Whether the passages of a contract answer its annotations.
    only
        Pattern of the annotated clauses that count.
    needs_model
        Whether keywords alone cannot answer it.
    """

    name: str
    asks: str
    category: str
    sql: str
    is_answered: Callable[[Sequence[Row], Sequence[str]], bool]
    only: str = ""
    needs_model: bool = False

    def wanted(self, clauses: Mapping[str, Clauses], contracts: Iterable[str], /) -> Clauses:
        """Return the annotated clauses that count, of these contracts."""
        marked = [clauses[self.category]] if self.category else list(clauses.values())
        counting = {
            name: tuple(
                clause
                for by_contract in marked
                for clause in by_contract.get(name, ())
                if re.search(self.only, clause, re.IGNORECASE)
            )
            for name in contracts
        }
        return {name: each for name, each in counting.items() if each}

    def answered(self, rows: Sequence[Row], wanted: Clauses, /) -> tuple[str, ...]:
        """Return the contracts of ``wanted`` that these rows answer."""
        by_contract = defaultdict[str, list[Row]](list)
        for row in rows:
            by_contract[row["document_name"]].append(row)
        return tuple(
            name for name in sorted(wanted) if self.is_answered(by_contract[name], wanted[name])
        )


def load_clauses(path: Path, /) -> dict[str, Clauses]:
    """Return the annotated clauses by category and contract."""
    collected = defaultdict[str, defaultdict[str, list[str]]](lambda: defaultdict(list))
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        collected[row["category"]][row["file"]].append(row["text"])
    return {
        category: {name: tuple(texts) for name, texts in by_contract.items()}
        for category, by_contract in collected.items()
    }


def quick_contracts(folder: Path, clauses: Mapping[str, Clauses], /) -> tuple[Path, ...]:
    """Return the shortest contracts in which many categories are annotated."""
    categories = {
        path: sum(path.name in by_contract for by_contract in clauses.values())
        for path in folder.glob("*.txt")
    }
    rich = [path for path, count in categories.items() if count >= QUICK_CATEGORIES]
    return tuple(sorted(rich, key=lambda p: (p.stat().st_size, p.name))[:QUICK_CONTRACTS])


def shows_a_clause(rows: Sequence[Row], clauses: Sequence[str], /) -> bool:
    """Return whether a passage has eight consecutive words of a clause (all of a shorter one)."""
    return any(_shows(row["text"], clause) for row in rows for clause in clauses)


def names_a_party(rows: Sequence[Row], clauses: Sequence[str], /) -> bool:
    """Return whether one of the names is an annotated party, with any legal form."""
    parties = {_words(clause)[:2] for clause in clauses}
    return any(_words(row["party"])[:2] in parties for row in rows)


def gives_the_date(rows: Sequence[Row], clauses: Sequence[str], /) -> bool:
    """Return whether the annotated words contain a date, or the reverse."""
    given = [_words(row["date_text"]) for row in rows]
    return any(
        _stand_in(date, _words(clause)) or _stand_in(_words(clause), date)
        for date in given
        for clause in clauses
    )


def reaches_the_sums(rows: Sequence[Row], clauses: Sequence[str], /) -> bool:
    """Return whether no annotated clause has a larger sum in dollars than the returned one."""
    sums = [float(s.replace(",", "")) for c in clauses for s in re.findall(_DOLLARS, c)]
    return bool(rows) and max(row["value"] for row in rows) >= max(sums)


_DOLLARS = r"\$\s?(\d{1,3}(?:,\d{3})+|\d+)"


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.lower()))


def _stand_in(part: Sequence[str], whole: Sequence[str]) -> bool:
    places = range(len(whole) - len(part) + 1)
    return bool(part) and any(tuple(whole[p : p + len(part)]) == tuple(part) for p in places)


def _shows(passage: str, clause: str) -> bool:
    words, own = _words(passage), _words(clause)
    length = min(_SHOWN_WORDS, len(own))
    runs = {own[at : at + length] for at in range(len(own) - length + 1)}
    return any(words[at : at + length] in runs for at in range(len(words) - length + 1))


def _best_per_contract(question: str, k: int, keep: str) -> str:
    return f"""
        SELECT d.name AS document_name, found.rank, found.chunk_id, found.citation, found.text
        FROM documents AS d, search('{question}', k => {k}, document => d.name) AS found
        WHERE regexp_matches(found.text, '{keep}', 'is')
        ORDER BY document_name, found.rank
    """


_ENDED = "(terminat|cancel|revoke)"
_FREELY = r"(at\s+any\s+time|without\s+cause|for\s+any\s+reason|convenience)"

_SQL = sections(Path(__file__).with_suffix(".sql"), mark="-- question:")
QUESTIONS: tuple[Question, ...] = (
    Question(
        "convenience",
        "Which contracts can be ended without a reason, and by which passage?",
        "Termination For Convenience",
        _best_per_contract(
            "may terminate this agreement at any time for convenience, without cause, by written"
            " notice",
            5,
            f"{_ENDED}.{{0,300}}{_FREELY}|{_FREELY}.{{0,300}}{_ENDED}",
        ),
        shows_a_clause,
    ),
    Question(
        "new_york",
        "Which contracts are under the law of New York, and where do they say so?",
        "Governing Law",
        _SQL["new_york"],
        shows_a_clause,
        only=r"New\s+York",
    ),
    Question(
        "notice_periods",
        "Which periods of notice does each contract set for not renewing it?",
        "Notice Period To Terminate Renewal",
        _SQL["notice_periods"],
        shows_a_clause,
    ),
    Question(
        "parties",
        "Who are the parties of each contract, by its first passage?",
        "Parties",
        _SQL["parties"],
        names_a_party,
        needs_model=True,
    ),
    Question(
        "dated",
        "Of when is each contract: which dates stand at its head?",
        "Agreement Date",
        _SQL["dated"],
        gives_the_date,
    ),
    Question(
        "insurance",
        "Who must be insured, and which sums stand there?",
        "Insurance",
        _SQL["insurance"],
        shows_a_clause,
    ),
    Question(
        "assignment",
        "Which contracts may not be assigned without consent?",
        "Anti-Assignment",
        _best_per_contract(
            "may not assign this agreement without prior written consent", 2, "assign|transfer"
        ),
        shows_a_clause,
    ),
    Question(
        "audit",
        "Who may look into whose books?",
        "Audit Rights",
        _best_per_contract(
            "right to audit and inspect books and records", 3, "audit|inspect|examin"
        ),
        shows_a_clause,
    ),
    Question(
        "largest",
        "Which is the largest sum of each contract, and in which clause?",
        "",
        _SQL["largest"],
        reaches_the_sums,
        only=_DOLLARS,
    ),
    Question(
        "alike",
        "Which other contracts say what the best passage on looking into the books says?",
        "Audit Rights",
        _SQL["alike"],
        shows_a_clause,
        needs_model=True,
    ),
)
