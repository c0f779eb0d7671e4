"""Two names: one, two, or nobody can tell. Written by hand, of many countries and trades.

*one* is one in a document and in two that have to do with one another; *two* are two everywhere;
*open* can be either: they are not joined over documents. A first name pairs with every other one.
"""

from __future__ import annotations

import re

import pytest

from casetrack.graph.entities.organizations import read_organization
from graph.name_collections import NEAR, entities_of

_PERSONS = """
one nicknames: Robert Halvorsen / Bob Halvorsen / Rob Halvorsen; Margaret Osei / Peggy Osei;
  Elizabeth Marchmont / Liz Marchmont / Betsy Marchmont; Edward Brannock / Ted Brannock;
  Theodore Brannock / Ted Brannock; Josef Niederhuber / Sepp Niederhuber;
  José Echeverría / Pepe Echeverría; Emmanuel Viard / Manu Viard; Robert A. Smith / Bob Smith;
  Patricia Doyle-Hart / Pat Doyle-Hart
one surname first: Xu Weiming / Weiming Xu; Xu Wei-Ming / Weiming Xu; Wei Ming Xu / Xu Weiming;
  XU Weiming / Weiming Xu; Chen Meiling / Mei Ling Chen; Kim Min-jun / Min-jun Kim;
  Choi Eun-young / Eun Young Choi; Nguyễn Văn Hùng / Hung Van Nguyen; Nagy László / László Nagy;
  Tanaka Hiroshi / Hiroshi Tanaka; Chan Tai Man / Tai Man Chan; Okafor, Adaeze / Adaeze Okafor;
  DURAND Sylvie / Sylvie Durand; Halvorsen Robert / Robert Halvorsen;
  García Lorca, Federico / Federico García Lorca; van der Meer, Joost / Joost van der Meer
one spellings: Adaeze Okafor / ADAEZE OKAFOR / Adaeze Okafor's / Dr. Adaeze Okafor, PhD;
  Jo Okafor Jo Okafor / Jo Okafor; ANNA M. BERTELSEN Anna M. Bertelsen / Anna M. Bertelsen;
  John A. Brightwell / John Brightwell; J.R. Pemberton / J. R. Pemberton;
  Emeka Okafor, Jr. / Emeka Okafor Jr.; Emeka Okafor III / Emeka Okafor, III;
  Zoë Ångström / Zoe Angstrom; D. Michael Sorley / Michael Sorley / Mike Sorley;
  Prof. Elspeth Dray / Elspeth Dray; jo.marchetti / Jo Marchetti;
  Jo Marchetti/HOU/NORVANE@NORVANE / Jo Marchetti
two other people: Robert Halvorsen / Albert Halvorsen / Roberta Halvorsen;
  Edward Brannock / Theodore Brannock; John Brightwell / Jon Brightwell / Joan Brightwell;
  Emeka Okafor Jr. / Emeka Okafor Sr. / Emeka Okafor; Emeka Okafor II / Emeka Okafor III;
  Bob Okafor Jr. / Robert Okafor Sr.; John A. Brightwell / John B. Brightwell;
  John Albert Brightwell / John B. Brightwell; Anna Bertelsen / Anna Pedersen;
  Thomas James / James Thomas; Kelly Jordan / Jordan Kelly; Grant Ross / Ross Grant;
  Kim Lee / Lee Kim; Lin Wei / Wei Lin; Xu Weiming / Xu Weihong / Wu Weiming;
  Kim Min-jun / Kim Min-ji; Nguyen Van Hung / Nguyen Thi Hung; Nagy László / Nagy Lajos;
  Mr Robin Gray / Ms Robin Gray; Chris Ngata / Christa Ngata; Patrick Doyle / Patricia Doyle;
  Samuel Orde / Samantha Orde; Joan Quist / Joanna Quist; Hans Amsel / Fritz Amsel;
  Harold Finch / Henry Finch; Daniel Okonjo / Daniela Okonjo; Maria Costa Lima / Maria Costa;
  John Smithson / John Smith; Ludwig van Berg / Ludwig Berg
open who knows: Bob Smith / Robert Smith; Mr Whitlock / Julian Whitlock;
  J. Whitlock / Julian Whitlock; Whitlock / Julian Whitlock; Jim Johnson / James Johnson;
  Okafor Adaeze / Adaeze Okafor; B. Okafor / Bill Okafor
"""
_FIRMS = """
one legal forms: Norvane Corp. / Norvane Corporation; Norvane Corp / NORVANE CORPORATION;
  Norvane Ltd / Norvane Limited; Norvane Inc / Norvane, Incorporated; Norvane LP / Norvane, L.P.;
  Norvane LLC / Norvane, L.L.C. / Norvane Limited Liability Company;
  Norvane PLC / Norvane Public Limited Company; Norvane S.A. / Norvane SA;
  Norvane A/S / Norvane AS; Norvane S.à r.l. / Norvane SARL;
  Norvane K.K. / Norvane Kabushiki Kaisha; Norvane AG / Norvane Aktiengesellschaft;
  Norvane Pty Ltd / Norvane (Pty) Limited; Norvane Co., Ltd. / Norvane Company Limited;
  Norvane s.r.o. / Norvane, spol. s r.o.; Norvane S.A. de C.V. / Norvane SA de CV
one spellings: The Norvane Company / Norvane Co. / Norvane Company;
  Norvane & Co. / Norvane and Company; Tarn & Holm, LLP / TARN & HOLM LLP;
  Norvane Paints Ltd / Norvane Paints; Norvane Paints Ltd's / Norvane Paints Ltd;
  The Norvane Paints Ltd / Norvane Paints Limited; H.T.V. Ltd / HTV Ltd;
  J. P. Norvane & Co. / J.P. Norvane and Company; PT Norvane Makmur Tbk / Norvane Makmur Tbk;
  OOO Norvane / Norvane OOO; Norvane Freight Norvane Freight / Norvane Freight
one initials: Securities and Exchange Commission / SEC;
  U.S. Securities and Exchange Commission / SEC; Department of Justice / DOJ;
  Veldhuis Polder Logistics Noord B.V. / VPLN
two other forms: Norvane Ltd / Norvane GmbH; Norvane Inc. / Norvane Corp.;
  Norvane LLC / Norvane LP; Norvane Pty Ltd / Norvane Pte Ltd
two units and funds: Seaforth Shipping / Seaforth Shipping (Asia);
  Seaforth Shipping / Seaforth Shipping Asia Pte Ltd; Seaforth / Seaforth Holdings plc;
  Seaforth Shipping Ltd / Seaforth Shipping (Asia) Ltd; Acme Capital / Acme Bank of Texas;
  Acme / Acme UK Ltd / Acme Capital LLC / Acme Bank of Texas / Acme Japan K.K. / Acme Foundation;
  Acme Inc. / Acme International Inc.; Kestrel I LP / Kestrel II LP;
  Kestrel Fund / Kestrel Fund II; Kestrel 2007 Fund LP / Kestrel 2009 Fund LP;
  Kestrel Partners IV LP / Kestrel Partners IV-A LP;
  Kestrel Realty One, LLC / Kestrel Realty Two, LLC; Kestrel Trust 2019-1 / Kestrel Trust 2019-2
two other words: Bank of Norvane / Norvane / Bank of Seaforth;
  University of Norvane / Norvane College; Northern Norvane Ltd / Southern Norvane Ltd;
  Norvane Deutschland GmbH / Norvane Österreich GmbH / Norvane GmbH;
  Norvane Europe Ltd / Norvane Asia Ltd;
  Norvane Paints Ltd / Norvane Papers Ltd / Norvane Foods Ltd;
  Marlow Insurance Company / Marlow Life Insurance Company; Marlow Gas Co. / Marlow Pipeline Co.;
  Marlow Wireless / Marlow; First Bank of Ohio / First Bank of Iowa;
  Southern Electric Company / SEC; Heath Hall Stores Ltd / HHS;
  District Court / District Attorney; Tarn & Holm LLP / Tarn & Hall LLP;
  Smith's Bakery Ltd / Smithson Bakery Ltd; Norvane 1 Ltd / Norvane 11 Ltd;
  Orchid Bidco Limited / Orchid Topco Limited; Orchid Limited / Orchid Acquisition Limited;
  Norvane Master Trust / Norvane Master Fund; ABN Norvane / AMN Norvane;
  Pacific Norvane Inc / Atlantic Norvane Inc;
  Securities and Exchange Commission / Federal Trade Commission
open who knows: Norvane / Norvane Systems Ltd; MLB / Meridian Leather Brokers Inc;
  Norvane / Norvane Paints plc; Veldhuis Polder Logistics B.V. / VPL;
  National / National Grid Works plc; Tarn / Tarn & Holm LLP
"""


