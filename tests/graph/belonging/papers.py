"""Filings of three companies, and invoices, orders and contracts that belong together by number."""

from __future__ import annotations

from graph.belonging.measure import read_papers

TYPES = ("interim_of", "supplements", "exhibit_of", "bills", "made_under", "amends")


def report(form: str, company: str, number: str, period: str, more: str = "") -> str:
    """Return the first pages of a filing."""
    what = {
        "10-K": f"ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d)\n\nFor the fiscal year ended {period}",
        "10-Q": f"QUARTERLY REPORT PURSUANT TO SECTION 13 OR 15(d)\n\nFor the quarterly period ended {period}",
        "8-K": f"CURRENT REPORT\n\nDate of Report (Date of earliest event reported): {period}",
    }[form[:4].rstrip("/")]
    return f"""UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
Washington, D.C. 20549

FORM {form}

{what}

Commission file number {number}

{company}
(Exact name of registrant as specified in its charter)

Delaware

{more}
"""


_FILINGS, _OF_FILINGS = read_papers(
    """
f/1.txt: 10-K | Palisade Instruments, Inc. | 1-40771 | December 31, 2021 | Net sales rose to 812 million dollars.
f/2.txt > interim_of > f/1.txt: 10-Q | Palisade Instruments, Inc. | 1-40771 | March 31, 2021 | Net sales of the first quarter rose.
f/3.txt > interim_of > f/1.txt: 10-Q | PALISADE INSTRUMENTS, INC. | 001-40771 | September 30, 2021 | Net sales of the third quarter fell.
f/4.txt > supplements > f/1.txt: 10-Q | Palisade Instruments, Inc. | 1-40771 | June 30, 2022 | Net sales of a later year.
f/5.txt: 10-K | Thornbury Brewing Company | 0-22890 | September 30, 2022 | Beer and cider.
f/6.txt > interim_of > f/5.txt: 10-Q | Thornbury Brewing Company | 0-22890 | December 31, 2021 | The first quarter of fiscal 2022.
f/7.txt > amends > f/5.txt: 10-K/A | Thornbury Brewing Company | 0-22890 | September 30, 2022 | Part III is added by this amendment.
f/8.txt: 8-K | Ridgeway Lumber Corporation | 1-09912 | February 9, 2023 | Item 9.01 Financial Statements and Exhibits ¶ Exhibit No. ¶ 99.1 Press release dated February 9, 2023 ¶ 104 Cover page
"""
)
_PAPERS, _OF_PAPERS = read_papers(
    """
f/9.txt > exhibit_of > f/8.txt: Exhibit 99.1 | RIDGEWAY LUMBER CORPORATION REPORTS FOURTH QUARTER RESULTS | TACOMA, Wash., February 9, 2023 | Ridgeway Lumber Corporation today reported net income of 41 million dollars.
f/10.txt: Exhibit 99.1 | Thornbury Brewing Company Announces Dividend | Salem, February 9, 2023 | Thornbury Brewing Company declared a dividend of ten cents.
n/frame.txt: FRAMEWORK SUPPLY AGREEMENT | Contract No. FSA-2021/08 | between Holm Castings Ltd and Averill Tractors plc, dated 1 August 2021 | 1. Orders ¶ 2. Prices
n/order a.txt > made_under > n/frame.txt: PURCHASE ORDER | Averill Tractors plc ¶ To: Holm Castings Ltd | PO Number: 4500091277 ¶ Contract No.: FSA-2021/08 ¶ Date: 3 May 2022 | 200 gear housings
n/order b.txt: PURCHASE ORDER | Averill Tractors plc ¶ To: Holm Castings Ltd | PO Number: 4500091299 ¶ Date: 9 May 2022 | 40 brackets
n/invoice 1.txt > bills > n/order a.txt: INVOICE | Holm Castings Ltd | Invoice No.: 88120 ¶ Your Order No.: 4500091277 ¶ Date: 30 June 2022 | 200 gear housings      GBP 31,000
n/invoice 2.txt > bills > n/order b.txt: INVOICE | Holm Castings Ltd | Invoice No.: 88143 ¶ Purchase Order: 4500091299 ¶ Date: 8 July 2022 | 40 brackets
n/invoice 3.txt: INVOICE | Somebody Else GmbH | Invoice No.: 4500091 ¶ Order No.: 4500099999 ¶ Date: 8 July 2022
n/rechnung.txt > bills > n/bestellung.txt: RECHNUNG | Lindner Pumpen GmbH | Rechnungsnummer: RE-2022-118 ¶ Bestellnummer: B-7781 ¶ Datum: 4. Juli 2022
n/bestellung.txt > made_under > n/rahmen.txt: BESTELLUNG | Wasserwerk Aue AG an Lindner Pumpen GmbH | Bestellnummer: B-7781 ¶ gemäß Rahmenvertrag Nr. RV-17/03 ¶ Datum: 1. Juni 2022
n/rahmen.txt: RAHMENVERTRAG | Nr. RV-17/03 | zwischen Wasserwerk Aue AG und Lindner Pumpen GmbH vom 2. Januar 2017
"""
)
FILES = {path: report(*facts.split("\n\n")) for path, facts in _FILINGS.items()} | _PAPERS
EDGES = _OF_FILINGS | _OF_PAPERS
