"""The identity card: parties with roles, issuer, dates and numbers, each at its place."""

from __future__ import annotations

import pytest

from casetrack.extract.card.cover import Cover
from casetrack.extract.card.read import card_columns
from casetrack.extract.papers.text import TextPage

PARTIES = {
    "SUPPLY AGREEMENT between Oak Inc. (“Customer”) and Marsh Ltd. (“Marsh”)": (
        "Oak Inc.: customer; Marsh Ltd.: supplier"
    ),
    "Services agreement between Oak Inc. (“Customer”) and Marsh Ltd. (“Marsh”)": (
        "Oak Inc.: customer; Marsh Ltd."
    ),
    "A lease made by Oak Inc. (“Tenant”), in favor of Marsh Ltd.": (
        "Oak Inc.: tenant; Marsh Ltd.: landlord"
    ),
    "Agreement between Oak Inc., a firm and the owner of Elm (“Buyer”), Zed plc and Marsh Ltd.": (
        "Oak Inc.: buyer; Zed plc; Marsh Ltd."
    ),
    "LOAN AGREEMENT\namong\nOAK AND RYE, INC.,\nELM B.V.\nand\nFIR AB\neach a Borrower\nand\n"
    "MARSH BANK N.A.\nas Agent": (
        "OAK AND RYE, INC.: borrower; ELM B.V.: borrower; FIR AB: borrower; MARSH BANK N.A.: agent"
    ),
    "This License Agreement is made by and between Oak Inc., a Maine firm with offices at 1 Elm St "
    "(“Oak”), and ___________, of ________ (the “Licensee”). WHEREAS": (
        "Oak Inc.: licensor; : licensee"
    ),
    "WAIVER by and among the following parties: (a) Oak LLC, a Maine firm (the “Borrower”); and "
    "(b) Elm Inc., a Maine firm (the “Bank” or the “Lender”). RECITALS": (
        "Oak LLC: borrower; Elm Inc.: lender"
    ),
    "This Agreement is between Oak Inc. (the “Company”) and the undersigned (“you”). It ends.": (
        "Oak Inc.: company; : party"
    ),
    "EMPLOYMENT AGREEMENT, dated May 3, 2021, between Oak Bank Note Corp., its successors (the "
    "“Company”), and J. William Roe (“Executive”). Oak Corp. pays.": (
        "Oak Bank Note Corp.: employer; J. William Roe: executive"
    ),
    "Arbeitsvertrag zwischen der Eiche GmbH, Hauptstr. 1, Köln (nachfolgend „Arbeitgeber“) und "
    "Herrn Max Roth (nachfolgend „Arbeitnehmer“)": (
        "Eiche GmbH: arbeitgeber; Max Roth: arbeitnehmer"
    ),
    "Contract\nContractor: Oak Ltd.\nEmployer: Marsh Council": (
        "Oak Ltd.: contractor; Marsh Council: employer"
    ),
    "CREDIT AGREEMENT\nAmong\nOAK INC.,\nas Borrower,\nTHE LENDERS PARTY HERETO\nand\nELM BANK N.A."
    ",\nas Agent\nTABLE OF CONTENTS": "OAK INC.: borrower; ELM BANK N.A.: agent",
    "ASSIGNMENT made between Oak LLC (“Assignor”), in favor of Elm Bank N.A., 9 Bank Tower Trust "
    "Road (the “Assignee”). It ends.": "Oak LLC: assignor; Elm Bank N.A.: assignee",
    "CONTRAT DE BAIL\nENTRE :\nOak SARL, représentée par Anne Roux,\nCi-après dénommée « le "
    "Bailleur »,\nET\nElm SAS,\nCi-après dénommée « le Locataire »\nARTICLE 1": (
        "Oak SARL: bailleur; Elm SAS: locataire"
    ),
    "For value received, the undersigned Oak Inc. (“Borrower”) promises to pay to the order of Elm "
    "Bank, N.A. $9": "Oak Inc.: borrower; Elm Bank, N.A.: payee",
    "The difference between Oak and Marsh is small.": "",
    "CONTRACT\n(1)\nOAK SPAIN,\nS.L. (hereinafter, the “Contractor”), of 5 Elm.\n(2)\nELM, S.L.\n"
    "(hereinafter, the “Owner”), of 6": "OAK SPAIN, S.L.: contractor; ELM, S.L.: owner",
}


@pytest.mark.parametrize(("text", "expected"), PARTIES.items())
def test_parties_have_their_roles(text: str, expected: str) -> None:
    card = card_columns(Cover([TextPage(1, text)]), "contract")["card"] or ()
    parties = [f for f in card if f.field == "party"]
    assert "; ".join(f"{f.value}: {f.role}" if f.role else f.value for f in parties) == expected
    for party in parties:
        assert " ".join(text[party.start : party.end].split()) == party.value or not party.value


