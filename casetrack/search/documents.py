"""Ranks documents by their path, the names that they define, their passages and their whole text.

A file of source code is found by its name and its definitions as much as by its words.
Its names also show its role, in any language: other files use the names of a library, none use
those of a test. A logistic model of these fields returns the probability that a document answers;
it is fitted on changes to public repositories, see docs/evaluation.md.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.ingest.steps.words import (
    DEFINED,
    DEFINED_WORD,
    defined,
    identifier_terms,
    index_terms,
    terms_of_question,
)
from casetrack.search.folding import same_end
from casetrack.search.program_tests import find_tests
from casetrack.search.question.words import pattern_of, phrases_of
from casetrack.search.scores import K1, B, inverse_document_frequency, rarity
from casetrack.store.index.scope import among, positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.store.index.scope import Place, Scope
    from casetrack.store.workspace import State

    Numbers = NDArray[np.int64]
    Values = NDArray[np.float64]

# The names in a question.

_FILE = re.compile(
    r"(?P<path>[\w@$+~-](?:[\w@$+~./\\-]*\w)?)(?:(?::|#L|[\"']?, line )(?P<line>\d+))?"
)
"""A word that may be a path, and the line behind it in a report of an error."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*")
_IS_NAME = re.compile(r"[a-z][A-Z]|_|\.|::|#|->|[A-Z]{2}[a-z]")
_SLASH = re.compile(r"[/\\]+")
_FEW_WORDS = 2
"""Questions of so few words may be a name."""
_USED_HALF = 0.5
"""Number of used names with half the value of many: small files define only one or two."""


def asked_terms(query: str, /) -> dict[str, float]:
    """Return the index terms of a question with weights; repeated words of a long one count less.

    Examples
    --------
    >>> asked_terms("routes")
    {'rout': 1.0}
    """
    counts = Counter(terms_of_question(query))
    return {term: 1.0 + float(np.log(count)) for term, count in counts.items()}


def asked_names(query: str, /) -> set[str]:
    """Return the index terms of the definitions that a question names.

    Examples
    --------
    >>> asked_names("Why does Client.getAll fail?")
    {'=client.getall'}
    """
    named = (w for w in _NAME.findall(query) if is_name(query) or _IS_NAME.search(w))
    return {term for word in named for term in defined(word)[-1:]}


def is_name(query: str, /) -> bool:
    """Return whether a question may be nothing but a name."""
    return len(query.split()) <= _FEW_WORDS


class Mention(NamedTuple):
    """A file that a question names: its share of all files of this name, and the line if given."""

    share: float
    line: int | None


