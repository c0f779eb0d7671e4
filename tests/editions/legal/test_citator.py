"""Citing documents of an authority: signal, treatment, sentence, exact place; and in SQL."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import AuthorityNotCited, AuthorityUnclear, UsageError
from casetrack.editions.legal.citator import citator
from casetrack.graph.opened import graph_of
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

HERE = Path(__file__).with_name("citing")
TEXTS = {path.name: path.read_text("utf-8") for path in sorted(HERE.glob("*.txt"))}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory, store_text: Callable[..., Any]) -> Collection:
    made = Library(load_settings(tmp_path_factory.mktemp("citator") / "data")).create("Roe")
    with write_session(made.folder) as session:
        for name, text in TEXTS.items():
            store_text(session, name, text)
    made.workspace.catch_up()
    return made


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "asked", ["Daubert", "daubert v merrell dow", "509 US 579", "case:509-us-579"]
)
def test_every_place_has_its_signal_and_its_source(case: Collection, asked: str) -> None:
    result = citator(case, asked)
    assert result.authority_id == "case:509-us-579"
    assert (result.total, result.document_count) == (3, 2)
    messages = [(p.quote.provenance.document_name, p.signal, p.form, p.pin) for p in result.places]
    assert messages == [
        ("opposition.txt", "but see", "full", None),
        ("brief.txt", "see", "full", "593-94"),
        ("brief.txt", "", "short", "594"),
    ]
    for place, words in zip(result.places, ("Shaky", "The method", "flexible"), strict=True):
        assert words in place.sentence
    for place in result.places:
        text = TEXTS[place.quote.provenance.document_name]
        assert text[place.quote.char_start : place.quote.char_end] == place.quote.text
    assert result.signals == {"but see": 1, "see": 1}
    assert result.notes


def test_what_overrules_comes_first(case: Collection) -> None:
    result = citator(case, "410 F.3d 12")
    assert [(p.treatment, p.weight) for p in result.places] == [("overruled by", 2)]
    assert result.treatments == {"overruled by": 1}


def test_a_part_of_a_law_cites_the_law(case: Collection) -> None:
    assert citator(case, "42 usc ss 1983").places[0].quote.text == "42 U.S.C. \u00a7 1983(a)"
    assert citator(case, "Dkt. 12").places[0].pin == "3"


def test_two_decisions_of_one_name_are_not_mixed_up(case: Collection) -> None:
    with pytest.raises(AuthorityUnclear) as caught:
        citator(case, "Smith v. Jones")
    for messages in ("Smith v. Jones", "case:410-f3d-12", "case:smith-v-jones"):
        assert messages in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("asked", ["Marbury v. Madison", "1 U.S. 1", "lunch"])
def test_what_nobody_cites_is_said(case: Collection, asked: str) -> None:
    with pytest.raises(AuthorityNotCited, match=asked) as caught:
        citator(case, asked)
    assert '"Roe"' in caught.value.message


def test_bad_input_is_refused(case: Collection) -> None:
    for asked, limit in ((" ", 1), ("Daubert", 0)):
        with pytest.raises(UsageError):
            citator(case, asked, limit=limit)
    assert len(citator(case, "Daubert", limit=1).places) == 1


def test_views_say_the_same_in_sql(case: Collection) -> None:
    def rows(statement: str) -> list[dict[str, Any]]:
        return case.sql(statement).to_pylist()

    authorities = {r["authority_id"]: r for r in rows("SELECT * FROM authorities")}
    assert authorities["case:509-us-579"]["citation_count"] == 3
    assert authorities["case:509-us-579"]["year"] == 1993
    assert authorities["case:410-f3d-12"]["treatments"] == ["overruled by"]
    assert not any(key.startswith("record:") for key in authorities)
    (negative,) = rows("SELECT document_name FROM authority_cites WHERE signal = 'but see'")
    assert negative["document_name"] == "opposition.txt"
    record = rows("SELECT record_id, pin, document_name FROM record_cites ORDER BY char_start")
    assert [(r["record_id"], r["pin"]) for r in record] == [
        ("record:dkt-12", "3"),
        ("record:dep-jones", "24:11-20"),
    ]
    (quoted,) = rows("SELECT quotation, authority_id, pin FROM quotations WHERE confidence > .5")
    assert (quoted["authority_id"], quoted["pin"]) == ("case:509-us-579", "594")
    assert quoted["quotation"] == "the inquiry is a flexible one."
    for view in ("authority_cites", "record_cites", "quotations"):
        for row in rows(
            f"SELECT v.*, c.text AS whole FROM {view} v JOIN chunks c USING (chunk_id)"
        ):
            assert row["whole"][row["char_start"] : row["char_end"]] == row["text"]


@settings(
    max_examples=5,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(sorted(TEXTS)), st.sampled_from(["add", "ask", "replace"])),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_caught_up_equals_a_fresh_one(
    tmp_path_factory: pytest.TempPathFactory,
    store_text: Callable[..., Any],
    steps: list[tuple[str, str]],
) -> None:
    home = tmp_path_factory.mktemp("delta")
    made = Library(load_settings(home / "data")).create("Delta")
    known: dict[str, Any] = {}
    for name, what in steps:
        if what == "ask":
            _tables(made)
            continue
        with write_session(made.folder) as session:
            text = TEXTS[name] if what == "add" else TEXTS[name].replace(". ", ".  ", 1)
            replaced = known.get(name)
            facts = {"document_id": replaced.document_id} if replaced else {}
            known[name] = store_text(
                session, name, text, replaces=replaced and replaced.revision, **facts
            )
    caught_up = _tables(made)
    shutil.rmtree(made.folder / "views", ignore_errors=True)
    anew = Library(load_settings(home / "data")).get("Delta")
    assert _tables(anew) == caught_up


def _tables(case: Collection) -> list[list[dict[str, Any]]]:
    graph = graph_of(case.workspace.state())
    views = ("authorities", "authority_cites", "record_cites", "quotations")
    return [graph.table(view).to_pylist() for view in views]  # type: ignore[arg-type]
