"""Evidence for an answer: relevance, and terms that no passage contains."""

from __future__ import annotations

import dataclasses
import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import UsageError
from casetrack.base.records.reading import Part
from casetrack.base.records.search import NO_ANSWER, Signal
from casetrack.search.asked_words import asked_words, synonyms_of
from casetrack.search.evidence import Nearness, evidence_of, fits_of, judged, missing_from
from casetrack.search.question.read import read
from casetrack.search.question.vocabularies import shipped
from casetrack.search.question.words import stems_of
from casetrack.search.ranking import Ranked
from casetrack.store.index.scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.search.evidence import Read
    from casetrack.store.index.scope import Scope

PAGES = {
    "lease.txt": "Mr Norbert Hallowell pays the rent of the mill at Ferncombe monthly. "
    "Hallowell owes interest of 4 % on late rent under clause 12.",
    "invoice.txt": "Invoice HCS-20417 of 3 May 2019 for repairs to the roof of the mill: "
    "1,250,000. No liquidated damages are deducted.",
    "minutes.txt": "The board of Ferncombe approved the budget for 2018 and thanked Hallowell.",
    "letter.txt": "Dear tenant, please settle invoice HCS-20418 for the liquidated damages. "
    "They are due at once.",
}


@pytest.fixture(scope="module")
def collection(stored: Callable[..., Collection]) -> Collection:
    return stored(PAGES)


@pytest.mark.sampled(22)
@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("What was billed on HCS-20417?", ()),
        ("What was billed on HCS-99999?", ("HCS-99999",)),
        ("What was billed on HCS-99999 and HCS-88888?", ("HCS-99999", "HCS-88888")),
        ("What did Norbert Hallowell pay?", ()),
        ("What did Hallowell's tenant pay?", ()),
        ("What did Norbert Quillfeather pay?", ("Norbert Quillfeather",)),
        ("Does the lease mention the GDPR?", ("GDPR",)),
        ("What did Norbert Halowell pay?", ("Halowell", "Hallowell")),
        ("who owns the mill at ferncmbe", ("ferncmbe", "Ferncombe")),
        ("Which budget was approved for 2018?", ()),
        ("Which budget was approved for FY2018?", ()),
        ("Which budget was approved for 2011?", ("2011",)),
        ("Was 1.25 million paid for the roof?", ()),
        ("Was 7,654,321 paid for the roof?", ("7,654,321",)),
        ('Who wrote "repairs to the roof"?', ()),
        ('Who wrote "approved the asbestos"?', ("approved the asbestos",)),
        ("What does clause 31.2 of the lease say?", ("clause 31.2",)),
        ("What does clause 12 of the lease say?", ()),
        ("Does the mill stand in Kent or Ferncombe?", ()),  # one of them is enough
        ("Does the mill stand in Kent or Surrey?", ("Kent", "Surrey")),
        ("Does the mill stand in Kent, Surrey or somewhere else?", ()),
        ("Subrogating Hallowell pays what?", ()),  # a first word has its capital anyway
        ("Subrogation and estoppel?", ()),  # ordinary words have other words next to them
        ("What Is The Governing Subrogation Clause", ()),  # capitals of a heading
        ("Wer haftet für die Gewährleistung der Mühle?", ()),  # German nouns are no names
        ("Wogegen protestieren manche Leute?", ()),
    ],
)
def test_what_no_passage_contains_is_reported(
    collection: Collection, question: str, message: tuple[str, ...]
) -> None:
    notes = collection.search(question, mode="keyword").notes
    quoted = [word for note in notes for word in re.findall(r"(?<!\w)'([^']+)'", note)]
    assert quoted == list(message)


@pytest.mark.parametrize("question", ["What was billed on HCS-99999?", "the mill at ferncmbe"])
def test_a_note_on_what_no_passage_contains(
    collection: Collection, question: str, messages: Callable[..., None]
) -> None:
    messages("\n".join(collection.search(question, mode="keyword").notes))