class Fields:
    """The fields of the documents of a state.

    Attributes
    ----------
    ids
        Document ids; the other fields are in this order.
    numbers
        For each segment the number of the document of each row, -1 for dead rows.
    lengths
        Number of index terms.
    used
        From 0 to 1 with the number of its names that other documents contain.
    tests
        The documents that test others.
    """

    def __init__(self, state: State) -> None:
        columns = state.snapshot.documents.table.select(["document_id", "path", "source_id"])
        table = columns.to_pydict()
        self.ids: list[str] = table["document_id"]
        self.number = {document: n for n, document in enumerate(self.ids)}
        size, segments = len(self.ids), state.index.segments
        self.numbers = [
            np.repeat(
                np.array([self.number.get(d or "", -1) for d in part.documents], dtype=np.int64),
                np.diff(part.data.starts),
            )
            for part in segments
        ]
        self.lengths = np.zeros(size)
        for numbers, part in zip(self.numbers, segments, strict=True):
            live = numbers >= 0
            lengths = part.data.column("length")[live]
            self.lengths += np.bincount(numbers[live], weights=lengths, minlength=size)
        self._read_paths(
            [own or path for own, path in zip(table["source_id"], table["path"], strict=True)]
        )
        self._read_names(state)

    def _read_paths(self, paths: Sequence[str]) -> None:
        split = [_SLASH.split(path) for path in paths]
        self._split = split
        ends = enumerate(zip(*split, strict=False))
        shared = next((n for n, same in ends if len(set(same)) > 1), 0)
        self._paths = [[part.lower() for part in parts] for parts in split]
        self._called = defaultdict[str, list[int]](list)
        self.path_terms = defaultdict[str, list[int]](list)
        for number, parts in enumerate(split):
            name = parts[-1].lower()
            for called in {name, name.partition(".")[0]}:
                self._called[called].append(number)
            own = "/".join(parts[shared:])
            for term in {*index_terms(own), *identifier_terms(own, code=True)}:
                self.path_terms[term].append(number)

    def _read_names(self, state: State) -> None:
        size = len(self.ids)
        keys = {k for part in state.index.segments for k in part.data.terms.starting(DEFINED)}
        names = sorted(key for key in keys if "." not in key)
        words = ["".join(index_terms(name)[:1]) for name in names]
        name, owner = self._pairs(state, names)
        holders = np.bincount(self._pairs(state, words)[0], minlength=len(names))
        owners = np.bincount(name, minlength=len(names))
        # A name of many files, such as ``main``, says nothing about any of them.
        own = owners[name] == 1
        shared = np.bincount(owner[own & (holders > owners)[name]], minlength=size)
        self.used = shared / (shared + _USED_HALF)
        self.tests = find_tests(self._split, np.bincount(owner[own], minlength=size), shared)

    def _pairs(self, state: State, terms: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Return the pairs of a term, by its position, and a document that contains it."""
        pairs, size = [_NONE], len(self.ids)
        for numbers, part in zip(self.numbers, state.index.segments, strict=True):
            rows = [_NONE if p is None else p.rows for p in part.data.terms.find(terms)]
            documents = numbers[np.concatenate([_NONE, *rows]).astype(np.intp)]
            of = np.repeat(np.arange(len(rows)), np.array([*map(len, rows)], dtype=np.intp))
            pairs.append((of * size + documents)[documents >= 0])
        term, document = np.divmod(np.unique(np.concatenate(pairs)), max(size, 1))
        return term, document

    def holding(
        self, scope: Scope, terms: Mapping[str, float], /
    ) -> Iterator[tuple[str, Numbers, Values]]:
        """Yield each term in the scope with the documents that contain it, and its counts there."""
        wanted = list(terms)
        found = [part.data.terms.find(wanted) for part in scope.index.segments]
        for place, term in enumerate(wanted):
            numbers, counts = [_NONE], [np.zeros(0)]
            for n, postings in enumerate(found):
                if (posting := postings[place]) is None:
                    continue
                inside = among(posting.rows.astype(np.intp), scope.rows[n])
                inside &= self.numbers[n][posting.rows] >= 0
                documents = self.numbers[n][posting.rows[inside]]
                starts = np.flatnonzero(np.diff(documents, prepend=-2))
                if len(starts):
                    numbers.append(documents[starts])
                    counts.append(np.add.reduceat(posting.values[inside].astype(float), starts))
            yield term, np.concatenate(numbers), np.concatenate(counts)

    def quoting(self, scope: Scope, query: str, passages: Iterable[Place], /) -> Numbers:
        """Return the documents of the passages that contain a quoted text of the question."""
        if not (patterns := [pattern_of(p.text) for p in phrases_of(query)]):
            return _NONE
        texts = scope.index.texts(list(passages))
        holds = [p for p, text in texts.items() if any(q.search(text) for q in patterns)]
        return np.unique(np.array([self.numbers[n][row] for n, row in holds], dtype=np.int64))

    def mentioned(self, query: str, /) -> dict[int, Mention]:
        """Return the documents whose file names or ends of paths are in a question."""
        mentions: dict[int, Mention] = {}
        for match in _FILE.finditer(query):
            parts = [part for part in _SLASH.split(match["path"].lower()) if part != "."]
            if not is_name(query) and len(parts) == 1 and "." not in parts[0]:
                continue
            shared = {n: same_end(parts, self._paths[n]) for n in self._called.get(parts[-1], ())}
            most = max(shared.values(), default=0)
            same = [n for n, count in shared.items() if count == most]
            line = int(match["line"]) if match["line"] else None
            for number in same:
                mention = Mention(1.0 / len(same), line)
                mentions[number] = max(
                    mention, mentions.get(number, mention), key=lambda m: m.share
                )
        return mentions


_NONE = np.zeros(0, dtype=np.int64)


# The fields of the documents for one question, and their score.

_WHOLE = 50
"""Number of best documents by their whole text that are candidates."""
FIELDS = tuple("passage whole meaning exact name path file defines used test".split())
"""BM25 and cosine of the best passage, and BM25 of the whole text; the others are shares: BM25 of
the largest possible value, names, paths and words of defined names of the rarity of the question.
``exact`` is a name that is the whole question, or a quoted text; a test counts as such unless it is
named."""
_WEIGHTS = {
    "keyword": (4.26, 3.28, 0.0, 2.36, 0.81, 3.33, 1.48, 1.9, 1.84, -3.4, -7.0),
    "semantic": (0.0, 0.0, 9.66, 0.0, 0.0, 0.0, 0.0, 0.0, 2.06, -2.41, -7.88),
    "hybrid": (3.39, 2.64, 3.84, 3.02, 0.89, 2.91, 1.38, 1.45, 1.86, -3.77, -7.74),
}
"""Weights of the fields and, last, the intercept of the logistic model of each mode."""
_MEANING = np.array([name == "meaning" for name in FIELDS])
_USUAL_ALPHA = 0.6
"""Weight of the vectors with which the weights are fitted."""


class Match(NamedTuple):
    """A document that may answer a question, with the probability that it does."""

    document_id: str
    score: float
    fields: Mapping[str, float]
    line: int | None  # A line of the document that the question names


def best_documents(
    fields: Fields,
    scope: Scope,
    query: str,
    passages: Mapping[Place, tuple[float, float]],
    alpha: float,
    /,
) -> list[Match]:
    """Return the documents that may answer, with scores.

    *passages* are the best ones, with BM25 and cosine; *alpha* is the weight of the vectors.
    """
    mode = {0.0: "keyword", 1.0: "semantic"}.get(alpha, "hybrid")
    weights = np.array(_WEIGHTS[mode])
    if mode == "hybrid":
        weights[:-1] *= np.where(
            _MEANING, alpha / _USUAL_ALPHA, (1.0 - alpha) / (1.0 - _USUAL_ALPHA)
        )
    numbers, values = candidates_of(fields, scope, query, passages, of_meaning=mode == "semantic")
    scores = 1.0 / (1.0 + np.exp(-(values @ weights[:-1] + weights[-1])))
    mentioned = fields.mentioned(query)
    return [
        Match(
            fields.ids[number],
            float(score),
            dict(zip(FIELDS, own.tolist(), strict=True)),
            mentioned[number].line if number in mentioned else None,
        )
        for number, score, own in zip(numbers.tolist(), scores, values, strict=True)
    ]


def candidates_of(
    fields: Fields,
    scope: Scope,
    query: str,
    passages: Mapping[Place, tuple[float, float]],
    /,
    *,
    of_meaning: bool = False,
) -> tuple[Numbers, Values]:
    """Return the documents that may answer, and their fields, float64 [documents, fields].

    *passages* have BM25 and cosine; *of_meaning*: only their documents may answer.
    """
    terms, size = asked_terms(query), len(fields.ids)
    possible = sum((K1 + 1) * terms[t] * idf for t, idf in rarity(scope, terms).items()) or 1.0
    table = np.zeros((size, len(FIELDS)))
    column = dict(zip(FIELDS, table.T, strict=True))
    of = np.array([fields.numbers[n][row] for n, row in passages], dtype=np.int64)
    values = np.array(list(passages.values())).reshape(-1, 2) / (possible, 1.0)
    for name, own in zip(("passage", "meaning"), values.T, strict=True):
        np.maximum.at(column[name], of, own)
    norms = K1 * (1 - B + B * fields.lengths / max(1.0, fields.lengths.mean()))
    rare, most = dict[str, float](), 0.0
    for term, documents, counts in fields.holding(scope, terms):
        rare[term] = inverse_document_frequency(size, len(documents))
        gain = terms[term] * rare[term] * (K1 + 1)
        column["whole"][documents] += gain * counts / (counts + norms[documents])
        most += gain
    column["whole"] /= most or 1.0
    information = sum(rare.values()) or 1.0
    for _, documents, _ in fields.holding(scope, dict.fromkeys(asked_names(query), 1.0)):
        share = 1.0 / max(len(documents), 1)
        column["name"][documents] = np.maximum(column["name"][documents], share)
    for term in terms:
        inside = fields.path_terms.get(term, [])
        column["path"][inside] += inverse_document_frequency(size, len(inside)) / information
    words = {DEFINED_WORD + term: rare[term] / information for term in terms}
    for word, documents, _ in fields.holding(scope, words):
        column["defines"][documents] += words[word]
    for number, mention in fields.mentioned(query).items():
        column["file"][number] = mention.share
    # A question of few words may be less rare than the path.
    np.minimum(column["path"], 1.0, out=column["path"])
    if is_name(query):
        column["exact"][:] = np.maximum(column["file"], column["name"])
    column["used"][:] = fields.used
    quoted = fields.quoting(scope, query, passages)
    column["exact"][quoted] = 1.0 / max(len(quoted), 1)
    if not len(quoted) and fields.tests.terms.isdisjoint(terms):
        column["test"][:] = fields.tests.files & (column["name"] + column["file"] == 0)
    named = () if of_meaning else ("whole", "path", "name", "file")
    more = [np.argsort(-column[name], kind="stable")[:_WHOLE] for name in named]
    more = [best[column[name][best] > 0] for name, best in zip(named, more, strict=True)]
    chosen = np.concatenate([of, *more])
    searched = [
        own[positions(rows, len(own))] for own, rows in zip(fields.numbers, scope.rows, strict=True)
    ]
    chosen = np.intersect1d(chosen, np.concatenate([_NONE, *searched]))
    return chosen, table[chosen]
