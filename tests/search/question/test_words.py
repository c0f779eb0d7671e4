"""The words of a question are those of the index, in every script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.ingest.steps.words import index_terms
from casetrack.search.pinpoint.scoring import hits_of
from casetrack.search.question.words import words_of

TEXTS = (
    "भारत की राजधानी कौन सी है? बाज़ार में किराया कितना है",
    "เมืองหลวงของประเทศไทยคืออะไร",
    "இந்தியாவின் தலைநகரம் எது?",
    "বাংলাদেশের রাজধানী কোথায়?",
    "مَا هِيَ عَاصِمَةُ مِصْرَ؟",
    "می‌خواهم",
    "מַהוּ שֵׁם הַבִּירָה?",
    "İstanbul I\u0307zmir DİYARBAKIR ne zaman kuruldu?",
    "കേരളത്തിന്റെ തലസ്ഥാനം ශ්‍රී ලංකාව తెలంగాణ ગુજરાતની ਪੰਜਾਬ ಕರ್ನಾಟಕದ",
    "မြန်မာနိုင်ငံ၏ မြို့တော် រាជធានីនៃកម្ពុជា ນະຄອນຫຼວງ བོད་ཀྱི་",
    "巴黎在2019年的人口 パリの人口は 수도는 무엇입니까",
    "Wo steht die Mühle à Orléans, où est l'été? Какой йод",
)
SCRIPTS = (
    *("\u0900-\u0963", "\u0980-\u09fe", "\u0b82-\u0bd7", "\u0e01-\u0e4e", "\u0620-\u065f"),
    *("\u05b0-\u05ea", "\u1000-\u103f", "\u0410-\u044f", "A-Za-zİıŞşğÇö\u0300-\u0308"),
    *("\u1780-\u17d3", "\u0370-\u03ff", "\u0c00-\u0c63", "\u3041-\u3096", "\u0f40-\u0fbc"),
)


def _letters(ranges: str) -> str:
    result, at = "", 0
    while at < len(ranges):
        last = ranges[at + 2] if ranges[at + 1 : at + 2] == "-" else ranges[at]
        result += "".join(map(chr, range(ord(ranges[at]), ord(last) + 1)))
        at += 3 if last != ranges[at] else 1
    return "".join(c for c in result if unicodedata.category(c)[0] in "LM")


def _check(text: str) -> None:
    terms = index_terms(text)
    assert [t for word in words_of(text) for t in word.terms] == terms
    if unicodedata.is_normalized("NFC", text):
        assert {hit.term for hit in hits_of(text, terms)} == set(terms)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("text", TEXTS)
def test_words_of_questions_are_words_of_the_index(text: str, form: str) -> None:
    _check(unicodedata.normalize(form, text))


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("नियम शर्त", "।॥॰?"),
        ("নিয়ম শর্ত", "।॥৳?"),
        ("நாடு வீடு", "।?"),
        ("ගම නගර", "෴"),
        ("ภาษา ไทย", "๏๚๛฿\u200b"),
        ("ភាសា ខ្មែរ", "។៕៖\u200b"),
        ("မြန်မာ စာ", "၊။"),
        ("ジョン スミス", "・。、"),
        ("عقد إيجار", "،؛؟۔"),
        ("օրենք պայման", "։՝"),
        ("ሕግ ውል", "፡።፣፧"),
    ],
)
def test_signs_between_words_are_no_letters(text: str, signs: str) -> None:
    terms = index_terms(text)
    for sign in signs:
        assert index_terms(text.replace(" ", sign) + sign) == terms, sign
        _check(text.replace(" ", sign) + sign)


def test_armenian_signs_of_tone_are_inside_of_a_word() -> None:
    for text in ("Ինչպե՞ս", "Ինչպե՜ս", "Ինչպե՛ս"):
        assert index_terms(text) == index_terms("Ինչպես")
        _check(text)


_LETTERS = [_letters(script) for script in SCRIPTS]


@given(
    st.sampled_from(_LETTERS).flatmap(
        lambda script: st.lists(st.text(f"{script}'\u2019\u200d 7", min_size=3, max_size=8))
    )
)
def test_any_text_of_a_script_has_the_words_of_the_index(words: list[str]) -> None:
    text = " ".join(words)
    assert [t for word in words_of(text) for t in word.terms] == index_terms(text)


def test_turkish_endings_behind_an_apostrophe_are_left_out() -> None:
    for text, other in (
        ("Türkiye'nin Ankara'da TBMM'ye Bey'in", "Türkiye Ankara TBMM Bey"),
        ("1990'larda 2010'lu 2019'a 1.250'de IŞIK", "1990 2010 2019 1.250 ışık"),
        ("Hawai'i O'Brien Qur'an 5'a", "hawaii obrien quran 5a"),
    ):
        assert index_terms(text) == index_terms(other)
        _check(text)
