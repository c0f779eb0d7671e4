"""Names of things in programs: whole and in their parts; words of people stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.ingest.steps.terms import searchable_terms
from casetrack.ingest.steps.words import (
    identifier_terms,
    identifiers,
    index_terms,
    terms_of_question,
)
from casetrack.search.question.read import read


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserById", ["getuserbyid", "get", "user", "id"]),
        ("getHTTPResponse", ["gethttprespons", "get", "http", "respons"]),
        ("max_retries", ["maxretri"]),
        ("self._max_retries_left", ["maxretriesleft"]),
        ("maxRetries = 3", ["maxretri", "max", "retri"]),
        ("parseHtml5Page", ["parsehtml5pag", "pars", "html5", "page"]),
        (":class:`.JSONProvider`", ["jsonprovid", "json", "provid"]),
        ("JSONProvider()", ["jsonprovid", "json", "provid"]),
        ("FileCache::open", ["filecach", "file", "cach"]),
    ],
)
def test_identifiers_count_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert identifier_terms(text) == terms


@pytest.mark.parametrize(
    "prose",
    [
        "McDonald",
        "MacArthur and FitzGerald",
        "iPhone, iOS, eBay, macOS, pH, kWh, mRNA, microRNAs",
        "YouTube, GitHub, PowerPoint (2019), LaTeX, GmbH, PayPal.",
        "HCS-4432",
        "AC_2024_017",
        "Offer_Miller_2021.pdf",
        "www.YouTube.com",
        "Sign here: ____________",
        "U.S. and R&D and 1,250,000.00 of CHF",
        "ПриватБанк und DüsselDorf",
    ],
)
def test_words_of_people_stay_as_they_are(prose: str) -> None:
    assert identifiers(prose) == []
    assert terms_of_question(prose) == index_terms(prose)


@pytest.mark.slow
@given(st.text())
def test_any_text_has_its_words_and_more(text: str) -> None:
    for code in (False, True):
        result = identifier_terms(text, code=code)
        assert len(result) == len(set(result))
    assert terms_of_question(text)[: len(index_terms(text))] == index_terms(text)
    assert set(identifier_terms(text)) <= set(identifier_terms(text, code=True))


def row(name: str, text: str, path: list[str] | None = None) -> dict[str, object]:
    return {
        "document_name": name,
        "document_title": None,
        "heading_path": path or [],
        "sheet_name": None,
        "page_header": None,
        "table_header": None,
        "text": text,
    }


def test_a_passage_is_found_by_the_parts_of_its_names() -> None:
    source = "class FileCache:\n    maxCount = 1\n\n    def get(it): FileCache, maxCount, maxCount"
    terms, counts = searchable_terms(row("a.py", source))
    result = dict(zip(terms, counts, strict=True))
    assert (result["filecach"], result["file"], result["cach"]) == (2, 1, 1)
    assert (result["maxcount"], result["max"], result["count"]) == (3, 1, 1)
    prose, _ = searchable_terms(row("a.txt", "FileCache"))
    assert prose == ["filecach"]


def test_a_passage_is_found_by_what_encloses_it() -> None:
    terms, _ = searchable_terms(row("a.py", "return 1", ["FileCache", "openAll"]))
    assert {"filecach", "file", "cach", "openal", "open"} <= set(terms)


def test_a_question_is_read_as_the_index_was() -> None:
    assert read("Why is maxRetries ignored?").terms == {
        "whi": 1.0,
        "maxretri": 1.0,
        "ignor": 1.0,
        "max": 1.0,
        "retri": 1.0,
    }
    plain = read("YouTube of McDonald")
    assert plain.terms == {"youtub": 1.0, "mcdonald": 1.0}
    of_code = read("FileCache of McDonald", code=True)
    assert of_code.terms == {"filecach": 1.0, "mcdonald": 1.0, "file": 0.6, "cach": 0.6}
