"""Sentences of a report, its omissions and the missing files."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from api.viewer.reports import check_report, handmade, text_of
from casetrack.api.viewer.report import Report, report_page
from casetrack.api.viewer.report.proof import Amounts, Sum
from graph_records import quote


@pytest.mark.slow
def test_long_lists_say_how_much_more_there_is(messages: Any) -> None:
    tree = check_report(report_page(handmade(150)))
    messages("\n".join(re.findall(r"and [\d,]+ more [^.]*\. See [^.]*\.", text_of(tree))))
    assert "archived" in text_of(tree)


def brief_of(report: Report) -> str:
    """Return the sentences at the top, in one line."""
    tree = check_report(report_page(report))
    return " ".join("".join(tree.within("div.brief")).split())


def test_a_sentence_that_ends_with_an_abbreviation_has_one_full_stop() -> None:
    text = brief_of(handmade(3, "Oakham Mills, Inc."))
    assert "Inc." in text
    assert ".." not in text


def test_the_largest_sums_are_named_with_their_currency() -> None:
    def of(unit: str | None, *values: float) -> Amounts:
        sums = tuple(Sum(value, None, 1, 1, quote(int(value))) for value in values)
        return Amounts(unit, 9, sums)

    dollars, known, bare = of("dollar", 2e6, 1e3), of("USD", 7e6), of(None, 9e9)
    text = brief_of(replace(handmade(2), amounts=(dollars, known, of("pence", 5), of("GBP"), bare)))
    assert {"2,000,000", "7,000,000"} <= {*re.findall(r"[\d,]+\d", text)}
    assert "9,000,000,000" not in text


@pytest.mark.parametrize(("role", "is_shown"), [("chair", True), ("copied in", False)])
def test_a_part_in_a_mail_is_no_title(role: str, is_shown: bool) -> None:
    report = handmade(1)
    (actor,) = report.actors
    acted = replace(actor, entity=replace(actor.entity, role=role))
    html = report_page(replace(report, actors=(acted,), graph=None))
    assert (role in html.casefold()) == is_shown
    assert (f"({role})" in brief_of(replace(report, actors=(acted,)))) == is_shown


def test_currencies_that_are_only_counted_are_named() -> None:
    one, two = (quote(n) for n in range(2))
    sums = (Sum(5.0, 7.5, 1, 1, one), Sum(2.0, None, 1, 1, two))
    listed = (Amounts("EUR", 2, sums), Amounts("USD", 4, ()), Amounts("dollar", 1, ()))
    html = report_page(replace(handmade(2), amounts=listed))
    text = text_of(check_report(html))
    assert "EUR 5 \u2013 7.50" in text
    rest = re.findall(r'<p class="more">(.*?)</p>', html)
    assert any(re.search(r"\b5\b.*\(.*, USD\)", words) for words in rest)


@pytest.mark.slow
def test_every_one_of_many_passages_is_quoted_with_its_citation() -> None:
    html = report_page(handmade(500))
    articles = re.findall(r'<article class="passage" id="(s\d+)".*?</article>', html, re.DOTALL)
    wanted = set(re.findall(r'href="#(s\d+)"', html))
    assert len(articles) == 500
    assert wanted == set(articles)
    assert html.count('<h3 class="cited">') == html.count("<blockquote") == 500
    assert len(html.encode()) < 4_000_000


def test_a_collection_of_failures_says_which_files_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from casetrack.faces.cli.main import main

    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "none"))
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "broken.pdf").write_bytes(bytes(range(256)) * 8)
    (folder / "empty.txt").touch()
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 90), "Nobody may read this.")
        pdf.save(
            folder / "locked <b>.pdf",
            encryption=pymupdf.PDF_ENCRYPT_AES_256,
            owner_pw="o",
            user_pw="u",
        )
    start = ["--data-dir", str(tmp_path / "home")]
    assert main([*start, "ingest", str(folder), "--create", "-c", "Failures"]) == 1
    assert main([*start, "report", "-c", "Failures", "-o", str(tmp_path / "r.html")]) == 0
    capsys.readouterr()
    text = text_of(check_report((tmp_path / "r.html").read_text(encoding="utf-8")))
    for words in ("broken.pdf", "locked <b>.pdf", "--password", "empty.txt"):
        assert words in text


def test_a_name_cannot_leave_the_style() -> None:
    name = 'x"; } </style><script>alert(1)</script>'
    style = "".join(check_report(report_page(handmade(1, name))).within("style."))
    written = re.findall(r'@bottom-left \{ content: "((?:\\[0-9a-f]{6})+)"; \}', style)
    decoded = "".join(chr(int(code, 16)) for code in written[0].split("\\")[1:])
    assert decoded.startswith(name)