_WRITTEN_ALIKE = [
    ("Norvane GmbH", "Norvane Gesellschaft mit beschränkter Haftung"),
    ("Norvane GmbH & Co. KG", "Norvane GmbH und Co KG"),
    ("Tarn & Holm LLP", "Tarn and Holm LLP"),
    ("Norvane Paints Ltd", "Norvane\nPaints Ltd"),
    ("Société Norvane SAS", "Societe Norvane S.A.S."),
    ("Norvane a.s.", "NORVANE A.S."),
]


def _pairs(table: str, kind: str) -> list[tuple[str, str, str, str]]:
    found: list[tuple[str, str, str, str]] = []
    for group in re.split(r"\n(?! )", table.strip()):
        head, _, pairs = group.partition(": ")
        for names in " ".join(pairs.split()).split("; "):
            first, *others = names.split(" / ")
            found += [(head.partition(" ")[0], kind, first, other) for other in others]
    return found


PAIRS = _pairs(_PERSONS, "P") + _pairs(_FIRMS, "O")


def is_one(kind: str, a: str, b: str, where: str) -> bool:
    """Return whether two names are one in a document, in two near ones, or in any two."""
    one, other = f"so wrote [{kind}:{a}] that day.", f"the answer came from [{kind}:{b}] later."
    if where == "within":
        ((first, second, *_),) = entities_of([f"{one} {other}"])
        return first == second
    end = f" {NEAR}" if where == "near" else ""
    first_document, second_document = entities_of([one + end, other + end])
    return first_document[0] == second_document[0]


WHERE = {"one": ("within", "near"), "two": ("within", "near", "far"), "open": ("far",)}


@pytest.mark.parametrize(("a", "b"), _WRITTEN_ALIKE)
def test_two_spellings_of_a_firm_have_one_key(a: str, b: str) -> None:
    one, other = read_organization(a), read_organization(b)
    assert one is not None
    assert other is not None
    assert (one.key, bool(one.family)) == (other.key, True)


@pytest.mark.sampled(80)
@pytest.mark.parametrize(("verdict", "kind", "a", "b"), PAIRS)
def test_two_names(verdict: str, kind: str, a: str, b: str) -> None:
    for pair in ((a, b), (b, a)):
        for where in WHERE[verdict]:
            assert is_one(kind, *pair, where) == (verdict == "one"), where
