"""Public bodies and firms that everybody calls by their initials, and what those stand for."""

from __future__ import annotations

from casetrack.graph.entities.text import slug

_KNOWN = """
AAA: American Arbitration Association
ADB: Asian Development Bank
AIG: American International Group
BIS: Bank for International Settlements
BMW: Bayerische Motoren Werke
CBP: Customs and Border Protection
CDC: Centers for Disease Control and Prevention
CFPB: Consumer Financial Protection Bureau
CFTC: Commodity Futures Trading Commission
CMS: Centers for Medicare and Medicaid Services
CPUC: California Public Utilities Commission
DHS: Department of Homeland Security
DOD: Department of Defense
DEA: Drug Enforcement Administration
DOE: Department of Energy
DOJ: Department of Justice
DOL: Department of Labor
EBRD: European Bank for Reconstruction and Development
ECB: European Central Bank
EEOC: Equal Employment Opportunity Commission
EIB: European Investment Bank
EMA: European Medicines Agency
EPA: Environmental Protection Agency
EPO: European Patent Office
FAA: Federal Aviation Administration
FASB: Financial Accounting Standards Board
FBI: Federal Bureau of Investigation
FCA: Financial Conduct Authority
FCC: Federal Communications Commission
FDA: Food and Drug Administration
FDIC: Federal Deposit Insurance Corporation
FERC: Federal Energy Regulatory Commission
FHFA: Federal Housing Finance Agency
FINRA: Financial Industry Regulatory Authority
FTC: Federal Trade Commission
GAO: Government Accountability Office
GSK: GlaxoSmithKline
HHS: Department of Health and Human Services
HMRC: HM Revenue and Customs | Her Majesty's Revenue and Customs | His Majesty's Revenue and Customs
HUD: Department of Housing and Urban Development
IAEA: International Atomic Energy Agency
IASB: International Accounting Standards Board
IBM: International Business Machines
IBRD: International Bank for Reconstruction and Development
ICAO: International Civil Aviation Organization
ICC: International Chamber of Commerce
IEA: International Energy Agency
ILO: International Labour Organization | International Labor Organization
IMF: International Monetary Fund
IMO: International Maritime Organization
IRS: Internal Revenue Service
ISDA: International Swaps and Derivatives Association
ISO: International Organization for Standardization
ITC: International Trade Commission
KPMG: Klynveld Peat Marwick Goerdeler
LCIA: London Court of International Arbitration
NASA: National Aeronautics and Space Administration
NATO: North Atlantic Treaty Organization
NHTSA: National Highway Traffic Safety Administration
NIH: National Institutes of Health
NIST: National Institute of Standards and Technology
NLRB: National Labor Relations Board
NRC: Nuclear Regulatory Commission
NTSB: National Transportation Safety Board
NYSE: New York Stock Exchange
OCC: Office of the Comptroller of the Currency
OECD: Organisation for Economic Co-operation and Development
OFAC: Office of Foreign Assets Control
OPEC: Organization of the Petroleum Exporting Countries
OSHA: Occupational Safety and Health Administration
PBGC: Pension Benefit Guaranty Corporation
PCAOB: Public Company Accounting Oversight Board
SBA: Small Business Administration
SEC: Securities and Exchange Commission
SFO: Serious Fraud Office
UNESCO: United Nations Educational, Scientific and Cultural Organization
UPS: United Parcel Service
USDA: Department of Agriculture
USPTO: Patent and Trademark Office
WHO: World Health Organization
WIPO: World Intellectual Property Organization
WTO: World Trade Organization
"""
_OWNERS = ("", "us-", "united-states-")
"""What may stand before the name of a body, in the form of a key."""


def _read() -> dict[str, str]:
    found = {}
    for line in _KNOWN.strip().splitlines():
        letters, _, names = line.partition(": ")
        for name in names.split(" | "):
            key = slug(name).removesuffix("-corporation")
            found.update({owner + key: letters.lower() for owner in _OWNERS})
        found[letters.lower()] = letters.lower()
        found[f"us-{letters.lower()}"] = letters.lower()
    return found


PUBLIC_INITIALS = _read()
"""For the key of a public body or firm, without its legal form, its initials, folded."""


def may_be_initials(letters: str, key: str, /) -> bool:
    """Return whether letters that everybody knows as a public body's can be initials of *key*.

    Parameters
    ----------
    letters
        Folded.
    key
        Of the longer name, without its legal form.

    Examples
    --------
    >>> may_be_initials("sec", "southern-energy"), may_be_initials("htv", "halden-tele-vision")
    (False, True)
    """
    return letters not in PUBLIC_INITIALS or PUBLIC_INITIALS.get(key) == letters


def is_public_body(key: str, /) -> bool:
    """Return whether a key, without its legal form, names what documents of all kinds mention."""
    return key in PUBLIC_INITIALS