def test_a_number_that_is_the_name_of_a_document_found_is_there(
    stored: Callable[..., Collection],
) -> None:
    texts = {"HAR000031.txt": "The straps of the crate were loose.", "b.txt": "No crate is here."}
    search = partial(stored(texts).search, mode="keyword")
    result = search("Which crate is in HAR000031?")
    assert (result[0].provenance.document_name, result.notes) == ("HAR000031.txt", ())
    assert "HAR000032" in search("Which crate is in HAR000032?").notes[0]


@pytest.fixture(scope="module")
def numbered(stored: Callable[..., Collection]) -> Collection:
    texts = {
        "a.txt": "Amendment No. 1 changes the rent of both parties on 3 May.",
        "b.txt": "Chambers 1 and 2 are cold, and Chamber 3 is not. May 3, 4.",
        "c.txt": "Exhibit 1 shows the door, Exhibit 2 the roof of the parties.",
    }
    return stored(texts)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does Amendment No. 1 change?", None),
        ("What does Amendment No. 3 change?", "Amendment No. 3"),  # only Amendment No. 1 is there
        ("what is in exhibit 2?", None),
        ("what is in exhibit 4?", "exhibit 4"),
        ("How cold was it in Chamber 2?", None),  # one of "Chambers 1 and 2"
        ("How cold was it in Chamber 9?", "Chamber 9"),
        ("What was agreed on May 4?", None),  # a day is no thing with a number
        ("What do Parties 7 owe?", None),  # nothing is called a party by its number
        ("How many of the first 9 were lost?", None),
        ("Was Chamber 2.5 cold?", "Chamber 2.5"),
    ],
)
def test_numbered_things_of_which_there_are_only_others(
    numbered: Collection, question: str, text: str | None
) -> None:
    scope = scope_of(numbered.workspace.state().index)
    lost = [m.text for m in missing_from(scope, read(question)) if m.is_exact]
    assert lost == ([] if text is None else [text])


@pytest.mark.parametrize(
    ("question", "is_name"),
    [
        ("Does the lease mention the GDPR?", False),
        ("Which tenants are the OPMLs?", False),
        ("Which lease has the UreH?", False),
        ("What did Norbert Quillfeather pay?", True),
    ],
)
def test_an_abbreviation_that_is_missing_is_reported_and_counts_as_no_name(
    collection: Collection, question: str, is_name: bool
) -> None:
    (lost,) = missing_from(scope_of(collection.workspace.state().index), read(question))
    assert lost.is_name == is_name


@pytest.mark.parametrize(
    ("text", "question", "least"),
    [
        ("Der alpine Gletscher taut.", "Was passiert mit alpinen Gletschern?", 0.5),
        ("El contrato termina en mayo.", "¿Cuándo terminan los contratos?", 0.7),
        ("The lease forbids dogs.", "Are dogs forbidden?", 0.8),
        ("The contractor was late.", "What was contracted?", 0.8),
        ("The contractor was late. The contract ended.", "What was contracted?", 1.0),
        ("杜瓦制造了足够的液氧。", "杜瓦的液氧？", 1.0),
    ],
)
def test_words_count_in_other_forms_and_pairs_of_signs_only_within_words(
    stored: Callable[..., Collection], text: str, question: str, least: float
) -> None:
    index = stored({"a.txt": text, "b.txt": "nothing"}).workspace.state().index
    assert asked_words(read(question), scope_of(index)).coverage([(0, 0)])[0] >= least


def test_a_value_needs_more_evidence_than_words_of_its_subject(collection: Collection) -> None:
    question, scope = "What does the tenant pay?", scope_of(collection.workspace.state().index)
    hit = Ranked((0, 0), 1.0, {"semantic": Signal(0.2, 1, 0.2)})
    near = [Nearness(0.4, 0.3)]
    asked = partial(judged, asked_words(read(question), scope), [hit], near, [], texts_of(scope))
    verdicts = [asked(profile="mini", asks_value=asks) for asks in (True, False)]
    assert [evidence_of(verdict.relevance) for verdict in verdicts] == ["none", "weak"]
    assert [evidence_of(verdict.results[0]) for verdict in verdicts] == ["none", "weak"]


