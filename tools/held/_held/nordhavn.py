"""The figures of Nordhavn Vind ASA: three years, euros in millions."""

from __future__ import annotations

from _held.figures import Series, cell, statements
from _held.layout import Sheet

TWO = ("Note", "2022", "2021")


def lines() -> dict[str, Series]:
    """The model of the firm."""
    found = statements(
        revenue={
            "offshore": (486, 533, 741),
            "onshore": (212, 225, 298),
            "services": (96, 118, 164),
        },
        costs={
            "cogs": (118, 141, 236),
            "staff": (97, 104, 121),
            "om": (143, 151, 172),
            "written": (199, 214, 232),
            "impairment": (0, 0, 58),
        },
        flows={
            "interest_income": (2, 3, 9),
            "interest_expense": (74, 71, 83),
            "tax": (34, 42, 71),
            "depreciation": (176, 189, 262),
            "rou_depreciation": (14, 15, 17),
            "amortisation": (9, 10, 11),
            "sbc": (38, 41, 44),
            "capex": (310, 402, 365),
            "disposals": (0, 7, 0),
            "acquired_goodwill": (0, 0, 0),
            "acquired_intangibles": (6, 21, 9),
            "repaid": (40, 40, 240),
            "dividends": (53, 61, 78),
            "repurchases": (0, 0, 0),
            "lease_principal": (12, 13, 15),
            "rou_additions": (9, 22, 31),
            "fx": (-6, 4, -11),
            "pension_loss": (1, -2, -3),
            "deferred_tax": (11, 14, 19),
        },
        opening={
            "cash": 214,
            "receivables": 88,
            "inventories": 26,
            "other_current": 31,
            "ppe": 3120,
            "rou": 141,
            "goodwill": 86,
            "intangibles": 102,
            "payables": 79,
            "accrued": 66,
            "contract": 12,
            "short_debt": 40,
            "long_debt": 1690,
            "leases": 149,
            "pension": 18,
            "dtl": 171,
            "capital": 212,
            "premium": 604,
            "reserves": -21,
            "treasury": 0,
        },
        levels={
            "receivables": (91, 117, 152),
            "inventories": (28, 27, 35),
            "other_current": (29, 46, 88),
            "payables": (83, 104, 131),
            "accrued": (70, 77, 118),
            "contract": (14, 11, 16),
            "short_debt": (40, 240, 40),
            "long_debt": (1650, 1610, 1870),
        },
        shares=(212.0, 218.4, 224.0),
    )
    found["power"] = found["cogs"]
    found["ebitda"] = Series(
        tuple(
            o + w + i
            for o, w, i in zip(
                found["operating"].values,
                found["written"].values,
                found["impairment"].values,
                strict=True,
            )
        )
    )
    found["net_debt"] = Series(
        tuple(d - c for d, c in zip(found["debt"].values, found["cash"].values, strict=True))
    )
    return found


def _row(kind: str, label: str, line: Series, sign: int = 1, digits: int = 0, note: str = ""):
    return (kind, label, note, *(cell(sign * v, digits) for v in reversed(line.values[-2:])))


def _bare(kind: str, label: str, line: Series, sign: int = 1, digits: int = 0):
    return (kind, label, *(cell(sign * v, digits) for v in reversed(line.values[-2:])))


