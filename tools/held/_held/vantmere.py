"""The figures of Vantmere Precision, Inc.: three years, US dollars in millions."""

from __future__ import annotations

from _held.figures import Series, cell, statements
from _held.layout import Sheet

YEARS = ("2023", "2022", "2021")


def lines() -> dict[str, Series]:
    """The model of the firm."""
    found = statements(
        revenue={
            "metrology": (612, 658, 701),
            "flow": (433, 471, 455),
            "services": (221, 243, 268),
        },
        costs={
            "cogs": (741, 812, 838),
            "sga": (246, 259, 271),
            "rd": (88, 97, 106),
            "amortisation": (24, 26, 31),
            "restructuring": (0, 9, 22),
        },
        flows={
            "interest_income": (2, 3, 7),
            "interest_expense": (21, 24, 38),
            "tax": (31, 33, 27),
            "depreciation": (46, 49, 53),
            "rou_depreciation": (17, 18, 19),
            "amortisation": (24, 26, 31),
            "sbc": (14, 15, 17),
            "capex": (52, 66, 84),
            "disposals": (3, 2, 6),
            "acquired_goodwill": (0, 0, 41),
            "acquired_intangibles": (0, 0, 35),
            "repaid": (25, 25, 25),
            "dividends": (46, 48, 49),
            "repurchases": (50, 71, 82),
            "lease_principal": (16, 17, 19),
            "rou_additions": (12, 21, 33),
            "fx": (2, -9, 4),
            "pension_loss": (-6, -3, 5),
            "deferred_tax": (-2, 3, -4),
        },
        opening={
            "cash": 168,
            "receivables": 221,
            "inventories": 246,
            "other_current": 38,
            "ppe": 342,
            "rou": 71,
            "goodwill": 566,
            "intangibles": 248,
            "payables": 118,
            "accrued": 131,
            "contract": 79,
            "short_debt": 25,
            "long_debt": 340,
            "leases": 74,
            "pension": 62,
            "dtl": 44,
            "capital": 6,
            "premium": 301,
            "reserves": -58,
            "treasury": -212,
        },
        levels={
            "receivables": (236, 259, 252),
            "inventories": (261, 312, 287),
            "other_current": (41, 44, 47),
            "payables": (126, 139, 128),
            "accrued": (137, 133, 152),
            "contract": (84, 92, 101),
            "short_debt": (25, 25, 25),
            "long_debt": (315, 352, 390),
        },
        shares=(58.4, 57.1, 55.9),
    )
    found["seg_corporate"] = Series((49, 55, 61))
    return found


def _row(kind: str, label: str, line: Series, sign: int = 1, digits: int = 0, years: int = 3):
    values = list(reversed(line.values))[:years]
    return (kind, label, *(cell(sign * v, digits) for v in values))


