"""Names of persons, organisations and places: right kinds, exact places, the weights as stated."""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from casetrack.extract.names import tagger_of
from casetrack.extract.names.boundaries import completed
from casetrack.extract.names.shape import with_companies
from casetrack.extract.names.words import Place, words_of
from casetrack.models.base import Encoding
from casetrack.models.encoders import load_profile
from training.names.contracts import count
from training.names.silver import marked
from training.names.sources import FILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.extract.names import StateTagger
    from casetrack.extract.spans import NameSpan
    from casetrack.models.encoders import Encoder

DATA = Path(__file__).parents[2] / "casetrack" / "extract" / "names" / "data"
OWN_TEXT = Path(__file__).parent / "names_own_text.txt"
GOLDEN = Path(__file__).parent / "names_golden.txt"


@pytest.fixture(scope="module")
def encoder(models_dir: Path) -> Encoder:
    return load_profile(models_dir, "mini", sessions=1)


@pytest.fixture(scope="module")
def tagger(encoder: Encoder) -> StateTagger:
    result = tagger_of(encoder)
    assert result is not None
    return result


Tag = "Callable[..., tuple[NameSpan, ...]]"


@pytest.fixture(scope="module")
def tag(encoder: Encoder, tagger: StateTagger) -> Tag:
    def run(text: str, start: int = 0) -> tuple[NameSpan, ...]:
        encoding = next(iter(encoder.encode_documents([text], layers=tagger.layers)))
        return tagger.tag(text, encoding, start=start)

    return run


KINDS = {"P": "person", "O": "organization", "L": "location"}


