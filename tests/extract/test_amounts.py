"""Amounts in texts, and similar expressions that are not amounts."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.extract.amounts import find_amounts
from casetrack.extract.amounts.money import CODES, PHRASES, same_money
from casetrack.extract.amounts.suffixes import WORDS
from extract.recognizers_amounts import score

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.extract.spans import AmountSpan

_MONEY = """
$1,250,000.00 = 1250000 dollar | US$ 5m = 5000000 USD | U.S. $5 million = 5000000 USD
£318,400 = 318400 GBP | EUR 1.234,56 = 1234.56 EUR | 1 234,56 € = 1234.56 EUR
1.000 € = 1000 EUR | 5,- € = 5 EUR | CHF 1'000.- = 1000 CHF | 5 million dollars = 5000000 dollar
1.25 million dollars = 1250000 dollar | half a million euros = 500000 EUR
fifty thousand pounds sterling = 50000 GBP
Four and One-Half Million Dollars ($4,500,000) = 4500000 dollar
3 and a half million dollars = 3500000 dollar
thirty million Japanese Yen (¥30,000,000) = 30000000 JPY | twenty pounds (£20) = 20 GBP
a million dollars = 1000000 dollar | thirteen dollars and forty-five cents = 13.45 dollar
$5 and 20 cents = 5.2 dollar | 75 cents = 75 cent | HK$5 = 5 HKD | DM 1.250,50 = 1250.5 DEM
円 5,000 = 5000 JPY | A$5 = 5 AUD | C$ 5.5m = 5500000 CAD | ¥500 = 500 yen/yuan
500 kr = 500 krona/krone | Rs. 5 crore = 50000000 rupee | ₹ 5,00,000 = 500000 INR
100,000 ₭ = 100000 LAK | 10 turkish lira = 10 TRY | 115USD = 115 USD | 120 MEUR = 120000000 EUR
5 Mio. Euro = 5000000 EUR | $25,000 USD = 25000 USD | -$5 = -5 dollar
$(1,234.50) = -1234.5 dollar | USD (1,234) = -1234 USD | EUR -5 = -5 EUR | $.05 = 0.05 dollar
Twenty-Five Thousand Dollars ($25,000) = 25000 dollar
$25,000 (twenty-five thousand dollars) = 25000 dollar
Ten Million United States Dollars (U.S. $10,000,000) = 10000000 USD
One Hundred and 50/100 Dollars ($100.50) = 100.5 dollar
"""
_PERCENT = """
15.7% = 15.7 percent | 15.7 % = 15.7 percent | .5% = 0.5 percent | 0,5 % = 0.5 percent
fifteen percent = 15 percent | 5 per cent = 5 percent | 5 pct = 5 percent
minus five percent = -5 percent | one and one-half percent (1.5%) = 1.5 percent
one-half of one percent (0.5%) = 0.5 percent | ten (10%) percent = 10 percent
2 percentage points = 2 percentage point | 25 basis points = 25 basis point
0.3 ‰ = 0.3 per mille
"""
_QUANTITY = """
30 days = 30 day | thirty (30) days = 30 day | fifteen (15) Business Days = 15 business day
24-hour = 24 h | half an hour = 0.5 h | 200lbs = 200 lb | 10 1/2 miles = 10.5 mi
½ teaspoon = 0.5 tsp | 5 ft 2 in = 31/6 ft | minus 11.4 °C = -11.4 °C | −11.4 °C = -11.4 °C
three and a half years = 3.5 year | ten thousand (10,000) square feet = 10000 ft²
100 sq. ft = 100 ft² | 10 m2 = 10 m² | 0.9 trillion cubic feet = 900000000000 ft³
60 km/h = 60 km/h | 5 miles per hour = 5 mph | 100 MB = 100 MB | 100 Mbps = 100 Mbit/s
11.6 GWh = 11.6 GWh | a dozen kg = 12 kg | 20 [kg] = 20 kg | 2.4 Hz = 2.4 Hz | 12 bar = 12 bar
16 bit = 16 bit | 20 TEUs = 20 TEU
"""
WHOLE = [
    (text, kind, float(Fraction(value)), unit)
    for kind, table in (("money", _MONEY), ("percent", _PERCENT), ("quantity", _QUANTITY))
    for text, value, unit in re.findall(r"(.+?) = (\S+) (.+)", table.replace(" | ", "\n"))
]
RANGES = [
    ("$10-15 million", 10e6, 15e6, "dollar"),
    ("$5 million to $10 million", 5e6, 10e6, "dollar"),
    ("$500-$700", 500, 700, "dollar"),
    ("5 to 7 percent", 5, 7, "percent"),
    ("5%-7%", 5, 7, "percent"),
    ("98.6 % to 99.2 %", 98.6, 99.2, "percent"),
    ("10-15 kg", 10, 15, "kg"),
    ("two to three years", 2, 3, "year"),
]
NOTHING = [
    *"""