def test_everyday_words_count_for_those_of_documents(collection: Collection) -> None:
    index = collection.workspace.state().index
    place = list(index.places([c.chunk_id for c in collection.read.chunks("minutes.txt")]).values())

    def covered(question: str) -> float:
        return float(asked_words(read(question), scope_of(index)).coverage(place)[0])

    # Permission is another word for approval, a prohibition is none.
    assert covered("Which budget was approved?") == pytest.approx(1.0)
    assert covered("Which budget was consented?") > covered("Which budget was prohibited?")
    assert covered("Which budget was consented?") < 1.0


@pytest.mark.parametrize(
    ("word", "other", "answers"),
    [
        ("lawyer", "counsel", True),
        ("lawyers", "attorneys", True),
        ("photograph", "image", True),
        ("photograph", "video", False),
        ("helpdesk", "help desk", True),
        ("subrogation", "counsel", False),
    ],
)
def test_synonyms_answer_for_each_other(word: str, other: str, answers: bool) -> None:
    (term,) = stems_of(word)
    assert (stems_of(other) in synonyms_of(term)) == answers


def test_a_filter_says_what_its_documents_do_not_hold(collection: Collection) -> None:
    remote = collection.search("invoice HCS-20417", document="invoice.txt", mode="keyword")
    other = collection.search("invoice HCS-20417", document="letter.txt", mode="keyword")
    assert not any("HCS-20417" in note for note in remote.notes)
    assert any("'HCS-20417'" in note for note in other.notes)
    assert remote.relevance > other.relevance
    assert other.evidence == "none"


def test_what_is_there_is_more_relevant_than_what_is_not(collection: Collection) -> None:
    remote = collection.search("Who pays the rent of the mill?")
    absent = collection.search("Which vaccine was tested on mice?")
    assert remote.relevance > absent.relevance
    assert absent.evidence == "none"
    assert all(r.evidence == "none" for r in absent)


@pytest.mark.parametrize(("ending", "evidence"), [("?", "none"), (".", "weak")])
def test_a_statement_is_not_denied(collection: Collection, ending: str, evidence: str) -> None:
    text = "vaccines HCS-99999 were tested on mice by Norbert Quillfeather"
    assert collection.search(text + ending, mode="keyword").evidence == evidence


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("What is sepsis?", "weak"),
        ("Which vaccine?", "weak"),
        ("Which vaccine for mice?", "none"),
        ("What did Quillfeather pay?", "none"),  # a name is looked for to the letter
    ],
)
def test_one_word_is_too_little_to_deny(
    collection: Collection, question: str, evidence: str
) -> None:
    scope, reading = scope_of(collection.workspace.state().index), read(question)
    words, lost = asked_words(reading, scope), missing_from(scope, reading)
    verdict = judged(words, [Ranked((0, 0), 1.0, {})], [None], lost, texts_of(scope), profile=None)
    assert evidence_of(verdict.relevance) == evidence


def texts_of(scope: Scope) -> Read:
    return lambda places: [(scope.index.texts([place])[place], ()) for place in places]


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_the_verdict_does_not_depend_on_how_many_are_shown(
    collection: Collection, limit: int
) -> None:
    whole = collection.search("late rent of the mill", limit=100)
    part = collection.search("late rent of the mill", limit=limit)
    assert (part.relevance, part.evidence) == (whole.relevance, whole.evidence)
    assert [r.relevance for r in part] == [r.relevance for r in whole][: len(part)]
    assert all(r.relevance <= whole.relevance + 1e-9 for r in part)


def test_the_verdict_looks_at_every_result(stored: Callable[..., Collection]) -> None:
    pages = [f"The mill {n} has a switch." for n in range(6)]
    pages.append("Asbestos surveys of the Ferncombe mill are kept in the yard.")
    state = stored({"a.txt": pages}).workspace.state()
    words = asked_words(read("Who keeps asbestos surveys in Ferncombe?"), scope_of(state.index))
    hits = [Ranked((0, row), 1.0, {}) for row in range(7)]
    texts = texts_of(words.scope)
    relevance = [
        judged(words, hits[:n], [None] * n, [], texts, profile=None).relevance for n in (6, 7)
    ]
    assert relevance[0] < 0.2 < relevance[1]


