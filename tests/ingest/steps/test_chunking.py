"""Chunks tile their page: property tests over any text, and tables of cases."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import PipelineError
from casetrack.extract.language import sentence_ends
from casetrack.ingest.steps.chunk import chunk_page
from casetrack.ingest.steps.chunking import ChunkRules, cut
from casetrack.parse.workers.messages import page_schema
from conftest import page_row

RULES = ChunkRules()
DOCUMENT = str(uuid.UUID(int=1))

words = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=30
)
lines = st.lists(words, min_size=1, max_size=12).map(" ".join)
paragraphs = st.lists(lines, min_size=1, max_size=8).map("\n".join)
page_texts = st.lists(paragraphs, min_size=1, max_size=30).map("\n\n".join)


def page(text: str, **more: Any) -> dict[str, Any]:
    """Return a row of ``pages`` with lines and paragraphs as a reader finds them."""
    row = page_row(text)
    for line in row["lines"]:
        line["confidence"] = None
    for paragraph in row["paragraphs"]:
        paragraph["header"] = None
    facts = {"document_id": DOCUMENT, "document_name": "file.txt", "page_kind": "page"}
    return dict.fromkeys(page_schema().names) | row | facts | {"language": "en"} | more


@settings(max_examples=50, deadline=None)
@given(page_texts)
def test_chunks_are_exact_and_tile_the_page(text: str) -> None:
    row = page(text)
    chunks = list(chunk_page(row, RULES))
    assert chunks[0]["char_start"] == 0
    assert chunks[-1]["char_end"] == len(text)
    for chunk in chunks:
        assert text[chunk["char_start"] : chunk["char_end"]] == chunk["text"]
        assert chunk["char_count"] == len(chunk["text"]) <= RULES.max_chars
    rebuilt = ""
    for before, after in itertools.pairwise(chunks):
        assert before["char_start"] < after["char_start"] <= before["char_end"] < after["char_end"]
    for chunk in chunks:
        rebuilt = rebuilt[: chunk["char_start"]] + chunk["text"]
    assert rebuilt == text


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(page_texts)
def test_small_chunks_only_where_the_page_is_small(text: str) -> None:
    spans = cut(text, [p["end"] for p in page(text)["paragraphs"]], RULES)
    if len(text) >= RULES.min_chars:
        assert all(end - start >= RULES.min_chars for start, end in spans)
    else:
        assert spans == [(0, len(text))]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(page_texts)
def test_words_are_not_parted(text: str) -> None:
    for start, end in cut(text, [], RULES):
        if start > 0:
            assert text[start - 1].isspace()
        if end < len(text):
            assert text[end].isspace()


@settings(max_examples=30, deadline=None)
@given(page_texts)
def test_numbers_of_lines_and_paragraphs_are_those_touched(text: str) -> None:
    row = page(text)
    for chunk in chunk_page(row, RULES):
        for name in ("line", "paragraph"):
            touched = [
                s["number"]
                for s in row[f"{name}s"]
                if s["start"] < chunk["char_end"] and s["end"] > chunk["char_start"]
            ]
            assert (chunk[f"{name}_start"], chunk[f"{name}_end"]) == (touched[0], touched[-1])


def test_cuts_prefer_paragraphs_then_sentences_then_words() -> None:
    sentence = "The supplier shall deliver the goods in good order and on time. "
    paragraph = (sentence * 11).strip()  # 703 characters
    text = "\n\n".join([paragraph] * 6)
    breaks = [(len(paragraph) + 2) * i + len(paragraph) for i in range(6)]
    assert all(end in breaks for _, end in cut(text, breaks, RULES))

    long_paragraph = (sentence * 90).strip()
    ends = [end for _, end in cut(long_paragraph, [len(long_paragraph)], RULES)]
    assert len(ends) >= 3
    assert all(long_paragraph[end - 1] == "." for end in ends)

    only_words = ("word " * 1200).strip()
    assert all(only_words[:end].endswith("word") for _, end in cut(only_words, [], RULES))


def test_overlap_is_about_two_hundred_characters() -> None:
    text = " ".join(f"token{i:05d}" for i in range(1500))
    spans = cut(text, [], RULES)
    overlaps = [before[1] - after[0] for before, after in itertools.pairwise(spans)]
    assert all(180 <= overlap <= 200 for overlap in overlaps)


def test_a_word_longer_than_a_chunk_is_cut_but_whole() -> None:
    text = "a" * 9000
    spans = cut(text, [], RULES)
    assert spans[0][0] == 0
    assert spans[-1][1] == 9000
    assert all(end - start <= RULES.max_chars for start, end in spans)


def test_the_tail_of_a_page_is_kept() -> None:
    text = ("word " * 430).strip() + " tail"  # a little over one chunk
    spans = cut(text, [], RULES)
    assert text[slice(*spans[-1])].endswith("tail")
    assert cut("short", [], RULES) == [(0, 5)]
    assert cut("", [], RULES) == []


def test_heading_path_follows_the_headings() -> None:
    text = "1 Terms\n\nBody one.\n\n1.1 Payment\n\n" + ("Pay in time. " * 200).strip()
    row = page(text, heading_path=["Agreement"])
    for paragraph, level in ((0, 2), (2, 3)):
        row["paragraphs"][paragraph] |= {"kind": "heading", "level": level}
    chunks = list(chunk_page(row, RULES))
    assert chunks[0]["heading_path"] == ["Agreement", "1 Terms"]
    assert chunks[-1]["heading_path"] == ["Agreement", "1 Terms", "1.1 Payment"]


ROWS = "\n".join(f"Item {n} | {n},000 | {n},500" for n in range(1, 150))


@pytest.mark.parametrize(
    ("first", "more", "paths"),
    [
        # The title of a statement stays over its parts, which have headings as large as it.
        (
            "heading",
            "heading",
            (["Report", "Statement of Things"], ["Report", "Statement of Things", "Liabilities"]),
        ),
        # A heading that prose follows is over where the next one begins.
        ("heading", "prose", (["Report", "Statement of Things"], ["Report", "Liabilities"])),
        # Without a title the heading of the page before goes on.
        ("body", "heading", (["Report", "Old Heading"], ["Report", "Liabilities"])),
    ],
)
def test_the_title_of_a_table_holds_on_all_of_its_page(
    first: str, more: str, paths: tuple[list[str], list[str]]
) -> None:
    rows = "Goods came and went. " * 200 if more == "prose" else ROWS
    text = f"ANY FIRM\n\nStatement of Things\n\n{rows.strip()}\n\nLiabilities\n\n{ROWS}"
    row = page(text, heading_path=["Report", "Old Heading"])
    row["paragraphs"][1] |= {"kind": first, "level": 2 if first == "heading" else None}
    row["paragraphs"][2] |= {"kind": "body" if more == "prose" else "table"}
    row["paragraphs"][3] |= {"kind": "heading", "level": 2}
    row["paragraphs"][4] |= {"kind": "table"}
    chunks = list(chunk_page(row, RULES))
    assert (chunks[0]["heading_path"], chunks[-1]["heading_path"]) == paths


def test_ids_stay_while_text_and_place_stay() -> None:
    text = "\n\n".join(f"Paragraph {i}. " + "Words stand here. " * 40 for i in range(12)).strip()
    first, again, changed = (
        [c["chunk_id"] for c in chunk_page(page(text + more), RULES)]
        for more in ("", "", " One more word.")
    )
    assert first == again
    assert len(set(first)) == len(first)
    assert changed[:-1] == first[:-1]
    assert changed[-1] != first[-1]


def test_sheet_rows_and_columns_come_from_the_lines() -> None:
    row = page("Item: A | Price: 1\nItem: B | Price: 2", sheet_name="Prices")
    for number, line in enumerate(row["lines"], start=7):
        line |= {"row": number, "column_start": 2, "column_end": 3 + number % 2}
    chunk = next(chunk_page(row, RULES))
    cells = {k: chunk[k] for k in ("row_start", "row_end", "column_start", "column_end")}
    assert cells == {"row_start": 7, "row_end": 8, "column_start": 2, "column_end": 4}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ended. Then it began.", ["It ended.", "Then it began."]),
        ("Mr. Smith paid. He left.", ["Mr. Smith paid.", "He left."]),
        ("See Section 8. 2 applies.", ["See Section 8. 2 applies."]),
        ("The U.S. Code says so. Yes.", ["The U.S. Code says so.", "Yes."]),
        ('He said "Stop!" Then he left.', ['He said "Stop!"', "Then he left."]),
        ("Is it so? It is.", ["Is it so?", "It is."]),
        ("J. Whitlock signed. No.", ["J. Whitlock signed.", "No."]),
        ("In 56 Fed. Reg. 46191 of May.", ["In 56 Fed. Reg. 46191 of May."]),
        ("Of Cal. Civ. Code § 2. A", ["Of Cal. Civ. Code § 2. A"]),
        ("He met Mr. Lee. It ended.", ["He met Mr. Lee.", "It ended."]),
        ("他说了。然后走了。", ["他说了。", "然后走了。"]),
    ],
)
def test_sentence_ends(text: str, expected: list[str]) -> None:
    ends = [0, *sentence_ends(text, 0, len(text)), len(text)]
    parts = [text[a:b].strip() for a, b in itertools.pairwise(ends)]
    assert [p for p in parts if p] == expected


@pytest.mark.parametrize(
    "sizes",
    [{"overlap_chars": 0}, {"overlap_chars": 500}, {"target_chars": 2300}, {"min_chars": 1500}],
)
def test_sizes_that_do_not_fit_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(PipelineError):
        ChunkRules(**sizes)


def of_code(*functions: tuple[str, int]) -> dict[str, Any]:
    """Return a page of source code: functions, each with its path and the number of its lines."""
    blocks = [
        f"def {path.split(' > ')[-1]}():\n"
        + "\n".join(f"    step_{n:04d} = {n}" for n in range(size))
        for path, size in functions
    ]
    row = page("\n\n".join(blocks))
    for paragraph, (path, _) in zip(row["paragraphs"], functions, strict=True):
        paragraph |= {"kind": "code", "header": path}
    return row


def test_source_code_is_cut_where_definitions_end() -> None:
    row = of_code(
        ("Tree > grow", 40), ("Tree > rest", 40), ("fell", 20), ("fell", 30), ("sell", 20)
    )
    row["paragraphs"][0] |= {"symbols": ["Tree", "Tree.grow"]}
    starts = {p["start"] for p in row["paragraphs"]} - {row["paragraphs"][3]["start"]}
    chunks = list(chunk_page(row, RULES))
    assert [chunk["char_start"] in starts for chunk in chunks] == [True, True]
    assert chunks[0]["char_end"] == chunks[1]["char_start"]
    assert [chunk["symbols"] for chunk in chunks] == [["Tree", "Tree.grow"], None]
    assert [c["heading_path"] for c in chunks] == [["Tree"], []]


def test_a_long_function_is_cut_between_lines_and_says_its_name() -> None:
    row = of_code(("Tree > grow", 300))
    chunks = list(chunk_page(row, RULES))
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk["heading_path"] == ["Tree", "grow"]
        assert chunk["text"].split("\n")[0].startswith(("def", "step"))
        assert row["text"][chunk["char_end"] :][:1] in {"", "\n"}
        assert len(chunk["text"]) <= RULES.max_chars


code_lines = st.lists(
    st.text(st.sampled_from("abc_ (){}=\t."), min_size=1, max_size=300), max_size=60
)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["", "A", "A > b", "A > c", "D"]), code_lines), max_size=12)
)
def test_source_code_tiles_its_page(parts: list[tuple[str, list[str]]]) -> None:
    blocks = ["\n".join(f"x{line}x" for line in block) for _, block in parts if block]
    if not blocks:
        return
    row = page("\n\n".join(blocks))
    paths = [path for path, block in parts if block]
    for paragraph, path in zip(row["paragraphs"], paths, strict=True):
        paragraph |= {"kind": "code", "header": path or None}
    rebuilt, before = "", -1
    for chunk in chunk_page(row, RULES):
        start, end = chunk["char_start"], chunk["char_end"]
        assert before < start <= len(rebuilt)
        assert row["text"][start:end] == chunk["text"]
        assert len(chunk["text"]) <= RULES.max_chars
        rebuilt, before = rebuilt[:start] + chunk["text"], start
    assert rebuilt == row["text"]


@pytest.mark.parametrize(
    ("title", "heading"),
    [("Terms\n=====", "Terms"), ("# Terms", "# Terms"), ("Terms ...", "Terms"), ("-----", "-----")],
)
def test_a_heading_is_shown_without_what_underlines_it(title: str, heading: str) -> None:
    row = page(f"{title}\n\nPay in time.")
    row["paragraphs"][0] |= {"kind": "heading", "level": 1}
    assert [c["heading_path"] for c in chunk_page(row, RULES)] == [[heading]]
