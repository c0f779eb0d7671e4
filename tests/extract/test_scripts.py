"""Scripts of texts, detected by their letters."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.language import script_of, script_shares

SCRIPTS = """
Where is the lease? = Latin | Où est l'été, Straße nº 5 µm = Latin | Ｗｈｅｒｅ = Latin
Кто подписал договор? = Cyrillic | Ποιος υπέγραψε τη σύμβαση; = Greek
اتفاقية من وقعها = Arabic | מי חתם על החוזה = Hebrew
अनुबंध पर किसने हस्ताक्षर किए = Devanagari | ใครลงนามในสัญญา = Thai | 谁签署了合同 = Han
だれがけいやくしたか = Kana | 누가 계약에 서명했나 = Hangul
"""


@pytest.mark.parametrize(
    ("text", "script"),
    [*re.findall("(.+) = (.+)", SCRIPTS.replace(" | ", "\n")), ("12.5 % (3)", None), ("", None)],
)
def test_the_script_of_a_text(text: str, script: str | None) -> None:
    assert script_of(text) == script


def test_words_count_and_not_letters() -> None:
    assert script_shares("Responsibility: ты и я") == {"Cyrillic": 0.75, "Latin": 0.25}
    assert script_shares("IBM 的收入是多少")["Han"] == 0.75


@given(st.text())
def test_shares_add_up_to_one_or_there_are_none(text: str) -> None:
    shares = list(script_shares(text).values())
    assert shares == sorted(shares, reverse=True)
    assert not shares or sum(shares) == pytest.approx(1.0)