CARDS = {
    "annual report: UNITED STATES\nSECURITIES AND EXCHANGE COMMISSION\nFORM 10-K\nFor the fiscal "
    "year ended June 30, 2023\nOAK HOLDINGS, INC.\n(Exact name of registrant as specified in its "
    "charter)": "own_title: FORM 10-K; issuer: OAK HOLDINGS, INC.; period: 2022-07-01/2023-06-30",
    "invoice: OAK LTD\nINVOICE\nInvoice No: A-17\nInvoice Date: 3 May 2024\nBill to:\nMarsh plc": (
        "own_title: INVOICE; issuer: OAK LTD; addressee: Marsh plc; stated_on: 2024-05-03; "
        "own_number: A-17"
    ),
    "contract: FRANCHISE AGREEMENT\nTABLE OF CONTENTS\n1. FEES": "own_title: FRANCHISE AGREEMENT",
    "report: Oak plc 26 The Quadrant, Elm, OX14 3YS\nT: 0123  F: 0124\nClient: Ash\n"
    "Kelp Framework\nProject Audit Report": "own_title: Kelp Framework Project Audit Report",
    "press release: FOR PRESS RELEASE ON 16 MARCH 2026\nELM COLLEGE IS NOW OFFICIALLY\n"
    "A HUB FOR HIGHER EDUCATION\nELM, OHIO\nText.": (
        "own_title: ELM COLLEGE IS NOW OFFICIALLY A HUB FOR HIGHER EDUCATION; stated_on: 2026-03-16"
    ),
    "other: CONTACT\nCERTIFICATIONS\nSOLUTIONS ARCHITECT\nOct 2020 | Credentials\nCase No: 47": (
        "own_number: 47"
    ),
    "form: ELM CREDIT APPLICATION\nDate of Birth: 05/14/1985": "own_title: ELM CREDIT APPLICATION",
    "minutes: Agenda\n* Find volunteers for the review meeting": "own_title: Agenda",
    "invoice: Rechnung Nr. 471 vom 05.03.2020\nVerkäufer:\nNummer : 54\nEiche GmbH": (
        "own_title: Rechnung Nr. 471 vom 05.03.2020; issuer: Eiche GmbH; stated_on: 2020-03-05; "
        "own_number: 471"
    ),
    "correspondence: OAK CORP.\nMay 3, 2024\nMs Ann Roe   BY FAX\n1 Elm St\nRe: The jetty\nDear Al:"
    "\nIt is from June 1, 2023.": (
        "own_title: The jetty; issuer: OAK CORP.; addressee: Ms Ann Roe; stated_on: 2024-05-03"
    ),
    "press release: March 9, 2023\nOak Will Sell Elm\nBRISTOL--(WIRE)-- Oak, Inc. (NYSE: OAK) "
    "today announced the fiscal year ended January 28, 2023.": (
        "own_title: Oak Will Sell Elm; issuer: Oak, Inc.; stated_on: 2023-03-09; period: 2023-01-28"
    ),
    "press release: Storm ahead of us - Weather Office\nHome\nStorm ahead of us\nIt blows.": (
        "own_title: Storm ahead of us; issuer: Weather Office"
    ),
    "other: Skip to main content\nA year of work\nElm Works grew. Write to info@mail.elmworks.com. "
    "Elm Works is old.": "own_title: A year of work; issuer: Elm Works",
    "other: Doc 632-1 Filed 04/18/18 Page 2 of 60\n1 Ann Roe\n2 Elm Street\nOak County District "
    "Attorney\n(Oak County District Attorney’s Office)": "issuer: Oak County District Attorney",
    "invoice: ann roe\nOAK SHOPS\n(JM0517)\nINVOICE": "own_title: INVOICE; issuer: OAK SHOPS",
    "invoice: Eiche GmbH\nRechnung\nNetto 473,00 EUR\nMwSt 19 % 56,87 EUR\nSumme 529,87 EUR": (
        "own_title: Rechnung; issuer: Eiche GmbH; total: 529,87 EUR"
    ),
    "invoice: Invoice A-1\nInvoice date | Due\n20 January 2025 | 45 days\n\n1 of 3 May 2024": (
        "own_title: Invoice A-1; stated_on: 2025-01-20"
    ),
    "report: Progress Report, Third Quarter 2024": (
        "own_title: Progress Report, Third Quarter 2024; period: 2024-07-01/2024-09-30"
    ),
    "other: Case 17-3510, Document 3, 10/31/2017, Page1 of 2\nU.S. COURT OF APPEALS\nOAK INC.,"
    "\nAppellant,\nv.\nELM LLC\nORDER\nIt has time.": (
        "own_title: ORDER; issuer: U.S. COURT OF APPEALS"
    ),
    "report: OFFICE OF THE AUDITOR\nANNUAL STATEMENT\nMay 1, 2023, through June 30, 2023": (
        "own_title: ANNUAL STATEMENT; issuer: OFFICE OF THE AUDITOR; period: 2023-05-01/2023-06-30"
    ),
    "report: Day | Firm\n05/31/2024 | Oak\n05/30/2024 | Elm\nPlans\nIssued May 3, 2024": (
        "stated_on: 2024-05-03"
    ),
    # Cash less change is the total; one figure alone is not sure.
    "other: CASH BILL\nTOTAL 9.00\nCASH 9.50\nCHANGE 0.50": "own_title: CASH BILL; total: 9.00",
    "invoice: Invoice\nTotal $1,000.00\nTotal items 3.00": "own_title: Invoice",
    "contract: SECOND AMENDMENT\nTO\nLEASE\ndated as of May 3, 2024\nWHEREAS, this June 9, 2024": (
        "own_title: SECOND AMENDMENT TO LEASE; stated_on: 2024-05-03; base: LEASE"
    ),
    "minutes: Minutes of the board\nOak plc, 3 May 2024, 10:00\nThe firm grows. It is put to the "
    "general meeting on 9 June 2024.": "own_title: Minutes of the board; stated_on: 2024-05-03",
}


@pytest.mark.parametrize(("text", "expected"), CARDS.items())
def test_fields_are_read_at_their_places(text: str, expected: str) -> None:
    kind, _, words = text.partition(": ")
    columns = card_columns(Cover([TextPage(1, words)]), kind)
    columns["total"] = next((f.value for f in columns["card"] if f.field == "total"), None)
    order = "own_title issuer addressee stated_on period own_number base total".split()
    assert "; ".join(f"{n}: {columns[n]}" for n in order if columns[n]) == expected
    for fact in columns["card"]:
        if fact.field in {"title", "issuer", "addressee", "number", "base", "total"}:
            assert " ".join(words[fact.start : fact.end].split()) == fact.value
