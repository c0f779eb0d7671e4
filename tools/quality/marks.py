"""Marks of contracts and paragraphs: ``just quality marks``, with ``--fit`` the weights.

Truth: the clauses that lawyers marked in contracts (CUAD, asked by the descriptions of their
categories), and the answers of XQuAD. A right passage contains a whole clause, or half of one. Of
the characters without white space: *whole* is the share of right passages in which a clause is
marked to 95 %, *superfluous* the share of marked characters outside of all clauses.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import CollectionNotFound
from casetrack.base.license import UNLIMITED
from casetrack.base.records.reading import OnDemand
from casetrack.search.pinpoint.headers import with_headers
from casetrack.search.pinpoint.scoring import Floats, Sought, Tokens, features_of
from casetrack.search.pinpoint.units import clauses_of
from quality.cuad_spans import Squeezed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records.search import SearchResult

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_NAMES = {"Document Name", "Parties", "Agreement Date", "Effective Date"}
"""Categories whose spans are names and dates, not clauses."""
_WHOLE, _LEAST_PART, _LEAST_CHARS = 0.95, 0.5, 20
_AROUND = 40
_RIDGE, _STEPS = 3.0, 30
_XQUAD_WEIGHT = 0.1


class Question(NamedTuple):
    """A question, its document, and the texts that answer it.

    *before* and *after* are the text around the only answer, if it is short.
    """

    text: str
    document: str
    answers: tuple[str, ...]
    before: str = ""
    after: str = ""


@dataclass(slots=True)
class Tally:
    """Counts of right passages and of their marked characters."""

    passages: int = 0
    whole: int = 0
    none: int = 0
    marked: int = 0
    superfluous: int = 0

    def add(self, size: int, clauses: Sequence[range], marks: Sequence[range]) -> None:
        """Add a passage of *size* characters without white space."""
        right, marked = np.zeros(size, bool), np.zeros(size, bool)
        for spans, mask in ((clauses, right), (marks, marked)):
            for span in spans:
                mask[span.start : span.stop] = True
        self.passages += 1
        self.whole += any(marked[c.start : c.stop].mean() >= _WHOLE for c in clauses)
        self.none += not (right & marked).any()
        self.marked += int(marked.sum())
        self.superfluous += int((marked & ~right).sum())

    def __str__(self) -> str:
        count = self.passages
        return (
            f"{count} right passages: whole clause marked {self.whole / count:.3f}, no mark "
            f"{self.none / count:.3f}, superfluous {self.superfluous / self.marked:.3f}, "
            f"{self.marked / count:.0f} characters"
        )


def clauses_in(text: str, question: Question, /) -> list[range]:
    """Return the answers in a passage: whole ones, and halves at its start or end."""
    found = []
    before, after = ("".join(part.split()) for part in (question.before, question.after))
    for answer in question.answers:
        words = "".join(answer.split())
        size = min(60, len(words) // 2)
        at = text.find(f"{before}{words}{after}")
        first, last = text.rfind(words[:size]), text.find(words[-size:]) + size
        if at >= 0:
            found.append(range(at + len(before), at + len(before) + len(words)))
        elif before or size < _LEAST_CHARS:
            continue
        elif first >= 0 and words.startswith(text[first:]):
            found += [range(first, len(text))] * (len(text) - first >= _LEAST_PART * len(words))
        elif last >= size and words.endswith(text[:last]):
            found += [range(last)] * (last >= _LEAST_PART * len(words))
    return found


def contracts(data: Path, /) -> list[Question]:
    """Return a question for each contract and category with clauses."""
    with (data / "category_descriptions.csv").open(encoding="utf-8-sig") as rows:
        asked = {
            row[0].partition(": ")[2].strip().lower(): row[1].partition(": ")[2].strip()
            for row in csv.reader(rows)
        }
    clauses: dict[tuple[str, str], list[str]] = defaultdict(list)
    for line in (data / "clauses.jsonl").read_text(encoding="utf-8").splitlines():
        clause = json.loads(line)
        if clause["category"] not in _NAMES:
            key = (Path(clause["file"]).with_suffix(".pdf").name, clause["category"].lower())
            clauses[key].append(clause["text"])
    return [Question(asked[c], name, tuple(texts)) for (name, c), texts in clauses.items()]


def articles(data: Path, language: str, folder: Path, /) -> list[Question]:
    """Write the articles of XQuAD as files, and return their questions."""
    folder.mkdir(parents=True, exist_ok=True)
    questions = []
    source = json.loads((data / f"xquad.{language}.json").read_text(encoding="utf-8"))
    for number, article in enumerate(source["data"]):
        name = f"{language}{number:02}.txt"
        texts = [paragraph["context"] for paragraph in article["paragraphs"]]
        (folder / name).write_text("\n\n".join(texts), encoding="utf-8")
        questions += [
            _of_article(asked, name, paragraph["context"])
            for paragraph in article["paragraphs"]
            for asked in paragraph["qas"]
        ]
    return questions


def _of_article(asked: Mapping[str, Any], name: str, context: str) -> Question:
    answer = asked["answers"][0]
    start = answer["answer_start"]
    end = start + len(answer["text"])
    before, after = context[max(0, start - _AROUND) : start], context[end : end + _AROUND]
    return Question(asked["question"], name, (answer["text"],), before, after)


def right_passages(
    collection: Collection, questions: Sequence[Question], /
) -> Iterator[tuple[Question, SearchResult, Squeezed, list[range]]]:
    """Yield the results among the first ten that contain an answer."""
    names = {document.name for document in collection.documents()}
    for question in questions:
        if question.document not in names:
            continue
        for result in collection.search(
            question.text, mode="full", limit=10, documents=[question.document]
        ):
            squeezed = Squeezed(result.text)
            if found := clauses_in(squeezed.text, question):
                yield question, result, squeezed, found


def examples_of(
    result: SearchResult, squeezed: Squeezed, clauses: Sequence[range], /
) -> tuple[Floats, Floats] | None:
    """Return the features of a passage's units, and which of them answer, as shares."""
    if not isinstance(result.locate, OnDemand):
        return None
    result.locate()  # reads the rows
    compute: Any = result.locate.compute
    finder, (number,) = compute.func.__self__, compute.args
    passage, row = finder.passages[number], finder.rows[number]
    place = passage.provenance
    units = with_headers(
        passage.text,
        clauses_of(
            passage.text,
            row["paragraphs"],
            offset=place.char_start,
            rows=place.sheet_name is not None,
        ),
    )
    near = None
    if finder.encoded is not None:
        tokens = Tokens.of(finder.reading.text, finder.encoded)
        near = None if tokens is None else tokens.near(passage.text, units, row.get("tokens"))
    sought = Sought.of(finder.reading, finder.index)
    answers = np.zeros(len(units))
    for number, unit in enumerate(units):
        start, end = squeezed.span(unit.start, unit.end)
        for clause in clauses:
            shared = min(end, clause.stop) - max(start, clause.start)
            if 2 * shared > min(end - start, len(clause)):
                answers[number] = 1.0
    if near is None or not answers.any():
        return None
    return features_of(passage.text, units, sought, near), answers / answers.sum()


