"""Reading of a question: its subject, synonyms, and script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.base.errors import UsageError
from casetrack.ingest.steps.words import index_terms
from casetrack.search.question.meaning import Meaning, meaning_of
from casetrack.search.question.read import OTHER_NAME, read
from casetrack.search.question.vocabularies import SHIPPED, own, read_vocabulary

if TYPE_CHECKING:
    from casetrack.search.question.vocabularies import Vocabulary

EVERY = [read_vocabulary(path) for path in SHIPPED]
TRADE = Path(__file__).with_name("trade_vocabulary.txt").read_text("utf-8")


@pytest.fixture
def trade(tmp_path: Path) -> Vocabulary:
    path = tmp_path / "ships.toml"
    path.write_text(TRADE, encoding="utf-8")
    return read_vocabulary(path)


WANTS = {
    "head person": """
Who signed the charter party? | Who are the parties to this contract?
""",
    "date": "When does the lease end?",
    "date head": "What is the date of the agreement?",
    "amount figure": "How much rent is due each month?",
    "count": "How many vessels were sold?",
    "place": "Where is the company's head office?",
    "definition": 'What does "Net Sales" mean?',
    "head": """
What is the title of the document? | Between which companies was this agreement made?
Effective date of the lease | What kind of contract is this?
Which firms entered into the agreement?
""",
    "": """