def read_marked(marked: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a text without its marks, and its names: ``[P:Mary Johnson]``, [O:…], [L:…]."""
    names = [(name, KINDS[kind]) for kind, name in MARK.findall(marked)]
    return MARK.sub(r"\2", marked), names


MARK = re.compile(r"\[([POL]):([^\]]*)\]")
CLEAR = [
    "[P:Angela Merkel] met the chairman of [O:Siemens] in [L:Berlin] on Tuesday.",
    "The contract was signed by [P:John Smith] for [O:Acme Industries, Inc.] in [L:Chicago].",
    "[O:Microsoft] opened an office in [L:Paris], said [P:Mary Johnson].",
    "This Agreement is governed by the laws of [L:Texas].",
    "The [O:World Health Organization] and [O:UNICEF] published a study in [L:Geneva].",
    "We walked along the river and had lunch, and nobody called.",
    "The Effective Date of this Agreement is set out in Section 4.2 and Exhibit A.",
    "14. TERMINATION. The term begins on 1 March 2024.",
    # Laws, boards and peoples are no names; nor is the letter of an exhibit an initial.
    "It is subject to the Investment Company Act of 1940.",
    "It is subject to the General Corporation Law.",
    "All statements follow GAAP, and sums are in RMB.",
    "Our non-U.S. subsidiaries pay taxes.",
    "The Board of Directors met on Monday.",
    "It applies Regulation AB to German and North American notes.",
    "Exhibit A. [P:Michael Wilson] signed it.",
]


@pytest.mark.parametrize("marked", CLEAR)
def test_plain_sentences(tag: Tag, marked: str) -> None:
    text, names = read_marked(marked)
    assert [(s.text, s.kind) for s in tag(text)] == names


def test_who_signs_is_a_person(tag: Tag) -> None:
    kinds = {s.text: s.kind for s in tag("Signed for Harrow & Lyle LLP: Nkechi Abara, Partner")}
    assert kinds.pop("Nkechi Abara") == "person"
    assert set(kinds.values()) == {"organization"}


def test_capitals_do_not_hide_a_name(tag: Tag) -> None:
    spans = tag("LOAN AGREEMENT\nbetween\nSILICON VALLEY BANK\nand\nPETER JONES\nof NEW YORK")
    assert {(s.text, s.kind) for s in spans} >= {
        ("SILICON VALLEY BANK", "organization"),
        ("PETER JONES", "person"),
        ("NEW YORK", "location"),
    }


def test_words_for_parties_are_distinguished_from_names(tag: Tag) -> None:
    text = "Borrower will pay Bank the unpaid principal amount of all Credit Extensions in Chicago."
    assert [(s.text, s.kind, s.is_role) for s in tag(text)] == [
        ("Borrower", "person", True), ("Bank", "organization", True),
        ("Chicago", "location", False),
    ]  # fmt: skip


WHOLE = [
    # The legal form belongs to the name.
    "It was sold to [O:Northwind Traders LLC] in May.",
    "It was sold to [O:Northwind Traders, Ltd.] last year.",
    "It was signed by John Smith for [O:Acme Industries, L.L.C.] in May.",
    "The seller is [O:Brackenfell Foods plc] of Leeds.",
    "[O:Nordwind Handels GmbH]\nAhornweg 3\n20095 Hamburg",
    "It owes [O:Orchard Optics Pty Ltd] the fees.",
    "[O:Nordwind Handels GmbH] is a company in Hamburg.",
    # A name goes on over small words.
    "The report was filed with the [O:Securities and Exchange Commission] in May.",
    "She wrote to the [O:Department of Housing and Urban Development].",
    "He appealed to the [O:United States Court of Appeals for the Ninth Circuit].",
    "The action is in the [O:District Court for the Southern District of New York].",
    "The [O:Bureau of Alcohol, Tobacco, Firearms and Explosives] answered.",
    "The [O:U.S. Environmental Protection Agency] fined Orchard Optics Ltd.",
    "The letter of [P:D. Michael Wilson] was read in court.",
    "It was read by Ms. [P:Carla Winters] in court.",
    "The treaty was signed by Pope [P:Julian Farnese] in Rome.",
    "It was read by [P:Samuel Ortega, Jr.] in court.",
    "It was sold to [O:Kestrel and Partners LLP] of Leeds.",
    "The brief came from [O:Harrow & Sons].",
    "[O:Hallam Trust Company (Cayman) Limited] owns the ship.",
    "[O:Copper Valley Bank, National Association] signed in Chicago.",
    "Our subsidiaries pay taxes in [L:St. Louis] and Paris.",
    "It is governed by the laws of the [L:State of Oregon].",
    "He lives in the [L:United States of America].",
    "It pays taxes in the [L:U.S.] and in Canada.",
    "Its shares are listed on the [O:New York Stock Exchange].",
    "The [O:U.S. Food and Drug Administration] approved it.",
]


@pytest.mark.parametrize("marked", WHOLE)
def test_a_name_is_found_whole(tag: Tag, marked: str) -> None:
    text, (name,) = read_marked(marked)
    assert name in {(s.text, s.kind) for s in tag(text)}


def test_only_the_wanted_part_counts(tag: Tag) -> None:
    context = "Angela Merkel spoke in Berlin.\n"
    own = "Later John Smith flew to Chicago."
    spans = tag(context + own, start=len(context))
    assert [s.text for s in spans] == ["John Smith", "Chicago"]
    assert all(own[s.start : s.end] == s.text for s in spans)


def test_a_name_across_the_start_is_left_out(tag: Tag) -> None:
    text = "We saw Angela Merkel."
    assert [s.text for s in tag(text)] == ["Angela Merkel"]
    assert tag(text, start=text.index("Merkel")) == ()


def check(text: str, result: tuple[NameSpan, ...]) -> None:
    assert all(text[s.start : s.end] == s.text and s.text.strip() for s in result)
    assert all(0.0 < s.confidence <= 1.0 for s in result)
    assert all(a.end <= b.start for a, b in pairwise(result))


ODD = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
NAMELIKE = st.sampled_from(
    """Angela Merkel|IBM|PARIS|O’Neill|J. P. Mørk|Acme, Inc.|Müller-Lüdenscheidt|😀|\n|\n\n|\t|—|“
    |\u0301|\u200b|北京|Ｆｕｌｌ|ﬁ|1O|l1oyds|and|of|the|in|Section|§|...|_____|@anna|#Rome|.|,|LLLLLLLLLLLLLLLLLLLLLLLLLLLL""".split(
        "|"
    )
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    parts=st.lists(ODD | NAMELIKE, max_size=12),
    glue=st.sampled_from(["", " "]),
    part=st.floats(0, 1),
)
@example(parts=["Angela Merkel"] * 6, glue=" ", part=0.5)
@example(parts=["Je\u0301ro\u0302me in Zu\u0308rich"], glue="", part=0.0)
@example(parts=["T0m Sm1th 0f N3w Y0rk"], glue="", part=0.0)
def test_every_span_is_where_it_says(
    encoder: Encoder, tagger: StateTagger, parts: list[str], glue: str, part: float
) -> None:
    text = glue.join(parts)
    start = int(part * len(text))
    try:
        encoding = next(iter(encoder.encode_documents([text], layers=tagger.layers)))
    except ValueError:
        assume(False)
    spans = tagger.tag(text, encoding, start=start)
    check(text[start:], spans)
    assert spans == tagger.tag(text, encoding, start=start)


def test_a_text_without_words_has_no_names(tagger: StateTagger) -> None:
    nothing = np.zeros((0, 384), dtype=np.float32)
    spans = np.zeros((0, 2), dtype=np.int32)
    empty = Encoding(nothing, nothing, spans, dict.fromkeys(tagger.layers, nothing))
    assert tagger.tag("", empty) == ()
    assert tagger.tag(" \n\t", empty) == ()