def fitted(examples: Sequence[tuple[Floats, Floats, float]], /) -> Floats:
    """Return the weights of a softmax over the units of each passage, by Newton's method."""
    scale = np.concatenate([features for features, _, _ in examples]).std(axis=0) + 1e-9
    weights = np.zeros(len(scale))
    for _ in range(_STEPS):
        gradient, curve = 2 * _RIDGE * weights, 2 * _RIDGE * np.eye(len(scale))
        for features, answers, weight in examples:
            x = features / scale
            shares = np.exp(x @ weights - (x @ weights).max())
            shares /= shares.sum()
            mean = shares @ x
            gradient = gradient - weight * (answers @ x - mean)
            curve = curve + weight * ((x * shares[:, None]).T @ x - np.outer(mean, mean))
        weights = weights - np.linalg.solve(curve, gradient)
    result: Floats = weights / scale
    return result


def main() -> None:
    """Build the collections where they are missing, and print the measures."""
    parser = argparse.ArgumentParser(prog="python -m quality.marks", description=__doc__)
    parser.add_argument("--data", type=Path, default=_CHECKOUT.parent / "shared" / "data")
    parser.add_argument("--work", type=Path, default=_CHECKOUT / ".cache" / "marks")
    parser.add_argument("--models", type=Path, default=_CHECKOUT / ".cache" / "models")
    parser.add_argument("--fit", action="store_true", help="also print fitted weights")
    options = parser.parse_args()
    settings = replace(load_settings(options.work), models_dir=options.models)
    library = Library(settings, tier=UNLIMITED)
    cuad = options.data / "cuad"
    sets = {"contracts": (cuad / "pdf", contracts(cuad))}
    for language in ("en", "de"):
        folder = options.work / f"xquad-{language}"
        sets[f"xquad-{language}"] = folder, articles(options.data / "xquad", language, folder)
    examples = []
    for name, (folder, questions) in sets.items():
        try:
            collection = library.get(name)
        except CollectionNotFound:
            collection = library.create(name)
            collection.ingest([folder], ocr="off")
        tally = Tally()
        for _, result, squeezed, clauses in right_passages(collection, questions):
            offset = result.provenance.char_start
            marks = [
                range(*squeezed.span(p.char_start - offset, p.char_end - offset))
                for p in result.pinpoint
            ]
            tally.add(len(squeezed.text), clauses, marks)
            if options.fit and (example := examples_of(result, squeezed, clauses)):
                examples.append((*example, 1.0 if name == "contracts" else _XQUAD_WEIGHT))
        print(f"{name}: {tally}", flush=True)
    if options.fit:
        print("weights:", *(f"{weight:.2f}" for weight in fitted(examples)))


if __name__ == "__main__":
    main()
