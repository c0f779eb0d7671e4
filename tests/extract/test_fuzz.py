"""Random and adversarial texts: no extractor fails, and each value has an exact span (P5)."""

from __future__ import annotations

import datetime as dt
import os
import random
import re
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from casetrack.editions.legal.extract.citations import read_citations
from casetrack.editions.legal.extract.reading import joined_text
from casetrack.extract.amounts import find_amounts
from casetrack.extract.dates import find_dates
from casetrack.extract.document_type import infer_document_type
from casetrack.extract.names import StateTagger
from casetrack.extract.names.tagger import KINDS
from casetrack.extract.papers.caption import read_caption
from casetrack.extract.papers.docket_sheet import read_entries
from casetrack.extract.papers.places import read_bates
from casetrack.extract.papers.text import TextPage, WholeText
from casetrack.extract.references.finder import References
from casetrack.graph.document import read_document
from casetrack.graph.document.facts import ChunkFacts, DocumentFacts
from casetrack.graph.identity import read_identities
from casetrack.ingest.pipeline.catalogue import detect_language
from casetrack.ingest.steps.words import identifier_terms, index_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CASES = int(os.environ.get("CASETRACK_FUZZ_CASES", "5000"))
FOLDERS = [Path(__file__).parents[2] / "data-samples"]
FOLDERS += [Path(p) for p in filter(None, os.environ.get("CASETRACK_FUZZ_TEXTS", "").split(":"))]
_MOST = 400
_DAY = dt.date(2024, 5, 1)
_PLANES = ((0, 0x250), (0x300, 0x370), (0x590, 0x750), (0x900, 0xE00), (0x1E00, 0x2C00))
_PLANES += ((0x3000, 0xD800), (0xE000, 0x10000), (0x10000, 0x1FFFF), (0x20000, 0x110000))
_PIECES = (
    "JUN 1087|30 Nov 0002|12/31/|1 May 2024 to |FY2024 Q3|the 3rd day of |$1,234.5 million|EUR|£|"
    "(12.3)%|per cent|bn|No. 12-cv-3456 (S.D.N.Y.|410 U.S. 113, 115|Id. at 5|See § 12(b)(6)|v.|"
    "Inc.|Dr. A. B. O'Neil-|Smith & Co. KG|Exhibit A-|Dkt. 12 at 3|Section 4.1(a)(ii)|Article XIV|"
    "hereinafter the “|”)|https://a.b/%zz?|<x@y.z>|Re: |\u202e|\u200d|\u0301|\u0000|\ufeff|\x85|"
    "\u2028|\ufffd|İ|ß|ﬁ|½|²|①|٣٤|१२|\n\n| |\t|\r|\f|-|–|.|,|:|;|'|\"|(|)|[|]|{|}|/|\\|#|&|%|*|"
    "_|~|a|I|A.|am|and|of|0|1|9"
).split("|")

_REPEATED = (
    "é|א|\U0001f600|1,|1.|1/|$1-|one |hundred |one hundred and |million |(1|1 000 |10 $ |5%-|1e5|"
    'five dollars and |-5|5" |ten (10) |2024-|January |jan|1 May to |from |between 1 and |Friday, |'
    "two thousand and |3 days after |first week of |end of |week of |the |12 |May\n|A |"
    "Section 1(a)|Sections 1, |§ 1 |The Big And |http://a.|a.a-|10.1000/|EN ISO 9001:|"
    "Master Agreement dated |Invoice A-|“a b|A v. |Id. |1 U.S. 1 |[2015] |\nSection 1 |"
    "A x.pdf |Exhibits A, |\n|Abb. Adm. a |1_|Act "
).split("|")


@cache
def _sentences() -> tuple[str, ...]:
    paths = sorted(p for f in FOLDERS for p in f.rglob("*") if p.suffix in {".md", ".txt", ".toml"})
    texts = (p.read_bytes()[:200_000].decode("utf-8", "replace") for p in paths)
    return tuple(s for text in texts for s in re.split(r"(?<=[.;:])\s+|\n\n", text) if s.strip())


def _letter(rng: random.Random) -> str:
    return chr(rng.randrange(*rng.choice(_PLANES)))


def _mutated(rng: random.Random) -> str:
    text = " ".join(rng.choice(_sentences()) for _ in range(rng.randint(1, 3)))[: _MOST * 2]
    for _ in range(rng.randint(0, 6)):
        at, size = rng.randrange(len(text) + 1), rng.randint(0, 9)
        new = rng.choice(("", _letter(rng), rng.choice(_PIECES), text[at : at + size] * 2))
        text = text[:at] + new + text[at + size :]
    return text[rng.randint(0, 9) :] if rng.random() < 0.3 else text


