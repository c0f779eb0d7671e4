"""Generates searches with known truth about their answer, and stores the features of the results.

    CASETRACK_HOME=… python -m training.evidence.cases SETS DATA OUT.pkl [PROFILE]

The collections are those indexed by ``casetrack eval`` (xquad-en, xquad-de, xquad-ru, xquad-zh,
scifact) and three further ones, "Filings" (annual reports), "Contracts" (CUAD) and "Trade" (four
short contracts and two opinions); missing sets are left out. Smaller and larger collections are
combined from their passages without indexing again: a case is a question, its live passages, and
those that answer it. With the answers removed, and with ``topic`` all passages of the same article,
the question has no answer. No text is written: only features, per mode and result.
"""

from __future__ import annotations

import json
import pickle
import random
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.api.library import Library
from casetrack.base.license import UNLIMITED
from casetrack.models.token_matrix import token_form
from casetrack.search.asked_words import asked_words
from casetrack.search.evidence import Nearness, features_of, missing_from, nearness
from casetrack.search.question.read import read
from casetrack.search.question.vocabularies import SHIPPED, read_vocabulary
from casetrack.search.ranking import Rerank, rank
from casetrack.store.index.index import Index, LiveSegment
from casetrack.store.index.scope import Question, scope_of
from training.evidence.case import Case

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.api.collection import Collection

Places = set[tuple[int, int]]
Masks = dict[int, np.ndarray]
DEPTH = 10
QUESTIONS = Path(__file__).with_name("questions")
"""Our questions about filings and contracts, in other words than the texts use."""
OWN = ("own-reports", "own-clauses", "own-two-ideas")
TRADE = "own-trade"
"""Half of these have no answer: they ask for content that such a document could have but lacks."""
DOMAINS = {
    **dict.fromkeys(("reports", "reports-all", "own-reports"), "finance"),
    **dict.fromkeys(("cuad", "own-clauses", "own-two-ideas"), "contracts"),
}