@pytest.mark.parametrize(
    ("question", "left_out"),
    [
        ("Determine the rent of the mill in USD millions", {"determin", "usd", "million"}),
        ("List the liquidated damages.", {"list"}),
        ("Calculate the budget, please", {"calcul"}),
        ("Who has a list of the rents?", set()),
    ],
)
def test_instructions_and_units_have_no_weight(
    collection: Collection, question: str, left_out: set[str]
) -> None:
    weights = asked_words(read(question), scope_of(collection.workspace.state().index)).weights
    assert left_out.isdisjoint(weights)
    assert ("list" in weights) == (not left_out)


def test_another_name_counts_for_a_word_however_many_names_there_are(
    stored: Callable[..., Collection],
) -> None:
    text = "Purchases of property, plant and equipment were CHF 300."
    index = stored({"flow.txt": text}).workspace.state().index
    reading = read("capex", vocabularies=shipped({}, lambda _: 1.0))
    assert min(e.weight for e in reading.expansions) < 0.5
    assert asked_words(reading, scope_of(index)).coverage([(0, 0)])[0] >= 0.5


def test_nothing_is_hidden_unless_asked_for(collection: Collection) -> None:
    whole = collection.search("late rent of the mill")
    least = sorted(r.relevance for r in whole)[len(whole) // 2]
    some = collection.search("late rent of the mill", min_relevance=least)
    assert [r.chunk_id for r in some] == [r.chunk_id for r in whole if r.relevance >= least]
    (note,) = set(some.notes) - set(whole.notes)
    assert str(len(whole) - len(some)) in note
    assert f"{least:g}" in note
    assert (some.relevance, some.evidence) == (whole.relevance, whole.evidence)


@pytest.mark.parametrize("least", [-0.1, 1.1, "0.5", True])
def test_a_least_relevance_is_from_0_to_1(collection: Collection, least: object) -> None:
    with pytest.raises(UsageError, match=re.escape(repr(least))):
        collection.search("rent", min_relevance=least)  # type: ignore[arg-type]


def test_an_empty_collection_has_no_evidence(library: Library) -> None:
    answer = library.create("Empty").search("rent")
    assert (answer.relevance, answer.evidence, len(answer)) == (0.0, "none", 0)


def test_json_and_tables_say_it(collection: Collection) -> None:
    answer = collection.search("late rent of the mill")
    raw = answer.as_dict()
    assert 0 < raw["relevance"] <= 1
    assert raw["evidence"] in {"strong", "weak", "none"}
    assert all({"relevance", "evidence"} <= result.keys() for result in raw["results"])
    assert {"relevance", "evidence"} <= set(answer.to_arrow().column_names)
    absent = collection.search("Which vaccine was tested on mice?")
    for each in (answer, absent):
        assert all(one.evidence == evidence_of(one.relevance) for one in (each, *each))
    for shown in (repr(absent), absent._repr_html_()):
        assert (NO_ANSWER in shown) == bool(absent.results)


def test_words_that_only_ask_do_not_count(collection: Collection) -> None:
    scope = scope_of(collection.workspace.state().index)
    assert set(asked_words(read("How much rent was there?"), scope).weights) == {"rent"}
    assert asked_words(read("much more"), scope).weights  # No other is left.


def test_instructions_that_were_left_out_do_not_count(collection: Collection) -> None:
    scope = scope_of(collection.workspace.state().index)
    reading = read("What is the rent of the mill?")
    start = reading.query.index("of the mill")
    part = Part(reading.query[start:], start, len(reading.query))
    gone = dataclasses.replace(reading, dropped=(part,))
    assert "mill" in asked_words(reading, scope).weights
    assert "mill" not in asked_words(gone, scope).weights
    assert missing_from(scope, gone) == []


PROFILES = (None, "mini", "multilingual", "somebody-elses")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_more_of_anything_is_never_less_relevant(profile: str | None, language: str) -> None:
    assert all(weight >= 0 for fit in fits_of(profile, language) for weight in fit.weights)