def sheets(x: dict[str, Series]) -> dict[str, Sheet]:
    """All tables of the report."""
    r = _row
    income = Sheet(
        YEARS,
        [
            r("r", "Net sales", x["revenue"]),
            r("r", "Cost of sales", x["cogs"]),
            r("s", "Gross profit", x["gross"]),
            r("r", "Selling, general and administrative expenses", x["sga"]),
            r("r", "Research and engineering expenses", x["rd"]),
            r("r", "Amortization of intangible assets", x["amortisation"]),
            r("r", "Restructuring charges", x["restructuring"]),
            r("s", "Operating income", x["operating"]),
            r("r", "Interest income", x["interest_income"]),
            r("r", "Interest expense", x["interest_expense"], -1),
            r("s", "Income before income taxes", x["before_tax"]),
            r("r", "Provision for income taxes", x["tax"]),
            r("t", "Net income", x["net"]),
            ("h", "Per share of common stock"),
            r("r", "Basic earnings", x["eps"], digits=2),
            r("r", "Dividends declared", x["dps"], digits=2),
            r("r", "Weighted average shares outstanding, millions", x["shares"], digits=1),
        ],
    )
    comprehensive = Sheet(
        YEARS,
        [
            r("r", "Net income", x["net"]),
            r("r", "Foreign currency translation", x["fx"]),
            r("r", "Pension gains (losses), net of tax", x["pension_loss"], -1),
            r("t", "Comprehensive income", x["comprehensive"]),
        ],
    )
    balance = Sheet(
        YEARS[:2],
        [
            ("h", "Assets"),
            r("r", "Cash and cash equivalents", x["cash"], years=2),
            r("r", "Accounts receivable, net", x["receivables"], years=2),
            r("r", "Inventories", x["inventories"], years=2),
            r("r", "Prepaid expenses and other current assets", x["other_current"], years=2),
            r("s", "Total current assets", x["current_assets"], years=2),
            r("r", "Property, plant and equipment, net", x["ppe"], years=2),
            r("r", "Operating lease right-of-use assets", x["rou"], years=2),
            r("r", "Goodwill", x["goodwill"], years=2),
            r("r", "Intangible assets, net", x["intangibles"], years=2),
            r("t", "Total assets", x["assets"], years=2),
            ("h", "Liabilities and stockholders' equity"),
            r("r", "Accounts payable", x["payables"], years=2),
            r("r", "Accrued liabilities", x["accrued"], years=2),
            r("r", "Contract liabilities", x["contract"], years=2),
            r("r", "Current portion of long-term debt", x["short_debt"], years=2),
            r("s", "Total current liabilities", x["current_liabilities"], years=2),
            r("r", "Long-term debt, less current portion", x["long_debt"], years=2),
            r("r", "Lease liabilities", x["leases"], years=2),
            r("r", "Accrued pension benefits", x["pension"], years=2),
            r("r", "Deferred income taxes", x["dtl"], years=2),
            r("s", "Total liabilities", x["liabilities"], years=2),
            r("r", "Common stock, par value $0.10", x["capital"], years=2),
            r("r", "Additional paid-in capital", x["premium"], years=2),
            r("r", "Retained earnings", x["retained"], years=2),
            r("r", "Accumulated other comprehensive loss", x["reserves"], years=2),
            r("r", "Treasury stock, at cost", x["treasury"], years=2),
            r("s", "Total stockholders' equity", x["equity"], years=2),
            (
                "t",
                "Total liabilities and stockholders' equity",
                *(cell(v) for v in reversed(x["assets"].values[-2:])),
            ),
        ],
    )
    cash = Sheet(
        YEARS,
        [
            ("h", "Operating activities"),
            r("r", "Net income", x["net"]),
            r("r", "Depreciation of property, plant and equipment", x["depreciation"]),
            r("r", "Amortization of right-of-use assets", x["rou_depreciation"]),
            r("r", "Amortization of intangible assets", x["amortisation"]),
            r("r", "Stock-based compensation", x["sbc"]),
            r("r", "Deferred income taxes", x["deferred_tax"]),
            r("r", "Change in accounts receivable", x["d_receivables"]),
            r("r", "Change in inventories", x["d_inventories"]),
            r("r", "Change in other current assets", x["d_other"]),
            r("r", "Change in accounts payable", x["d_payables"]),
            r("r", "Change in accrued liabilities", x["d_accrued"]),
            r("r", "Change in contract liabilities", x["d_contract"]),
            r("s", "Net cash provided by operating activities", x["cfo"]),
            ("h", "Investing activities"),
            r("r", "Purchases of property, plant and equipment", x["capex"], -1),
            r("r", "Proceeds from sales of property", x["disposals"]),
            r("r", "Acquisitions, net of cash acquired", x["acquired"], -1),
            r("s", "Net cash used in investing activities", x["cfi"]),
            ("h", "Financing activities"),
            r("r", "Proceeds from borrowings", x["issued"]),
            r("r", "Repayments of borrowings", x["repaid"], -1),
            r("r", "Dividends paid", x["dividends"], -1),
            r("r", "Purchases of treasury stock", x["repurchases"], -1),
            r("r", "Principal part of lease payments", x["lease_principal"], -1),
            r("s", "Net cash used in financing activities", x["cff"]),
            r("r", "Effect of exchange rates on cash", x["fx"]),
            r("s", "Increase (decrease) in cash", x["cash_change"]),
            ("r", "Cash at beginning of year", *(cell(v) for v in reversed(x["cash"].values[:-1]))),
            ("t", "Cash at end of year", *(cell(v) for v in reversed(x["cash"].values[1:]))),
        ],
    )
    parts = ("capital", "premium", "retained", "reserves", "treasury", "equity")

    def at(t: int, label: str, kind: str = "s"):
        return (kind, label, *(cell(x[p][t]) for p in parts))

    equity_rows = []
    for t in (2, 3):
        y = t - 1
        if t == 2:
            equity_rows.append(at(1, "Balance at September 30, 2021"))
        net, paid, own = x["net"][y], x["dividends"][y], x["repurchases"][y]
        other = x["fx"][y] - x["pension_loss"][y]
        equity_rows += [
            ("r", "Net income", "", "", cell(net), "", "", cell(net)),
            ("r", "Other comprehensive income (loss)", "", "", "", cell(other), "", cell(other)),
            ("r", "Stock-based compensation", "", cell(x["sbc"][y]), "", "", "", cell(x["sbc"][y])),
            ("r", "Dividends", "", "", cell(-paid), "", "", cell(-paid)),
            ("r", "Purchases of treasury stock", "", "", "", "", cell(-own), cell(-own)),
            at(t, f"Balance at September 30, {2020 + t}"),
        ]
    heads = (
        "Common\nstock",
        "Paid-in\ncapital",
        "Retained\nearnings",
        "Other\nloss",
        "Treasury\nstock",
        "Total",
    )
    margin = {"metrology": (111, 117, 128), "flow": (64, 68, 50), "services": (41, 48, 61)}
    for y in range(3):
        kept = x["seg_corporate"][y] + x["restructuring"][y]
        assert sum(m[y] for m in margin.values()) - kept == x["operating"][y]
    named = {"metrology": "Metrology Systems", "flow": "Flow Control", "services": "Field Services"}
    segment_rows = [
        ("h", "Net sales"),
        *(r("r", n, x[f"seg_{k}"]) for k, n in named.items()),
        r("s", "Net sales", x["revenue"]),
        ("h", "Segment income"),
        *(r("r", n, Series(margin[k])) for k, n in named.items()),
    ]
    quarter = {
        "Net sales": (338, 352, 361, 373),
        "Gross profit": (139, 145, 149, 153),
        "Operating income": (41, 43, 39, 33),
        "Net income": (26, 28, 25, 19),
    }
    for name, key in zip(quarter, ("revenue", "gross", "operating", "net"), strict=True):
        assert sum(quarter[name]) == x[key][2], (name, sum(quarter[name]), x[key][2])
    inv = {
        "Raw materials and parts": (118, 131),
        "Work in process": (74, 82),
        "Finished instruments": (95, 99),
    }
    assert [sum(v[i] for v in inv.values()) for i in (0, 1)] == [287, 312]
    gross_ppe = {
        "Land": (21, 21),
        "Buildings": (274, 262),
        "Machinery and equipment": (486, 459),
        "Software": (97, 81),
        "Construction in progress": (33, 26),
    }
    total_ppe = [sum(v[i] for v in gross_ppe.values()) for i in (0, 1)]
    written = [total_ppe[0] - int(x["ppe"][3]), total_ppe[1] - int(x["ppe"][2])]
    regions = {
        "United States": (742, 701, 648),
        "Germany": (161, 158, 149),
        "Rest of Europe": (218, 221, 206),
        "China": (134, 139, 125),
        "Rest of Asia": (109, 97, 88),
        "Rest of the world": (60, 56, 50),
    }
    assert [sum(v[i] for v in regions.values()) for i in range(3)] == [1424, 1372, 1266]
    good = {
        "Metrology Systems": (204, 204, 0),
        "Flow Control": (263, 263, 0),
        "Field Services": (140, 99, 41),
    }
    assert sum(g[0] for g in good.values()) == x["goodwill"][3]
    before = x["before_tax"].values
    return {
        "five": Sheet(
            ("2023", "2022", "2021", "2020", "2019"),
            [
                ("r", "Net sales", *_five(x["revenue"], ("1,118", "1,231"))),
                ("r", "Operating income", *_five(x["operating"], ("109", "158"))),
                ("r", "Net income", *_five(x["net"], ("71", "108"))),
                ("r", "Earnings per share, dollars", *_five(x["eps"], ("1.20", "1.81"), 2)),
                ("r", "Dividends per share, dollars", *_five(x["dps"], ("0.76", "0.74"), 2)),
                ("r", "Orders received", "1,369", "1,431", "1,352", "1,004", "1,247"),
                ("r", "Total assets", *_five(x["assets"], ("1,900", "1,861"))),
                ("r", "Employees at year end", "5,930", "5,870", "5,610", "5,480", "5,905"),
            ],
        ),
        "segments": Sheet(
            ("2023", "2022", "Change"),
            [
                *(
                    (
                        "r",
                        f"Net sales, {n}",
                        cell(x[f"seg_{k}"][2]),
                        cell(x[f"seg_{k}"][1]),
                        f"{(x[f'seg_{k}'][2] / x[f'seg_{k}'][1] - 1) * 100:+.1f} %",
                    )
                    for k, n in named.items()
                ),
                *(
                    (
                        "r",
                        f"Segment income, {n}",
                        cell(margin[k][2]),
                        cell(margin[k][1]),
                        f"{(margin[k][2] / margin[k][1] - 1) * 100:+.1f} %",
                    )
                    for k, n in named.items()
                ),
            ],
        ),
        "money": Sheet(
            ("2023", "2022", "2021"),
            [
                r("r", "Cash provided by operating activities", x["cfo"]),
                r("r", "Spending on plant and equipment", x["capex"], -1),
                r("s", "Free cash flow", x["free"]),
                r("r", "Dividends", x["dividends"], -1),
                r("r", "Share purchases", x["repurchases"], -1),
            ],
        ),
        "income": income,
        "comprehensive": comprehensive,
        "balance": balance,
        "cash": cash,
        "equity": Sheet(heads, equity_rows, widths=(52, 52, 54, 48, 54, 48)),
        "geography": Sheet(
            YEARS,
            [
                *(("r", k, *map(cell, v)) for k, v in regions.items()),
                r("s", "Net sales", x["revenue"]),
            ],
            first="By customer's place",
        ),
        "restructuring": Sheet(
            ("Severance", "Assets", "Other", "Total"),
            [
                ("r", "Provision at September 30, 2022", "3", "—", "1", "4"),
                ("r", "Charges of 2023", "15", "4", "3", "22"),
                ("r", "Paid", "(8)", "—", "(3)", "(11)"),
                ("r", "Used without payment", "—", "(4)", "—", "(4)"),
                ("s", "Provision at September 30, 2023", "10", "—", "1", "11"),
            ],
        ),
        "inventories": Sheet(
            YEARS[:2],
            [
                *(("r", k, *map(cell, v)) for k, v in inv.items()),
                ("s", "Inventories", "287", "312"),
            ],
        ),
        "plant": Sheet(
            YEARS[:2],
            [
                *(("r", k, *map(cell, v)) for k, v in gross_ppe.items()),
                ("s", "At cost", *map(cell, total_ppe)),
                ("r", "Accumulated depreciation", *(cell(-w) for w in written)),
                r("t", "Property, plant and equipment, net", x["ppe"], years=2),
            ],
        ),
        "goodwill": Sheet(
            ("2022", "Acquired", "2023"),
            [
                *(("r", k, cell(v[1]), cell(v[2]), cell(v[0])) for k, v in good.items()),
                ("s", "Goodwill", "566", "41", "607"),
            ],
        ),
        "debt": Sheet(
            YEARS[:2],
            [
                ("r", "3.65 % senior notes, due 2023 to 2028", "125", "150"),
                ("r", "4.10 % senior notes, due 2030", "150", "150"),
                ("r", "Revolving credit", "140", "77"),
                ("s", "Total debt", cell(x["debt"][3]), cell(x["debt"][2])),
                ("r", "Less current portion", "(25)", "(25)"),
                ("t", "Long-term debt", cell(x["long_debt"][3]), cell(x["long_debt"][2])),
            ],
        ),
        "tax": Sheet(
            YEARS,
            [
                (
                    "r",
                    "Tax at the federal rate of 21 %",
                    *(f"{0.21 * b:.1f}" for b in before[::-1]),
                ),
                ("r", "State taxes", "4.1", "4.4", "4.0"),
                ("r", "Taxes abroad at other rates", "3.2", "2.7", "3.1"),
                ("r", "Research credits", *_rest(before, x["tax"].values)),
                (
                    "s",
                    "Provision for income taxes",
                    *(f"{t:.1f}" for t in reversed(x["tax"].values)),
                ),
            ],
        ),
        "pension": Sheet(
            YEARS[:2],
            [
                ("r", "Benefit obligation", "318", "301"),
                (
                    "r",
                    "Fair value of plan assets",
                    *(cell(o - x["pension"][t]) for o, t in ((318, 3), (301, 2))),
                ),
                r("s", "Accrued pension benefits", x["pension"], years=2),
            ],
        ),
        "warranty": Sheet(
            YEARS[:2],
            [
                ("r", "Beginning of year", "19", "17"),
                ("r", "Provided", "14", "15"),
                ("r", "Used", "(12)", "(13)"),
                ("s", "End of year", "21", "19"),
            ],
        ),
        "eps": Sheet(
            YEARS,
            [
                r("r", "Net income", x["net"]),
                r("r", "Average shares outstanding, millions", x["shares"], digits=1),
                r("s", "Basic earnings per share, dollars", x["eps"], digits=2),
                ("r", "Diluted earnings per share, dollars", "1.74", "2.00", "1.99"),
            ],
        ),
        "segment_note": Sheet(
            YEARS,
            [
                *segment_rows,
                r("r", "Unallocated corporate expenses", x["seg_corporate"], -1),
                r("r", "Restructuring charges", x["restructuring"], -1),
                r("t", "Operating income", x["operating"]),
            ],
        ),
        "quarters": Sheet(
            ("First", "Second", "Third", "Fourth", "Year"),
            [
                ("h", "Fiscal 2023"),
                *(("r", k, *map(cell, v), cell(sum(v))) for k, v in quarter.items()),
                ("r", "Basic earnings per share", "0.46", "0.50", "0.45", "0.34", "1.75"),
                ("h", "Fiscal 2022"),
                ("r", "Net sales", "322", "341", "349", "360", "1,372"),
                ("r", "Operating income", "38", "43", "45", "43", "169"),
            ],
        ),
        "pay": Sheet(
            ("Salary", "Bonus", "Stock awards", "Other", "Total"),
            [
                ("r", "M. D. Oyelaran", "1,025", "1,140", "4,350", "86", "6,601"),
                ("r", "P. van Rossem", "610", "455", "1,480", "41", "2,586"),
                ("r", "H. J. Bracegirdle", "545", "472", "1,120", "33", "2,170"),
                ("r", "A. Ramaswamy", "530", "268", "1,050", "38", "1,886"),
                ("r", "R. Kessler-Boyd", "480", "331", "890", "29", "1,730"),
            ],
            first="Thousands of dollars, 2023",
        ),
    }


def _five(line: Series, older: tuple[str, str], digits: int = 0):
    return (*(cell(v, digits) for v in reversed(line.values[-3:])), *older)


def _rest(before, tax):
    state, abroad = (4.1, 4.4, 4.0), (3.2, 2.7, 3.1)
    for b, t, s, a in zip(before[::-1], tax[::-1], state, abroad, strict=True):
        yield cell(t - 0.21 * b - s - a, 1)