class Passages:
    """The passages of several collections, each of which may be live."""

    def __init__(
        self, library: Library, profile: str, collections: Iterable[tuple[str, Collection]]
    ) -> None:
        self.encoder = library.encoders.get_installed(profile)
        form = token_form(self.encoder)
        assert form is not None
        self.form = form
        self.parts: list[LiveSegment] = []
        self.of: dict[str, list[int]] = defaultdict(list)
        self.rows: list[dict[str, list[Any]]] = []
        self.encode = lru_cache(maxsize=8)(self.encoder.encode_query)
        for label, collection in collections:
            state = collection.workspace.state()
            names = {d.document_id: d.name for d in state.snapshot.documents.values()}
            for part in state.index.segments:
                ids = [int(i) for i in part.data.column("row_id")]
                table = state.snapshot.take(ids, ["tokens", "text", "document_id", "page"])
                rows = table.to_pydict()
                rows["document"] = [names.get(d, d) for d in rows.pop("document_id")]
                self.of[label].append(len(self.parts))
                self.parts.append(part)
                self.rows.append(rows)
            self.dimension = state.index.dimension

    def text(self, number: int, row: int) -> tuple[str, list[str]]:
        """Return the text of a passage with its headings and the name of its document."""
        title = self.parts[number].data.places_of([row], ["heading_path"])[0]["heading_path"]
        rows = self.rows[number]
        return rows["text"][row], [*(title or ()), rows["document"][row]]

    def live(self, label: str, documents: set[str] | None = None) -> Masks:
        """Return all passages of a collection, or those of some documents."""
        return {
            n: np.array([documents is None or d in documents for d in self.rows[n]["document"]])
            for n in self.of[label]
        }

    def where(self, label: str, column: str, accept: Any) -> Places:
        """Return the passages whose value *accept* accepts."""
        return {
            (n, row)
            for n in self.of[label]
            for row, value in enumerate(self.rows[n][column])
            if accept(value)
        }

    def case(self, data: str, kind: str, question: str, live: Masks, answers: Places) -> Case:
        """Search in each mode and store the features of the results."""
        parts, back, terms = [], [], 0.0
        for n, given in sorted(live.items()):
            base = self.parts[n]
            mask = given if base.mask is None else given & base.mask
            if mask.any():
                parts.append(LiveSegment(base.data, mask, base.documents, base.embedded))
                back.append(n)
                terms += float(base.data.column("length")[mask].sum(dtype=np.float64))
        count = sum(p.live_count for p in parts)
        index = Index(tuple(parts), count, terms / max(count, 1), count, self.dimension)
        scope = scope_of(index)
        domain = DOMAINS.get(data)
        chosen = [read_vocabulary(path) for path in SHIPPED if path.stem == domain]
        reading = read(question, vocabularies=chosen)
        encoding = self.encode(reading.text)
        words = asked_words(reading, scope)
        weights = words.token_weights(reading.text, encoding.token_spans)
        near: dict[tuple[int, int], Nearness] = {}

        def maxsim(places: Sequence[tuple[int, int]]) -> np.ndarray:
            stored = [self.rows[back[n]]["tokens"][row] for n, row in places]
            hits = self.form.nearest(encoding.tokens, stored)
            near.update(nearness(places, hits, weights))
            return hits.mean(axis=1)

        def texts(places: Sequence[tuple[int, int]]) -> list[tuple[str, list[str]]]:
            return [self.text(back[n], row) for n, row in places]

        terms_of = reading.terms
        asked = {
            "keyword": (Question(terms_of), None),
            "semantic": (Question(None, encoding.dense), None),
            "hybrid": (Question(terms_of, encoding.dense), None),
            "full": (Question(terms_of, encoding.dense), Rerank(maxsim, encoding.dense)),
        }
        if not any(part.embedded_count for part in parts):
            asked = {"keyword": asked["keyword"]}
        features, right = {}, {}
        missing = missing_from(scope, reading)
        for mode, (wanted, look) in asked.items():
            ranked = rank(index, DEPTH, wanted, look=look)
            nearest = [near.get(r.place) if look else None for r in ranked]
            features[mode] = features_of(words, ranked, nearest, missing, texts) if ranked else {}
            right[mode] = np.array([(back[r.place[0]], r.place[1]) in answers for r in ranked])
        return Case(data, kind, count, question, features, right)


def without(live: Masks, places: Places) -> Masks:
    """Return *live* without some passages."""
    left = {n: mask.copy() for n, mask in live.items()}
    for n, row in places:
        if n in left:
            left[n][row] = False
    return left


def beir(folder: Path) -> dict[str, tuple[str, set[str]]]:
    """Return the questions of a data set in BEIR layout, with the documents that answer."""
    lines = (folder / "queries.jsonl").read_text("utf-8").splitlines()
    texts = {row["_id"]: row["text"] for row in map(json.loads, lines)}
    right: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels" / "test.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            right[query].add(document)
    return {query: (texts[query], documents) for query, documents in sorted(right.items())}


def xquad(passages: Passages, folder: Path, label: str, chance: random.Random, most: int) -> Any:
    """Yield cases of articles: all five paragraphs of each, of 4 to 48 articles, some padded."""
    asked = list(beir(folder / label).items())
    chance.shuffle(asked)
    padding = [name for name in ("scifact", "Filings", "Contracts") if name in passages.of]
    for number, (_, (question, right)) in enumerate(asked[:most]):
        article = _article(min(right))
        others = [a for a in range(48) if a != article]
        chosen = {article, *chance.sample(others, chance.choice([3, 5, 9, 19, 47]))}
        kept = passages.where(label, "document", lambda d, c=chosen: _article(d) in c)
        live = {n: np.zeros(len(passages.rows[n]["text"]), bool) for n in passages.of[label]}
        for n, row in kept:
            live[n][row] = True
        if label == "xquad-en" and number % 3 == 0 and padding:
            for other in chance.choice([[p] for p in padding] + [padding]):
                live |= passages.live(other)
        answers = passages.where(label, "document", lambda d, r=right: d in r)
        same = passages.where(label, "document", lambda d, a=article: _article(d) == a)
        yield passages.case(label, "present", question, live, answers)
        yield passages.case(label, "hard", question, without(live, answers), answers)
        yield passages.case(label, "topic", question, without(live, same), answers)