Is anything shared between the parties to the contract?
Can a third party enforce the agreement? | What are the hairs of a caterpillar called?
late delivery | Describe the duties of the agent.
""",
    "figure": "What was the operating margin?",
}


@pytest.mark.parametrize(
    ("question", "wants"),
    [(q, {*w.split()}) for w, qs in WANTS.items() for q in re.split(r" \| |\n", qs.strip())],
)
def test_what_is_asked_for(question: str, wants: set[str]) -> None:
    assert read(question).wants == wants


def test_what_a_thing_is_made_of_and_where_it_stands_is_looked_for_too(trade: Vocabulary) -> None:
    (other,) = read("Work out the fill rate", vocabularies=[trade]).expansions
    assert other.also == ("cargo on board", "register", "book of vessels")
    assert not read("Which book of vessels is it?", vocabularies=[trade]).terms.keys() & {"cargo"}


def test_letters_joined_by_a_sign_are_one_word(trade: Vocabulary) -> None:
    (other,) = read("What was D&D in 2020?", vocabularies=[trade]).expansions
    assert (other.part.text, other.also) == ("D&D", ("dry docking",))
    assert not read("What was d in 2020?", vocabularies=[trade]).expansions


def test_other_names_count_less_than_the_words(trade: Vocabulary) -> None:
    result = read("What is the dead weight of the vessel?", vocabularies=[trade])
    (other,) = result.expansions
    assert (other.part.text, other.vocabulary) == ("dead weight", "ships")
    assert other.also == ("carrying capacity", "DWT")
    own_terms = index_terms(result.query)
    assert all(result.terms[term] >= 1.0 for term in own_terms)
    assert {t: w for t, w in result.terms.items() if t not in own_terms}.keys() == {
        *index_terms("carrying capacity DWT")
    }
    assert all(w <= OTHER_NAME for t, w in result.terms.items() if t not in own_terms)


@pytest.mark.parametrize(
    ("question", "part", "also"),
    [
        ("DWT?", "DWT", ("dead weight", "carrying capacity")),
        ("Dead weights tonnage, please", "Dead weights tonnage", ("registered tonnage",)),
        (
            "Say how much it can carry!",
            "how much it can carry",
            ("dead weight", "carrying capacity", "DWT"),
        ),
        ("the load factors", "load factors", ("cargo on board", "carrying capacity")),
        ("cargo on board", None, None),
        ("weight dead", None, None),
    ],
)
def test_a_term_is_known_by_its_longest_name(
    trade: Vocabulary, question: str, part: str | None, also: tuple[str, ...] | None
) -> None:
    result = read(question, vocabularies=[trade]).expansions
    assert [(e.part.text, e.also) for e in result] == ([(part, also)] if part else [])


def test_a_term_may_say_what_is_asked_for(trade: Vocabulary) -> None:
    assert "figure" in read("dead weight tonnage", vocabularies=[trade]).wants


def test_a_vocabulary_is_for_its_kind_of_documents(trade: Vocabulary) -> None:
    assert trade.fits({"contract": 0.5}, lambda term: 0.0)
    assert trade.fits({}, lambda term: 0.1)
    assert not trade.fits({"report": 1.0}, lambda term: 0.001)


@pytest.mark.parametrize(
    ("text", "line", "named"),
    [
        ("about =\nsource = 'x'", 1, "TOML"),
        ("colour = 'red'", 1, "'colour'"),
        ("\n[[term]]\nalso = ['x']", 2, "name"),
        ("[[term]]\nname = 'a b'\n[[term]]\nname = 'bell'\nalso = 'ring'", 3, "also"),
        ("[[term]]\nname = 'the of'", 1, "'the of'"),
        ("[[term]]\nname = 'bell'\nwants = ['money']", 1, "'money'"),
        ("markers = ['two words']", 1, "'two words'"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported_with_its_line(
    tmp_path: Path, text: str, line: int, named: str
) -> None:
    path = tmp_path / "vocabulary" / "mine.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        read_vocabulary(path)
    read_well, (wrong,) = own(tmp_path)
    assert not read_well
    for messages in (error.value.message, wrong):
        assert all(fact in messages for fact in (str(path), f"line {line}", named))


def test_the_shipped_vocabularies_say_where_they_come_from() -> None:
    vocabularies = [read_vocabulary(path) for path in SHIPPED]
    assert {v.name for v in vocabularies} == {"finance", "contracts", "legal"}
    for vocabulary in vocabularies:
        assert vocabulary.source
        assert vocabulary.licence
        assert vocabulary.about
        assert vocabulary.kinds or vocabulary.markers


@pytest.mark.parametrize(
    ("text", "script", "language"),
    [
        ("What is the notice period?", "Latin", "en"),
        ("Wann endet der Vertrag?", "Latin", "de"),
        ("Quelle est la date de la livraison ?", "Latin", "fr"),
        ("¿Cuándo termina el contrato?", "Latin", "es"),
        ("Когда заканчивается договор и кто его подписал?", "Cyrillic", "ru"),
        ("契約はいつ終わりますか", "Kana", "ja"),
        ("合同什么时候结束", "Han", "zh"),
        ("सूचना की अवधि क्या है?", "Devanagari", "hi"),
        ("ระยะเวลาแจ้งล่วงหน้า", "Thai", "th"),
        ("ما هي مدة الإشعار؟", "Arabic", "ar"),
        ("Πότε λήγει η σύμβαση;", "Greek", "el"),
        ("계약은 언제 끝납니까?", "Hangul", "ko"),
        ("notice period", "Latin", None),
        ("1,250.00", None, None),
    ],
)
def test_script_and_language(text: str, script: str | None, language: str | None) -> None:
    result = read(text)
    assert (result.script, result.language) == (script, language)


@given(st.text(max_size=200))
def test_any_text_can_be_read_and_its_parts_are_its_own(text: str) -> None:
    result = read(text, vocabularies=EVERY)
    parts = [*result.dropped, *result.phrases, *result.numbers]
    parts += [p.part for p in (*result.periods, *result.named, *result.expansions)]
    for part in parts:
        assert text[part.start : part.end] == part.text
        assert part.text
    assert result.as_dict()["text"] == result.text
    assert all(isinstance(line, str) for line in result.describe())


def test_models_read_some_other_names_too(trade: Vocabulary) -> None:
    query = "What is the dead weight of the vessel?"
    assert read(query, vocabularies=[trade]).other_names == "carrying capacity; DWT"
    assert read("Who owns the vessel?", vocabularies=[trade]).text == "Who owns the vessel?"


@given(st.text(max_size=200))
def test_what_models_read_begins_with_the_question_and_is_bounded(text: str) -> None:
    spoken = read(text, vocabularies=EVERY).text
    assert spoken.startswith(read(text).text)
    assert len(spoken.split()) <= len(text.split()) + 24


_FORMS = {
    "value": "What was the total purchase price?; When the lease ends, what is the fee?; "
    "How many days of notice are required?; Wie hoch ist die Miete?",
    "role": "And who signed the lease?; Which bank lent the money?; Wer hat unterschrieben?",
    "yes-no": "Is 3M capital-intensive?; Under the lease, can the tenant sublet?; "
    "Gilt der Vertrag?",
    "list": "list all change requests; Which companies are mentioned?; Welche Verträge gibt es?",
    "count": "how many contracts; Wie viele Verträge gibt es?; number of invoices from Acme",
    "extreme": "largest invoice; who paid the most?; Welche Rechnung ist die höchste?",
    "sum": "total of all invoices; How much was paid in total?; Summe aller Rechnungen",
    "comparison": "Which is larger, the fee or the penalty?; Vergleiche die Entwürfe",
    "computation": "What is the average rent?; How much did sales grow from 2018 to 2019?",
    "explanation": "Why was the order cancelled?; What happens if the supplier is late?",
    "statement": "The largest invoice was paid in May.",
    "follow-up": "And how much of it was for the customer?; Und 2019?; When did they pay?; what "
    "about the supplier?",
    "words": "may 2019 revenue; termination for convenience; Kündigungsfrist",
}


@pytest.mark.parametrize(("form", "questions"), _FORMS.items())
def test_the_form_of_a_question_follows_its_grammar(form: str, questions: str) -> None:
    assert {q: read(q).form for q in questions.split("; ")} == dict.fromkeys(
        questions.split("; "), form
    )


def _meaning(**similar: float) -> Meaning:
    """Return a meaning with the similarities of terms of ships, by their names."""
    known = {("ships", name.replace("_", " ")): value for name, value in similar.items()}
    return Meaning(known, known)


@pytest.mark.parametrize(
    ("question", "similar", "also"),
    [
        ("Does he register the crew?", {"register": -0.2}, []),
        ("Does he register the crew?", {"register": 0.0}, [("register", "book of vessels")]),
        # Two words are a name, whatever the rest of the question means.
        ("What is the dead weight?", {"dead_weight": -0.5}, [("dead weight", "carrying capacity")]),
        ("How full is the hold?", {"register": 0.41, "fill_rate": 0.2}, []),
        ("How full is the hold?", {"register": 0.43, "fill_rate": 0.2}, [("", "register")]),
    ],
)
def test_terms_are_meant_or_not(
    trade: Vocabulary, question: str, similar: dict[str, float], also: list[tuple[str, str]]
) -> None:
    result = read(question, vocabularies=[trade], meaning=lambda _: _meaning(**similar))
    assert [(e.part.text, e.also[0]) for e in result.expansions] == also


@pytest.mark.parametrize(("share", "weight"), [(0.2, 1.0), (0.35, 0.5), (0.5, None)])
def test_other_names_of_common_words_count_less(
    trade: Vocabulary, share: float, weight: float | None
) -> None:
    def asked(common: float, text: str = "the register", near: float = 0.0) -> list[float]:
        given = {"meaning": lambda _: _meaning(register=near), "share": lambda _: common}
        return [e.weight for e in read(text, vocabularies=[trade], **given).expansions]

    (whole,) = asked(0.0)
    assert asked(share) == ([] if weight is None else [pytest.approx(weight * whole)])
    assert [len(asked(each, "REGISTER", -0.3)) for each in (0.01, 0.0)] == [0, 1]


def test_each_shipped_term_has_a_vector() -> None:
    known = meaning_of("mini", np.ones(384, dtype=np.float32)).similar
    assert known.keys() == {(v.name, term.names[0]) for v in EVERY for term in v.terms}