def test_states_that_are_missing_are_asked_for(encoder: Encoder, tagger: StateTagger) -> None:
    encoding = encoder.encode_query("Angela Merkel")
    with pytest.raises(ValueError, match="layers"):
        tagger.tag("Angela Merkel", encoding)


def test_other_encoders_have_no_tagger() -> None:
    assert tagger_of(SimpleNamespace(name="standard")) is None
    assert tagger_of(SimpleNamespace(name="../mini")) is None


def test_the_card_describes_these_weights() -> None:
    card = (DATA / "names_mini.md").read_text(encoding="utf-8")
    data = (DATA / "names_mini.npz").read_bytes()
    assert hashlib.sha256(data).hexdigest() in card
    assert f"{len(data):,} bytes" in card
    assert all(file in card for files in FILES.values() for file in files)


def test_names_of_an_own_text(tag: Tag, golden: Callable[[Path, str], None]) -> None:
    text = OWN_TEXT.read_text(encoding="utf-8")
    lines = [f"{s.start}-{s.end} {s.kind}{' (role)' * s.is_role}: {s.text!r}" for s in tag(text)]
    golden(GOLDEN, "\n".join(lines) + "\n")


def test_what_is_sure_in_a_document_marks_its_other_places() -> None:
    first = 'Orchard Optics Ltd ("Orchard") sells lenses to Berta Quist.'
    second = "Then Orchard ships them, and Quist pays."
    parts = [(first, "Orchard Optics Ltd"), (second, "")]
    actual = marked([first, second], [scores_with(text, name) for text, name in parts])
    assert [[p.text[a:b] for a, b, _ in p.names] for p in actual] == [
        ["Orchard Optics Ltd", "Orchard"], ["Orchard"]
    ]  # fmt: skip
    assert {kind for p in actual for *_, kind in p.names} == {"organization"}
    assert [[p.text[a:b] for a, b in p.unsure] for p in actual] == [["Berta", "Quist"], ["Quist"]]


def scores_with(text: str, name: str) -> np.ndarray:
    """Scores that are sure of one organisation, and of all else but two words."""
    words = words_of(text)
    scores = np.full((len(words.texts), 25), 1e-4)
    scores[:, 0] = 0.99
    scores[[i for i, w in enumerate(words.texts) if w in {"Berta", "Quist"}], 0] = 0.6
    if name:
        scores[:3] = 1e-4
        scores[[0, 1, 2], [5, 6, 7]] = 0.99
    return np.log(scores).astype(np.float32)


def test_parties_of_contracts(corpus: Callable[[str], Path], models_dir: Path) -> None:
    counts = count(corpus("cuad"), models_dir, 2000, 8)
    assert counts["parties"] >= 20
    assert counts["touched"] >= 0.7 * counts["parties"]
    assert counts["found"] >= 0.45 * counts["parties"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [("part been of Section BPC", []), ("as the law of Section BPC says", []), ("of the BPC", [3])],
)
def test_the_number_of_a_section_is_no_firm_also_at_the_end(text: str, kept: list[int]) -> None:
    words = words_of(text)
    at = words.texts.index("BPC")
    result = completed(words, [Place(at, at + 1, "organization", -0.1)])
    assert [place.after for place in result] == kept


def test_a_person_may_end_the_text() -> None:
    words = words_of("Nora Whitfield Inc")
    assert with_companies(words, [Place(0, 3, "person", 0.0)])
    assert with_companies(words, [Place(1, 3, "person", 0.0)])


@pytest.mark.parametrize(
    ("text", "first", "named"),
    [
        ("of 11 November 2024 Oakham Mills plc", 1, ("Oakham Mills plc", "organization")),
        ("by 7 Eleven", 1, ("7 Eleven", "organization")),
        ("told Ms\nRaman", 2, ("Raman", "person")),
        ("is Ms Jo Okafor, Operations", 2, ("Jo Okafor", "person")),
        ("made by Mr. Cooper Group", 4, ("Cooper Group", "organization")),
    ],
)
def test_dates_and_titles_before_what_was_taken_for_a_firm(
    text: str, first: int, named: tuple[str, str]
) -> None:
    words = words_of(text)
    (texts,) = completed(words, [Place(first, len(words.texts), "organization", -0.1)])
    assert (text[words.starts[texts.first] : words.ends[texts.after - 1]], texts.kind) == named


@pytest.mark.parametrize(
    ("text", "kept"),
    [("Maine Limited Liability Company Act", []), ("Maine Limited Company acts", [2])],
)
def test_the_beginning_of_the_title_of_a_law_is_no_firm(text: str, kept: list[int]) -> None:
    result = completed(words_of(text), [Place(0, 2, "organization", -0.1)])
    assert [place.after for place in result] == kept