def _article(document: str) -> int:
    return (int(document[1:]) - 1) // 5


def scifact(passages: Passages, folder: Path, chance: random.Random) -> Any:
    """Yield cases of claims over 20 to 5,183 abstracts, some padded."""
    everything = sorted({d for n in passages.of["scifact"] for d in passages.rows[n]["document"]})
    for question, right in beir(folder).values():
        answers = passages.where("scifact", "document", lambda d, r=right: d in r)
        for size in (chance.choice([20, 60, 200]), chance.choice([600, 2000, 5183])):
            kept = set(chance.sample(everything, min(size, len(everything)))) | right
            live = passages.live("scifact", kept)
            if size > 200 and chance.random() < 0.4:
                live |= passages.live(chance.choice(["Filings", "Contracts", "xquad-en"]))
            kind = "hard" if size >= 2000 else "topic"
            yield passages.case("scifact", "present", question, live, answers)
            yield passages.case("scifact", kind, question, without(live, answers), answers)


def reports(passages: Passages, golden: Path, chance: random.Random) -> Any:
    """Yield analysts' questions about their report and about reports of other companies."""
    rows = [json.loads(line) for line in golden.read_text("utf-8").splitlines()]
    files = sorted({d for n in passages.of["Filings"] for d in passages.rows[n]["document"]})
    for row in rows:
        own, question = row["search_in"], row["question"]
        pages = {(a["document"], a["page"]) for a in row["answers"]}
        answers = {
            (n, r)
            for n in passages.of["Filings"]
            for r, at in enumerate(
                zip(passages.rows[n]["document"], passages.rows[n]["page"], strict=True)
            )
            if at in pages
        }
        others = [f for f in files if f.split("_")[0] != own.split("_")[0]]
        yield passages.case(
            "reports", "present", question, passages.live("Filings", {own}), answers
        )
        for other in chance.sample(others, 2):
            yield passages.case(
                "reports", "topic", question, passages.live("Filings", {other}), set()
            )
        yield passages.case("reports-all", "present", question, passages.live("Filings"), answers)
        yield passages.case(
            "reports-all", "topic", question, passages.live("Filings", set(others)), set()
        )


def clauses(passages: Passages, golden: Path, marked: Path, chance: random.Random) -> Any:
    """Yield kinds of clauses that a contract has, and kinds that it does not have."""
    rows = [json.loads(line) for line in golden.read_text("utf-8").splitlines()]
    asked = {row["kind"]: row["question"] for row in rows}
    having: dict[str, set[str]] = defaultdict(set)
    for line in marked.read_text("utf-8").splitlines():
        row = json.loads(line)
        having[_letters(row["file"].rsplit(".", 1)[0])].add(row["category"])
    for contract in sorted({row["search_in"] for row in rows}):
        live = passages.live("Contracts", {contract})
        own = having.get(_letters(contract.rsplit(".", 1)[0]))
        if own is None:
            continue
        absent = sorted(k for k in asked if k not in own)
        for kind in chance.sample(absent, min(9, len(absent))):
            yield passages.case("cuad", "clause", asked[kind], live, set())
        mine = [row for row in rows if row["search_in"] == contract]
        for row in chance.sample(mine, min(6, len(mine))):
            texts = [_joined(a["text"]) for a in row["answers"]]
            answers = passages.where(
                "Contracts", "text", lambda t, w=texts: any(x in _joined(t) for x in w)
            )
            yield passages.case("cuad", "present", row["question"], live, answers)