def adversarial(rng: random.Random) -> str:
    """Return random signs, pieces of grammars, repetitions, or changed real sentences."""
    how = rng.randrange(6)
    if how == 0:
        return "".join(_letter(rng) for _ in range(rng.randint(0, 120)))
    if how == 1:
        return rng.choice(("", " ")).join(rng.choices(_PIECES, k=rng.randint(0, 40)))
    if how == 2:
        return rng.choice((*_PIECES, _letter(rng))) * rng.randint(1, 150)
    if how == 3:
        return "".join(rng.choices("0123456789.,/-$% ", k=rng.randint(1, 200)))
    text = _mutated(rng)
    return text.upper() if how == 4 and rng.random() < 0.3 else text


class _Tagger(StateTagger):
    """The rules after the networks, over labels that a seed chooses."""

    def __init__(self) -> None:
        object.__setattr__(self, "calibration", (1.0, 0.0))

    def _scores(self, words: Any, encoding: Any) -> Any:
        rng = np.random.default_rng(len(words.texts))
        scores = rng.normal(0, 3, (len(words.texts), 1 + 4 * len(KINDS))).astype(np.float32)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def _facts(texts: Sequence[str]) -> tuple[DocumentFacts, list[ChunkFacts]]:
    references, at, chunks = References(), 0, []
    for number, text in enumerate(texts):
        spans = (find_dates(text), find_amounts(text), references.find(text, page=1, offset=at))
        names = tuple(n for n in _Tagger().tag(text, None) if not n.is_role)
        end = at + len(text)
        chunks.append(ChunkFacts(str(number), number, 1, at, end, text, (), names, *spans))
        at = end + 1
    formats = ("pdf", "eml", "docx")
    return DocumentFacts(
        "d", "r", "2024-01-02 a.pdf", texts[0][:60], texts[-1][:30], formats[len(texts[0]) % 3],
        None, "en", None, (),
    ), chunks  # fmt: skip


def _places(text: str, spans: Any) -> None:
    for span in spans:
        assert text[span.start : span.end] == span.text != ""


def _graph(text: str) -> None:
    document, chunks = _facts([text[: len(text) // 2], text[len(text) // 2 :]])
    for mention in read_document(document, chunks).mentions:
        assert 0 <= mention.start < mention.end <= len(chunks[mention.chunk].text)
    read_identities(document, chunks)


def _paper(text: str) -> None:
    whole = WholeText((TextPage(1, text),))
    joined_text(whole)
    read_entries(whole)
    read_bates(text)
    for each in read_citations(whole):
        assert each.text
    kind, _ = infer_document_type(
        format="pdf", name="a.pdf", title=text[:40], text=text, headings=[text[:30]], pages=1
    )
    read_caption(
        whole, format="pdf", name="a.pdf", title=text[:40], document_type=kind, boxes=[{}]
    ).columns()


EXTRACTORS: dict[str, Callable[[str], object]] = {
    "dates": lambda text: [_places(text, find_dates(text, anchor=day)) for day in (None, _DAY)],
    "amounts": lambda text: [_places(text, find_amounts(text, numbers=n)) for n in (False, True)],
    "references": lambda text: _places(text, References().find(text, page=1, offset=0)),
    "names": lambda text: _places(text, _Tagger().tag(text, None)),
    "language": lambda text: detect_language(text, 1),
    "terms": lambda text: (list(index_terms(text)), list(identifier_terms(text, code=True))),
    "paper": _paper,
    "graph": _graph,
}


def _failures(cases: int, seed: int) -> Iterator[tuple[str, str, str]]:
    rng = random.Random(seed)
    for _ in range(cases):
        text = adversarial(rng)
        for name, extract in EXTRACTORS.items():
            try:
                extract(text)
            except Exception as error:  # noqa: BLE001 - reported with its text
                yield name, repr(error), text


def test_no_text_makes_an_extractor_fail() -> None:
    assert list(_failures(40, 7)) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_none_of_many_texts_makes_an_extractor_fail() -> None:
    assert list(_failures(CASES, 1)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EXTRACTORS)
def test_time_is_in_proportion_to_the_text(name: str) -> None:
    """Eight times the text takes at most 24 times as long, for any repeated piece."""
    extract = EXTRACTORS[name]

    def seconds(text: str) -> float:
        begin = time.process_time()
        extract(text)
        return time.process_time() - begin

    def ratio(unit: str) -> float:
        return seconds(unit * 8) / max(seconds(unit), 0.004)

    pieces = (*_PIECES, *_REPEATED)
    units = [piece * (1000 // len(piece)) for piece in pieces]
    # A single measurement may be disturbed.
    slow = [unit[:20] for unit in units if all(ratio(unit) > 24 for _ in range(3))]
    assert slow == []