Section 5 m | Section 2(a) and 5(g) | Form 10-K for 2019 | 410 U.S. 113 | 12.03.2024
2024-03-12 | +49 89 1234567 | 1-888-555-1234 | ISBN 978-3-16-148410-0 | version 2.0 m
v1.2.3 MB | Page 3 of 5 | on the 31st of May | this 30 day of June | scp-173 m | 24703 L-202
at 2 pm | Get together for 2 in april | in 2019 dollars | All 70 of us | TRY 5 times | PHP 7.4
what percent of 210 employees | Fees ($ million) | https://www.test.com/search?q=30%25%2020%
3.3 Minutes of Committee Meetings | 20 million | 1.36 "GMP Guidelines" means | the 27t h Floor
section 101(41A) | 412 Mt. Kemble Avenue | 3875 Newton Street
POPULAR BOOK CO. SDN BHD 789417-W | Popular Book Sdn. BHD 50,000 units
MALAYAN TRADING BHD 789417-W | GBP 4711-A | EUR 1,234'567
No.1 Dong, Building 5, Gangnam District | No. 12 Dong Khoi Street, Ho Chi Minh City
see Section 5 Dong | 5 Yen Street, Hanoi | 300 Euro Park Drive | No 5 Pound Lane, Oxford
berth at Pier 5 A | Vol. 5 L | v. 2 s | a 52/53 week year
""".strip()
    .replace("\n", " | ")
    .split(" | "),
    "",
    "Chamber 2\nMonth: Sep 2024",
    "EUR 1.50\xa0100",
    "RM\n9556939040019 MILO",
    "Item | Price RM\n9556939040019 | Milo",
    "Price in EUR\n1,200.00 Freight",
    "a price of RM\n9556939040019 for one",
    "stated in words and in EUR\n4.5 Payment is due",
    "the sum of EUR\n\n4.5 Payment is due",
    "Left | 7.4 $ | 449.94 $ | 2,511",
]


def brief(spans: tuple[AmountSpan, ...]) -> list[tuple[str, float, str | None]]:
    return [(span.text, span.value, span.unit) for span in spans]


@pytest.mark.parametrize("around", ["{}", "The parties agree on\n{}, as stated above."])
@pytest.mark.parametrize(("text", "kind", "value", "unit"), WHOLE)
def test_a_whole_expression_is_one_amount(
    text: str, kind: str, value: float, unit: str, around: str
) -> None:
    (span,) = find_amounts(around.format(text))
    assert (span.text, span.kind, span.unit, span.high) == (text, kind, unit, None)
    assert math.isclose(span.value, value)
    assert isinstance(span.value, float)


@pytest.mark.parametrize(("text", "low", "high", "unit"), RANGES)
def test_a_range_has_two_ends(text: str, low: float, high: float, unit: str) -> None:
    (span,) = find_amounts(text)
    assert (span.text, span.value, span.high, span.unit) == (text, low, high, unit)


@pytest.mark.parametrize("text", NOTHING)
def test_numbers_of_other_things_are_no_amounts(text: str) -> None:
    assert find_amounts(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rose from $5 to $10", [("$5", 5, "dollar"), ("$10", 10, "dollar")]),
        ("thirty percent (20%)", [("thirty percent", 30, "percent"), ("20%", 20, "percent")]),
        ("10 $ 30 $", [("10 $", 10, "dollar"), ("30 $", 30, "dollar")]),
        ("2019 $ 200 $ 300", [("$ 200", 200, "dollar"), ("$ 300", 300, "dollar")]),
        ("A $5 fee", [("$5", 5, "dollar")]),
        ("12-cent-a-share", [("12-cent", 12, "cent")]),
        ("5 kg, 3 m and 2 %", [("5 kg", 5, "kg"), ("3 m", 3, "m"), ("2 %", 2, "percent")]),
        ("Item: A | Price: £12.50 | Load: 3 t", [("£12.50", 12.5, "GBP"), ("3 t", 3, "t")]),
        ("Net | ($1,234) | paid", [("($1,234)", -1234, "dollar")]),
        ("the base amount ($1,234) is due", [("$1,234", 1234, "dollar")]),
        ("two pounds of flour", [("two pounds", 2, "lb")]),
        ("a sum of USD\n25,000 is due", [("USD\n25,000", 25_000, "USD")]),
        ("pays the sum of RM\n12,500.50.", [("RM\n12,500.50", 12_500.5, "MYR")]),
        ("a price of up to $\n400,000", [("$\n400,000", 400_000, "dollar")]),
        ("worth BHD 5,000.500", [("BHD 5,000.500", 5000.5, "BHD")]),
        ("€5 to 12 million won", [("€5", 5, "EUR"), ("12 million won", 12e6, "KRW")]),
        ("EUR 5000-a-year", [("EUR 5000", 5000, "EUR")]),
        ("a loss of $10-M", [("$10", 10, "dollar")]),
        ("£5, or five pounds", [("£5", 5, "GBP"), ("five pounds", 5, "pound")]),
        ("a net loss of $(352) million in May", [("$(352) million", -352e6, "dollar")]),
        ("100 $ | 200 $ |", [("100 $", 100, "dollar"), ("200 $", 200, "dollar")]),
        ("Fair value 1,2\nHeld | $ 16,374", [("$ 16,374", 16_374, "dollar")]),
        (
            "a charge of $105 million and a fourth quarter charge of $22 million",
            [("$105 million", 105e6, "dollar"), ("$22 million", 22e6, "dollar")],
        ),
    ],
)
def test_what_stands_around_decides(text: str, expected: list[tuple[str, float, str]]) -> None:
    assert brief(find_amounts(text)) == expected


def test_the_text_decides_what_a_point_means() -> None:
    alone = find_amounts("1.234 kg")[0]
    german = find_amounts("Kosten: 2.500,00 €, Gewicht 1.234 kg")[1]
    english = find_amounts("cost 2,500.00 USD, weight 1.234 kg")[1]
    assert (alone.value, german.value, english.value) == (1.234, 1234.0, 1.234)
    assert alone.confidence < german.confidence == english.confidence


def test_words_that_contradict_their_figures_are_less_sure() -> None:
    (span,) = find_amounts("within sixty (30) days")
    assert (span.text, span.value) == ("sixty (30) days", 60.0)
    assert span.confidence < find_amounts("within sixty (60) days")[0].confidence


def test_bare_numbers_come_on_request_only() -> None:
    text = "one hundred and six people, 1,234,567 of them; 5 kg"
    assert brief(find_amounts(text)) == [("5 kg", 5, "kg")]
    numbers = [span.value for span in find_amounts(text, numbers=True) if span.kind == "number"]
    assert numbers == [106, 1_234_567]


@pytest.mark.parametrize("form", ["{} 1,250.50", "{}1,250.50", "1,250.50 {}", "1,250.50{}"])
def test_every_currency_code_is_read(form: str) -> None:
    for code in sorted(CODES):
        text = form.format(code)
        assert brief(find_amounts(text)) == [(text, 1250.5, code)]


def test_every_currency_name_is_read() -> None:
    weights = {"pound", "dram", "drachma"}
    for name, unit in PHRASES.items():
        if name.removesuffix("s") not in weights:
            text = f"1,250.50 {name}"
            assert brief(find_amounts(text)) == [(text, 1250.5, unit)]


def test_every_plural_unit_is_read() -> None:
    for name, unit in WORDS.items():
        if name.endswith("s") and name.isalpha():
            text = f"12 {name}"
            assert brief(find_amounts(text)) == [(text, 12, unit.symbol)]


def test_a_sign_may_mean_some_currencies_and_a_code_one() -> None:
    assert same_money("dollar", "USD")
    assert not same_money("USD", "CAD")


PIECES = st.sampled_from(
    "$ € £ % ( ) - – . , / 1 5 10 1,234 1.234,5 1/2 ½ kg m USD million and half a one two hundred "
    "thousand percent of to dollars cents days (30) ' \" | \n İ ß ٣ 9999999999999999999 e5".split(
        " "
    )
)


def check(text: str) -> None:
    for numbers in (False, True):
        end = 0
        for span in find_amounts(text, numbers=numbers):
            assert text[span.start : span.end] == span.text
            assert end <= span.start < span.end
            assert span.text == span.text.strip()
            assert math.isfinite(span.value)
            assert span.high is None or span.high > span.value
            assert 0 < span.confidence <= 1
            end = span.end


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    check(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14), st.sampled_from(["", " ", "  "]))
def test_any_mix_of_its_parts_is_read(pieces: list[str], gap: str) -> None:
    check(gap.join(pieces))


def test_the_specification_is_met(corpus: Callable[[str], Path]) -> None:
    counts = score(corpus("recognizers"))
    assert counts["currency"].share >= 0.95
    assert counts["percent"].share >= 0.95
    assert counts["dimension"].share >= 0.92
    assert counts["number"].share >= 0.65
    assert counts["currency"].extra + counts["percent"].extra + counts["dimension"].extra <= 3