def own_questions(passages: Passages, name: str, chance: random.Random) -> Any:
    """Yield our questions about their file and about a file of another kind."""
    mine, other = ("Filings", "Contracts") if name == "own-reports" else ("Contracts", "Filings")
    strange = sorted({d for n in passages.of[other] for d in passages.rows[n]["document"]})
    for line in (QUESTIONS / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        live = passages.live(mine, {row["search_in"]})
        yield passages.case(name, "present", row["question"], live, set())
        live = passages.live(other, {chance.choice(strange)})
        yield passages.case(name, "topic", row["question"], live, set())


def of_a_trade(passages: Passages) -> Any:
    """Yield our questions about the content of a document and about that of similar ones."""
    for line in (QUESTIONS / f"{TRADE}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        live = passages.live("Trade", {row["search_in"]})
        yield passages.case(TRADE, row["kind"], row["question"], live, set())


def asked(passages: Passages, label: str, file: Path, chance: random.Random, most: int) -> Any:
    """Yield the questions of a set about their document and without their answer.

    Each line has ``doc``, ``question`` and ``answers``. With ``absent`` the truth is known, in the
    document and, with ``shared``, in the collection. With ``group`` the documents are paragraphs of
    articles; otherwise the question has no answer in another document.
    """
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    names = sorted({d for n in passages.of[label] for d in passages.rows[n]["document"]})
    rows = [row for row in rows if row["doc"] in {None, *names}]
    for row in chance.sample(rows, min(most, len(rows))):
        question, doc, others = row["question"], row["doc"], [d for d in names if d != row["doc"]]
        kind = "absent" if row.get("absent") else "present"
        alone = passages.live(label, {doc})
        if "absent" in row:
            if doc is not None:
                yield passages.case(label, kind, question, alone, set())
            if row.get("shared"):
                yield passages.case(f"{label}-all", kind, question, passages.live(label), set())
        elif "group" in row:
            article = {d for d in names if d.split("-")[0] == row["group"]}
            some = set(
                chance.sample(sorted(set(names) - article), (len(names) - len(article)) // 2)
            )
            for more, own, kind in (
                (set(), article, "present"),
                (set(), article - {doc}, "hard"),
                (some, article, "present"),
                (some, set(), "topic"),
            ):
                of = f"{label}-all" if more else label
                yield passages.case(of, kind, question, passages.live(label, more | own), set())
        else:
            yield passages.case(label, "present", question, alone, set())
            other = passages.live(label, {chance.choice(others)})
            yield passages.case(label, "other", question, other, set())
            if row.get("shared"):
                every, rest = passages.live(label), passages.live(label, set(others))
                yield passages.case(f"{label}-all", "present", question, every, set())
                yield passages.case(f"{label}-all", "topic", question, rest, set())


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _joined(text: str) -> str:
    return " ".join(text.lower().split())


def main(sets: Path, data: Path, out: Path, profile: str = "mini") -> None:
    """Make all cases and write them."""
    chance = random.Random(7)
    library = Library.open()
    home = replace(library.settings, data_dir=library.settings.data_dir / "eval")
    indexed = Library(home, tier=UNLIMITED)
    indexed.encoders = library.encoders
    named = {c.name.split()[0]: indexed.get(c.name) for c in indexed.collections()}
    named |= {c.name: library.get(c.name) for c in library.collections()}
    passages = Passages(library, profile, named.items())
    made: list[Case] = []
    for label, most in (("xquad-en", 400), ("xquad-de", 80), ("xquad-ru", 60), ("xquad-zh", 60)):
        if label in named:
            made += xquad(passages, sets, label, chance, most)
    if "scifact" in named:
        made += scifact(passages, data / "scifact", chance)
    if "Filings" in named:
        made += reports(passages, sets / "reports.jsonl", chance)
    if {"Filings", "Contracts"} <= named.keys():
        for name in OWN:
            made += own_questions(passages, name, chance)
    if "Trade" in named:
        made += of_a_trade(passages)
    if "Contracts" in named:
        made += clauses(passages, sets / "clauses.jsonl", data / "cuad" / "clauses.jsonl", chance)
    print(Counter((c.data, c.kind) for c in made))
    out.write_bytes(pickle.dumps(made))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]), *sys.argv[4:5])
