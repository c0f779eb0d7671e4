"""Two names: one, two, or nobody can tell. Written by hand, of many countries and trades.

*one* is one in a document and in two that have to do with one another; *two* are two everywhere;
*open* can be either: they are not joined over documents.
"""

from __future__ import annotations

import pytest

from casetrack.graph.entities.organizations import read_organization
from graph.name_collections import NEAR, entities_of

_PERSONS = """
one | Robert Halvorsen | Bob Halvorsen
one | Robert Halvorsen | Rob Halvorsen
one | William Tarrant | Bill Tarrant
one | William Tarrant | Will Tarrant
one | Elizabeth Marchmont | Liz Marchmont
one | Elizabeth Marchmont | Betsy Marchmont
one | Margaret Osei | Peggy Osei
one | Richard Tolland | Dick Tolland
one | James Oyelaran | Jim Oyelaran
one | Edward Brannock | Ted Brannock
one | Theodore Brannock | Ted Brannock
one | Michael D'Arcy | Mike D'Arcy
one | Anthony Pellegrino | Tony Pellegrino
one | Katherine Vance | Kate Vance
one | Christopher Ngata | Chris Ngata
one | Josef Niederhuber | Sepp Niederhuber
one | Friedrich Amsel | Fritz Amsel
one | Ulrich Brandauer | Uli Brandauer
one | Wilhelm Sturzenegger | Willi Sturzenegger
one | Ursula Hennig | Uschi Hennig
one | Francisco Ibarra | Paco Ibarra
one | José Echeverría | Pepe Echeverría
one | Ignacio Zubizarreta | Nacho Zubizarreta
one | Guillermo Prado | Memo Prado
one | Sébastien Lacombe | Seb Lacombe
one | Emmanuel Viard | Manu Viard
one | Véronique Aubry | Véro Aubry
one | Thomas Achterberg | Tom Achterberg
one | Daniel Okonjo | Dan Okonjo
one | Susan Whitlock | Sue Whitlock
one | Robert A. Smith | Bob Smith
one | Jennifer Quist | Jenny Quist
one | Patricia Doyle-Hart | Pat Doyle-Hart
one | Frederick Munro | Fred Munro
one | Samantha Orde | Sam Orde
one | Timothy Farrant | Tim Farrant
one | Xu Weiming | Weiming Xu
one | Xu Wei-Ming | Weiming Xu
one | Wei Ming Xu | Xu Weiming
one | XU Weiming | Weiming Xu
one | Zhang Xiaodan | Xiaodan Zhang
one | Liu Guoqiang | Guoqiang Liu
one | Chen Meiling | Mei Ling Chen
one | Kim Min-jun | Min-jun Kim
one | Kim Min Jun | Min Jun Kim
one | Park Ji-sung | Jisung Park
one | Choi Eun-young | Eun Young Choi
one | Nguyễn Văn Hùng | Hung Van Nguyen
one | Tran Thi Thuy | Thuy Thi Tran
one | Pham Quoc Bao | Bao Quoc Pham
one | Nagy László | László Nagy
one | Szabó Katalin | Katalin Szabo
one | Horváth Zoltán | Zoltán Horváth
one | Tanaka Hiroshi | Hiroshi Tanaka
one | Watanabe Yuko | Yuko Watanabe
one | Chan Tai Man | Tai Man Chan
one | Okafor, Adaeze | Adaeze Okafor
one | DURAND Sylvie | Sylvie Durand
one | Halvorsen Robert | Robert Halvorsen
one | Nowak Thomas | Thomas Nowak
one | García Lorca, Federico | Federico García Lorca
one | van der Meer, Joost | Joost van der Meer
one | Adaeze Okafor | ADAEZE OKAFOR
one | Adaeze Okafor | Adaeze Okafor's
one | Adaeze Okafor | Dr. Adaeze Okafor, PhD
one | Jo Okafor Jo Okafor | Jo Okafor
one | ANNA M. BERTELSEN Anna M. Bertelsen | Anna M. Bertelsen
one | John A. Brightwell | John Brightwell
one | J.R. Pemberton | J. R. Pemberton
one | Emeka Okafor, Jr. | Emeka Okafor Jr.
one | Emeka Okafor III | Emeka Okafor, III
one | Zoë Ångström | Zoe Angstrom
one | D. Michael Sorley | Michael Sorley
one | D. Michael Sorley | Mike Sorley
one | Prof. Elspeth Dray | Elspeth Dray
one | jo.marchetti | Jo Marchetti
one | Jo Marchetti/HOU/NORVANE@NORVANE | Jo Marchetti
two | Robert Halvorsen | Albert Halvorsen
two | Robert Halvorsen | Roberta Halvorsen
two | Edward Brannock | Theodore Brannock
two | John Brightwell | Jon Brightwell
two | John Brightwell | Joan Brightwell
two | Emeka Okafor Jr. | Emeka Okafor Sr.
two | Emeka Okafor Jr. | Emeka Okafor
two | Emeka Okafor II | Emeka Okafor III
two | Bob Okafor Jr. | Robert Okafor Sr.
two | John A. Brightwell | John B. Brightwell
two | John Albert Brightwell | John B. Brightwell
two | Anna Bertelsen | Anna Pedersen
two | Thomas James | James Thomas
two | Kelly Jordan | Jordan Kelly
two | Grant Ross | Ross Grant
two | Kim Lee | Lee Kim
two | Lin Wei | Wei Lin
two | Xu Weiming | Xu Weihong
two | Xu Weiming | Wu Weiming
two | Kim Min-jun | Kim Min-ji
two | Nguyen Van Hung | Nguyen Thi Hung
two | Nagy László | Nagy Lajos
two | Mr Robin Gray | Ms Robin Gray
two | Chris Ngata | Christa Ngata
two | Patrick Doyle | Patricia Doyle
two | Samuel Orde | Samantha Orde
two | Joan Quist | Joanna Quist
two | Hans Amsel | Fritz Amsel
two | Harold Finch | Henry Finch
two | Daniel Okonjo | Daniela Okonjo
two | Maria Costa Lima | Maria Costa
two | John Smithson | John Smith
two | Ludwig van Berg | Ludwig Berg
two | Andrew Farrow | Andrea Farrow
two | Stephen Mill | Stephanie Mill
two | Louis Perrin | Louise Perrin
two | Marta Ruiz | Martha Ruis
open | Bob Smith | Robert Smith
open | Mr Whitlock | Julian Whitlock
open | J. Whitlock | Julian Whitlock
open | Whitlock | Julian Whitlock
open | Jim Johnson | James Johnson
open | Okafor Adaeze | Adaeze Okafor
open | B. Okafor | Bill Okafor
"""
_FIRMS = r"""
one | Norvane Corp. | Norvane Corporation
one | Norvane Corp | NORVANE CORPORATION
one | Norvane Ltd | Norvane Limited
one | Norvane Ltd. | NORVANE LTD
one | Norvane Inc | Norvane, Incorporated
one | Norvane LLC | Norvane, L.L.C.
one | Norvane LLC | Norvane Limited Liability Company
one | Norvane LP | Norvane, L.P.
one | Norvane LLP | Norvane Limited Liability Partnership
one | Norvane plc | Norvane p.l.c.
one | Norvane PLC | Norvane Public Limited Company
one | Norvane S.A. | Norvane SA
one | Norvane S.p.A. | Norvane SpA
one | Norvane B.V. | Norvane BV
one | Norvane N.V. | Norvane NV
one | Norvane A/S | Norvane AS
one | Norvane S.à r.l. | Norvane SARL
one | Norvane K.K. | Norvane Kabushiki Kaisha
one | Norvane AG | Norvane Aktiengesellschaft
one | Norvane Sdn. Bhd. | Norvane Sendirian Berhad
one | Norvane Pty Ltd | Norvane (Pty) Limited
one | Norvane Pte. Ltd. | Norvane (Private) Limited
one | Norvane Co., Ltd. | Norvane Company Limited
one | Norvane s.r.o. | Norvane, spol. s r.o.
one | Norvane d.o.o. | Norvane doo
one | Norvane Sp. z o.o. | NORVANE Spółka z ograniczoną odpowiedzialnością
one | Norvane S.A. de C.V. | Norvane SA de CV
one | The Norvane Company | Norvane Co.
one | The Norvane Company | Norvane Company
one | Norvane & Co. | Norvane and Company
one | Tarn & Holm, LLP | TARN & HOLM LLP
one | Norvane Paints Ltd | Norvane Paints
one | Norvane Paints Ltd's | Norvane Paints Ltd
one | The Norvane Paints Ltd | Norvane Paints Limited
one | H.T.V. Ltd | HTV Ltd
one | J. P. Norvane & Co. | J.P. Norvane and Company
one | PT Norvane Makmur Tbk | Norvane Makmur Tbk
one | OOO Norvane | Norvane OOO
one | Norvane Freight Norvane Freight | Norvane Freight
one | Securities and Exchange Commission | SEC
one | U.S. Securities and Exchange Commission | SEC
one | Department of Justice | DOJ
one | Federal Deposit Insurance Corporation | FDIC
one | Internal Revenue Service | IRS
one | Halden Marine Insurance Company | HMIC
one | Veldhuis Polder Logistics Noord B.V. | VPLN
two | Norvane Ltd | Norvane GmbH
two | Norvane Inc. | Norvane Corp.
two | Norvane LLC | Norvane LP
two | Norvane Pty Ltd | Norvane Pte Ltd
two | Seaforth Shipping | Seaforth Shipping (Asia)
two | Seaforth Shipping Ltd | Seaforth Shipping (Asia) Ltd
two | Seaforth Shipping | Seaforth Shipping Asia Pte Ltd
two | Seaforth | Seaforth Holdings plc
two | Seaforth Shipping | Seaforth Shipping Holdings Ltd
two | Acme Holdings | Acme UK
two | Acme Holdings | Acme Capital
two | Acme Capital | Acme Bank of Texas
two | Acme UK | Acme UK Finance plc
two | Acme | Acme UK Ltd
two | Acme | Acme Capital LLC
two | Acme | Acme Bank of Texas
two | Acme | Acme Japan K.K.
two | Acme | Acme Foundation
two | Acme Inc. | Acme International Inc.
two | Kestrel I LP | Kestrel II LP
two | Kestrel Fund | Kestrel Fund II
two | Kestrel Fund II, L.P. | Kestrel Fund III, L.P.
two | Kestrel 2007 Fund LP | Kestrel 2009 Fund LP
two | Kestrel Partners IV LP | Kestrel Partners IV-A LP
two | Kestrel Realty One, LLC | Kestrel Realty Two, LLC
two | Kestrel Trust 2019-1 | Kestrel Trust 2019-2
two | Bank of Norvane | Norvane
two | Bank of Norvane | Bank of Seaforth
two | University of Norvane | Norvane College
two | Northern Norvane Ltd | Southern Norvane Ltd
two | Norvane Deutschland GmbH | Norvane Österreich GmbH
two | Norvane Deutschland GmbH | Norvane GmbH
two | Norvane Europe Ltd | Norvane Asia Ltd
two | Norvane Paints Ltd | Norvane Papers Ltd
two | Norvane Paints Ltd | Norvane Foods Ltd
two | Marlow Insurance Company | Marlow Life Insurance Company
two | Marlow Gas Co. | Marlow Pipeline Co.
two | Marlow Wireless | Marlow
two | First Bank of Ohio | First Bank of Iowa
two | Southern Electric Company | SEC
two | Heath Hall Stores Ltd | HHS
two | District Court | District Attorney
two | Tarn & Holm LLP | Tarn & Hall LLP
two | Smith's Bakery Ltd | Smithson Bakery Ltd
two | Norvane 1 Ltd | Norvane 11 Ltd
two | Orchid Bidco Limited | Orchid Topco Limited
two | Orchid Limited | Orchid Acquisition Limited
two | Norvane Master Trust | Norvane Master Fund
two | ABN Norvane | AMN Norvane
two | Pacific Norvane Inc | Atlantic Norvane Inc
two | Securities and Exchange Commission | Federal Trade Commission
open | Norvane | Norvane Systems Ltd
open | MLB | Meridian Leather Brokers Inc
open | Norvane | Norvane Paints plc
open | Veldhuis Polder Logistics B.V. | VPL
open | National | National Grid Works plc
open | Tarn | Tarn & Holm LLP
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
    lines = [line.replace("\\n", "\n").split(" | ") for line in table.strip().splitlines()]
    return [(verdict, kind, a, b) for verdict, a, b in lines]


PAIRS = _pairs(_PERSONS, "P") + _pairs(_FIRMS, "O")


def verdict_of(kind: str, a: str, b: str, /) -> tuple[bool, bool, bool]:
    """Return whether two names are one in a document, in two near ones, and in any two."""
    one, other = f"so wrote [{kind}:{a}] that day.", f"the answer came from [{kind}:{b}] later."
    (within,) = entities_of([f"{one} {other}"])
    near = entities_of([f"{one} {NEAR}", f"{other} {NEAR}"])
    far = entities_of([one, other])
    return within[0] == within[1], near[0][0] == near[1][0], far[0][0] == far[1][0]


@pytest.mark.parametrize(("a", "b"), _WRITTEN_ALIKE)
def test_two_spellings_of_a_firm_have_one_key(a: str, b: str) -> None:
    one, other = read_organization(a), read_organization(b)
    assert one is not None
    assert other is not None
    assert (one.key, bool(one.family)) == (other.key, True)


@pytest.mark.parametrize(("verdict", "kind", "a", "b"), PAIRS)
def test_two_names(verdict: str, kind: str, a: str, b: str) -> None:
    for pair in ((a, b), (b, a)):
        within, near, far = verdict_of(kind, *pair)
        if verdict == "one":
            assert (within, near) == (True, True)
        elif verdict == "two":
            assert (within, near, far) == (False, False, False)
        else:
            assert not far


def test_the_table_is_long_and_of_all_sorts() -> None:
    counts = {v: sum(p[0] == v for p in PAIRS) for v in ("one", "two", "open")}
    assert len(PAIRS) == len(set(PAIRS)) >= 200
    assert min(counts["one"], counts["two"]) >= 80