def sheets(x: dict[str, Series]) -> dict[str, Sheet]:
    """All tables of the report."""
    r, b = _row, _bare
    w = (34, 66, 66)
    parts = ("capital", "premium", "reserves", "retained", "equity")

    def at(t: int):
        return ("s", f"31 December {2019 + t}", *(cell(x[p][t]) for p in parts))

    changes = [at(1)]
    for t in (2, 3):
        y = t - 1
        other = x["fx"][y] - x["pension_loss"][y]
        changes += [
            ("r", "Result of the year", "", "", "", *[cell(x["net"][y])] * 2),
            ("r", "Other comprehensive income", "", "", cell(other), "", cell(other)),
            ("r", "Shares issued", "", cell(x["sbc"][y]), "", "", cell(x["sbc"][y])),
            ("r", "Dividends", "", "", "", *[cell(-x["dividends"][y])] * 2),
            at(t),
        ]
    ebitda = {"Offshore": (521, 373), "Onshore": (139, 97), "Services": (46, 31)}
    head = [int(x["ebitda"][2]) - 706, int(x["ebitda"][1]) - 501]
    share = round(100 * x["equity"][3] / x["assets"][3])
    assert share == 44, share
    rate = [0.22 * v for v in x["before_tax"].values]
    quarter = {
        "Income": (338, 251, 274, 340),
        "EBITDA": (208, 131, 152, 183),
        "Operating result": (151, 75, 94, 64),
        "Result of the year": (103, 42, 58, 36),
        "Output, GWh": (2114, 1287, 1190, 1827),
    }
    for name, key in (
        ("Income", "revenue"),
        ("EBITDA", "ebitda"),
        ("Operating result", "operating"),
        ("Result of the year", "net"),
    ):
        assert sum(quarter[name]) == x[key][2], (name, x[key][2])
    assert sum(quarter["Output, GWh"]) == 6418
    return {
        "key": Sheet(
            ("2022", "2021"),
            [
                b("r", "Income", x["revenue"]),
                b("r", "EBITDA", x["ebitda"]),
                b("r", "Operating result", x["operating"]),
                b("r", "Result of the year", x["net"]),
                b("r", "Result per share, euros", x["eps"], digits=2),
                b("r", "Investment in parks and ships", x["capex"]),
                b("r", "Net interest-bearing debt", x["net_debt"]),
                ("r", "Output, GWh", "6,418", "6,629"),
                ("r", "People", "1,286", "1,122"),
            ],
        ),
        "parks": Sheet(
            ("MW", "Since", "GWh 2022", "Load factor", "Availability"),
            [
                ("h", "Offshore"),
                ("r", "Tern Sands", "288", "2013", "986", "39.1 %", "92.4 %"),
                ("r", "Skarv Bank", "406", "2016", "1,494", "42.0 %", "95.8 %"),
                ("r", "Gannet Deep (our half)", "330", "2020", "1,312", "45.4 %", "97.1 %"),
                ("h", "Onshore"),
                ("r", "Norway, five parks", "412", "2006", "1,236", "34.2 %", "96.0 %"),
                ("r", "Sweden, four parks", "344", "2010", "951", "31.6 %", "96.9 %"),
                ("r", "Germany, two parks", "187", "2003", "439", "26.8 %", "94.7 %"),
                ("t", "All parks", "1,967", "", "6,418", "37.2 %", "95.6 %"),
            ],
        ),
        "income": Sheet(
            TWO,
            [
                r("r", "Income", x["revenue"], note="3"),
                r("r", "Power and balancing bought", x["cogs"], -1),
                r("r", "Staff", x["staff"], -1, note="5"),
                r("r", "Operation and maintenance", x["om"], -1, note="6"),
                r("s", "EBITDA", x["ebitda"]),
                r("r", "Depreciation and amortisation", x["written"], -1, note="9"),
                r("r", "Impairment of Skarv Bank", x["impairment"], -1, note="9"),
                r("s", "Operating result", x["operating"]),
                r("r", "Financial income", x["interest_income"], note="7"),
                r("r", "Financial expenses", x["interest_expense"], -1, note="7"),
                r("s", "Result before tax", x["before_tax"]),
                r("r", "Tax", x["tax"], -1, note="8"),
                r("t", "Result of the year", x["net"]),
                r("r", "Result per share, euros", x["eps"], digits=2),
            ],
            widths=w,
            first="Millions of euros",
        ),
        "comprehensive": Sheet(
            ("2022", "2021"),
            [
                b("r", "Result of the year", x["net"]),
                b("r", "Currency differences of subsidiaries", x["fx"]),
                b("r", "Pensions, net of tax", x["pension_loss"], -1),
                b("t", "Total comprehensive income", x["comprehensive"]),
            ],
        ),
        "balance": Sheet(
            TWO,
            [
                ("h", "Assets"),
                r("r", "Parks, ships and equipment", x["ppe"], note="9"),
                r("r", "Rights of use", x["rou"], note="13"),
                r("r", "Goodwill", x["goodwill"], note="10"),
                r("r", "Licences and software", x["intangibles"], note="10"),
                r("r", "Spare parts", x["inventories"]),
                r("r", "Trade receivables", x["receivables"], note="14"),
                r("r", "Other current assets", x["other_current"], note="14"),
                r("r", "Cash", x["cash"]),
                r("t", "Total assets", x["assets"]),
                ("h", "Equity and liabilities"),
                r("r", "Share capital", x["capital"]),
                r("r", "Share premium", x["premium"]),
                r("r", "Other reserves", x["reserves"]),
                r("r", "Retained earnings", x["retained"]),
                r("s", "Equity", x["equity"]),
                r("r", "Bonds and loans, due after a year", x["long_debt"], note="11"),
                r("r", "Bonds and loans, due within a year", x["short_debt"], note="11"),
                r("r", "Lease obligations", x["leases"], note="13"),
                r("r", "Pensions", x["pension"], note="15"),
                r("r", "Deferred tax and taking down", x["dtl"], note="8, 12"),
                r("r", "Trade payables", x["payables"]),
                r("r", "Other payables", x["accrued"]),
                r("r", "Prepaid by customers", x["contract"]),
                r("s", "Liabilities", x["liabilities"]),
                (
                    "t",
                    "Total equity and liabilities",
                    "",
                    cell(x["assets"][3]),
                    cell(x["assets"][2]),
                ),
            ],
            widths=w,
            first="Millions of euros, 31 December",
        ),
        "cash": Sheet(
            TWO[1:],
            [
                b("r", "Result of the year", x["net"]),
                (
                    "r",
                    "Depreciation and amortisation",
                    cell(x["written"][2]),
                    cell(x["written"][1]),
                ),
                b("r", "Impairment", x["impairment"]),
                b(
                    "r",
                    "Deferred tax and other items without payment",
                    Series(
                        tuple(
                            d + s
                            for d, s in zip(x["deferred_tax"].values, x["sbc"].values, strict=True)
                        )
                    ),
                ),
                b("r", "Spare parts", x["d_inventories"]),
                b("r", "Receivables", x["d_receivables"]),
                b("r", "Other assets", x["d_other"]),
                b("r", "Trade payables", x["d_payables"]),
                b("r", "Other payables", x["d_accrued"]),
                b("r", "Prepaid by customers", x["d_contract"]),
                b("s", "Cash flow from operations", x["cfo"]),
                b("r", "Investment in parks and ships", x["capex"], -1),
                b("r", "Investment in licences and software", x["acquired_intangibles"], -1),
                b("r", "Sale of equipment", x["disposals"]),
                b("s", "Cash flow from investment", x["cfi"]),
                b("r", "Bonds and loans raised", x["issued"]),
                b("r", "Bonds and loans repaid", x["repaid"], -1),
                b("r", "Lease payments", x["lease_principal"], -1),
                b("r", "Dividends", x["dividends"], -1),
                b("s", "Cash flow from financing", x["cff"]),
                b("r", "Currency differences", x["fx"]),
                b("s", "Change in cash", x["cash_change"]),
                ("r", "Cash on 1 January", cell(x["cash"][2]), cell(x["cash"][1])),
                b("t", "Cash on 31 December", x["cash"]),
            ],
            first="Millions of euros",
        ),
        "equity": Sheet(
            ("Share\ncapital", "Share\npremium", "Other\nreserves", "Retained\nearnings", "Equity"),
            changes,
            first="Millions of euros",
        ),
        "segments": Sheet(
            ("2022", "2021"),
            [
                ("h", "Income"),
                b("r", "Offshore", x["seg_offshore"]),
                b("r", "Onshore", x["seg_onshore"]),
                b("r", "Services", x["seg_services"]),
                b("s", "Income", x["revenue"]),
                ("h", "EBITDA"),
                *(("r", k, cell(v[0]), cell(v[1])) for k, v in ebitda.items()),
                ("r", "Head office", cell(head[0]), cell(head[1])),
                b("s", "EBITDA", x["ebitda"]),
            ],
        ),
        "levies": Sheet(
            ("2022", "2021"),
            [
                ("r", "Netherlands", "41", "—"),
                ("r", "Norway", "29", "—"),
                ("r", "Germany", "18", "—"),
                ("s", "Levies, taken off income", "88", "—"),
            ],
        ),
        "staff": Sheet(
            ("2022", "2021"),
            [
                ("r", "Wages", "94", "81"),
                ("r", "Social security", "15", "13"),
                ("r", "Pensions", "8", "7"),
                ("r", "Other", "4", "3"),
                b("s", "Staff", x["staff"]),
            ],
        ),
        "om": Sheet(
            ("2022", "2021"),
            [
                ("r", "Service contracts", "78", "71"),
                ("r", "Ships and helicopters", "39", "31"),
                ("r", "Insurance", "21", "18"),
                ("r", "Grid fees", "19", "18"),
                ("r", "Other", "15", "13"),
                b("s", "Operation and maintenance", x["om"]),
            ],
        ),
        "finance": Sheet(
            ("2022", "2021"),
            [
                ("r", "Interest on bonds and loans", "69", "58"),
                ("r", "Interest on leases", "5", "5"),
                ("r", "Margin calls and guarantees", "6", "2"),
                ("r", "Other", "3", "6"),
                b("s", "Financial expenses", x["interest_expense"]),
            ],
        ),
        "tax": Sheet(
            ("2022", "2021"),
            [
                ("r", "Norwegian rate, 22 %", f"{rate[2]:.1f}", f"{rate[1]:.1f}"),
                ("r", "Losses in Germany not recorded", "6.9", "2.2"),
                ("r", "Other", cell(71 - rate[2] - 6.9, 1), cell(42 - rate[1] - 2.2, 1)),
                ("s", "Tax", "71.0", "42.0"),
            ],
        ),
        "ppe": Sheet(
            ("Parks at\nsea", "Parks on\nland", "Ships,\nother", "Being\nbuilt", "Total"),
            [
                (
                    "r",
                    "1 January 2022",
                    "2,061",
                    "784",
                    "216",
                    cell(x["ppe"][2] - 3061),
                    cell(x["ppe"][2]),
                ),
                ("r", "Investment", "11", "24", "12", "318", "365"),
                ("r", "Depreciation", "(131)", "(56)", "(17)", "—", "(204)"),
                ("r", "Impairment", "(58)", "—", "—", "—", "(58)"),
                (
                    "s",
                    "31 December 2022",
                    "1,883",
                    "752",
                    "211",
                    cell(x["ppe"][3] - 2846),
                    cell(x["ppe"][3]),
                ),
            ],
        ),
        "rights": Sheet(
            ("2022", "2021"),
            [
                ("r", "Goodwill, services", "52", "52"),
                ("r", "Goodwill, onshore", "34", "34"),
                ("r", "Licences", "71", "74"),
                ("r", "Software", cell(x["intangibles"][3] - 71), cell(x["intangibles"][2] - 74)),
            ],
        ),
        "debt": Sheet(
            ("Rate", "Due", "2022", "2021"),
            [
                ("r", "Bond of 2015", "2.750 %", "2022", "—", "200"),
                ("r", "Green bond of 2019", "1.625 %", "2026", "500", "500"),
                ("r", "Green bond of 2022", "3.875 %", "2029", "300", "—"),
                ("r", "Loan of Tern Sands", "3.1 %", "2028", "240", "280"),
                ("r", "European development loan", "2.2 %", "2034", "870", "870"),
                ("t", "Bonds and loans", "", "", cell(x["debt"][3]), cell(x["debt"][2])),
            ],
        ),
        "decommission": Sheet(
            ("2022", "2021"),
            [
                ("r", "1 January", "119", "112"),
                ("r", "New estimate for Skarv Bank", "16", "—"),
                ("r", "Interest", "3", "2"),
                ("r", "Other changes", "(4)", "5"),
                ("s", "31 December", "134", "119"),
            ],
        ),
        "quarters": Sheet(
            ("First", "Second", "Third", "Fourth", "2022"),
            [("r", k, *map(cell, v), cell(sum(v))) for k, v in quarter.items()],
        ),
        "parent": Sheet(
            ("2022", "2021"),
            [
                ("r", "Dividends and interest from subsidiaries", "248", "197"),
                ("r", "Staff and other costs", "(39)", "(34)"),
                ("r", "Write-down of shares in Skarv Bank AS", "(21)", "—"),
                ("r", "Interest paid", "(31)", "(26)"),
                ("r", "Gain on forward sales", "49", "8"),
                ("r", "Tax", "(5)", "(3)"),
                ("s", "Result of the parent", "201", "142"),
            ],
            first="Millions of euros",
        ),
        "pay": Sheet(
            ("Fixed", "Bonus", "Pension", "Total"),
            [
                ("r", "Sunniva Aarlie-Holm", "486", "214", "92", "792"),
                ("r", "Matteo Brandolini (from 1 August)", "138", "52", "21", "211"),
                ("r", "Ragnhild Storøy", "298", "98", "47", "443"),
                ("r", "Claus-Peter Lührs", "305", "71", "44", "420"),
                ("r", "Eline Sætre", "241", "79", "36", "356"),
            ],
            first="Thousands of euros, 2022",
        ),
    }
