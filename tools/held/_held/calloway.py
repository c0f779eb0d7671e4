"""The figures of Calloway & Finch plc: three years, pounds in millions."""

from __future__ import annotations

from _held.figures import Series, cell, statements
from _held.layout import Sheet

TWO = ("2024\n£m", "2023\n£m")


def lines() -> dict[str, Series]:
    """The model of the firm."""
    found = statements(
        revenue={"super": (3412, 3589, 3742), "near": (884, 921, 987), "online": (402, 436, 511)},
        costs={
            "cogs": (3571, 3782, 3990),
            "shops": (812, 848, 893),
            "admin": (171, 178, 189),
            "amortisation": (28, 31, 34),
            "exceptional": (0, 26, 12),
        },
        flows={
            "interest_income": (3, 4, 9),
            "interest_expense": (42, 47, 53),
            "tax": (18, 11, 21),
            "depreciation": (118, 124, 131),
            "rou_depreciation": (71, 74, 78),
            "amortisation": (28, 31, 34),
            "sbc": (4, 5, 6),
            "capex": (126, 133, 158),
            "disposals": (8, 14, 11),
            "acquired_goodwill": (0, 0, 0),
            "acquired_intangibles": (29, 38, 42),
            "repaid": (0, 35, 0),
            "dividends": (26, 25, 27),
            "repurchases": (0, 10, 25),
            "lease_principal": (66, 69, 72),
            "rou_additions": (58, 81, 69),
            "fx": (0, 0, 0),
            "pension_loss": (-14, 8, -6),
            "deferred_tax": (3, -4, 5),
        },
        opening={
            "cash": 91,
            "receivables": 118,
            "inventories": 287,
            "other_current": 22,
            "ppe": 1043,
            "rou": 598,
            "goodwill": 212,
            "intangibles": 94,
            "payables": 471,
            "accrued": 128,
            "contract": 21,
            "short_debt": 0,
            "long_debt": 280,
            "leases": 631,
            "pension": 39,
            "dtl": 47,
            "capital": 21,
            "premium": 166,
            "reserves": 12,
            "treasury": -4,
        },
        levels={
            "receivables": (121, 127, 124),
            "inventories": (301, 329, 318),
            "other_current": (24, 23, 26),
            "payables": (489, 512, 541),
            "accrued": (133, 126, 144),
            "contract": (22, 24, 27),
            "short_debt": (0, 0, 0),
            "long_debt": (280, 245, 245),
        },
        shares=(411.0, 409.5, 404.2),
    )
    found["pence"] = Series(tuple(100 * v for v in found["eps"].values), 1)
    found["netdebt"] = Series(
        tuple(d - c for d, c in zip(found["debt"].values, found["cash"].values, strict=True))
    )
    return found


def _row(kind: str, label: str, line: Series, sign: int = 1, digits: int = 0):
    return (kind, label, *(cell(sign * v, digits) for v in reversed(line.values[-2:])))


def sheets(x: dict[str, Series]) -> dict[str, Sheet]:
    """All tables of the report."""
    r = _row
    parts = ("capital", "premium", "reserves", "treasury", "retained", "equity")

    def at(t: int, label: str):
        return ("s", label, *(cell(x[p][t]) for p in parts))

    changes = [at(1, "At 26 February 2022")]
    for t, day in ((2, "4 March 2023"), (3, "2 March 2024")):
        y = t - 1
        loss = -x["pension_loss"][y]
        changes += [
            ("r", "Profit for the period", "", "", "", "", cell(x["net"][y]), cell(x["net"][y])),
            ("r", "Other comprehensive income", "", "", cell(loss), "", "", cell(loss)),
            ("r", "Share-based payments", "", cell(x["sbc"][y]), "", "", "", cell(x["sbc"][y])),
            ("r", "Dividends", *[""] * 4, *[cell(-x["dividends"][y])] * 2),
            (
                "r",
                "Own shares bought",
                *[""] * 3,
                cell(-x["repurchases"][y]),
                "",
                cell(-x["repurchases"][y]),
            ),
            at(t, f"At {day}"),
        ]
    profit = {
        "super": ("Supermarkets", (121, 148)),
        "near": ("Convenience", (39, 46)),
        "online": ("Online", (-11, -4)),
    }
    head = [
        int(x["operating"][y] + x["exceptional"][y]) - sum(p[1][y - 1] for p in profit.values())
        for y in (1, 2)
    ]
    before = x["before_tax"].values
    standard = [0.19 * before[1], 0.246 * before[2]]
    return {
        "income": Sheet(
            TWO,
            [
                r("r", "Revenue", x["revenue"]),
                r("r", "Cost of sales", x["cogs"], -1),
                r("s", "Gross profit", x["gross"]),
                r("r", "Selling and distribution costs", x["shops"], -1),
                r("r", "Administrative expenses", x["admin"], -1),
                r("r", "Amortisation of software", x["amortisation"], -1),
                r("r", "Exceptional items", x["exceptional"], -1),
                r("s", "Operating profit", x["operating"]),
                r("r", "Finance income", x["interest_income"]),
                r("r", "Finance costs", x["interest_expense"], -1),
                r("s", "Profit before tax", x["before_tax"]),
                r("r", "Taxation", x["tax"], -1),
                r("t", "Profit for the period", x["net"]),
                ("h", "Earnings per share, pence"),
                r("r", "Basic", x["pence"], digits=1),
                ("r", "Diluted", "13.9", "6.5"),
            ],
        ),
        "comprehensive": Sheet(
            TWO,
            [
                r("r", "Profit for the period", x["net"]),
                r("r", "Remeasurement of pension scheme, net of tax", x["pension_loss"], -1),
                r("t", "Total comprehensive income", x["comprehensive"]),
            ],
        ),
        "balance": Sheet(
            TWO,
            [
                ("h", "Non-current assets"),
                r("r", "Goodwill", x["goodwill"]),
                r("r", "Software", x["intangibles"]),
                r("r", "Property, plant and equipment", x["ppe"]),
                r("r", "Right-of-use assets", x["rou"]),
                ("h", "Current assets"),
                r("r", "Inventories", x["inventories"]),
                r("r", "Trade and other receivables", x["receivables"]),
                r("r", "Prepayments and accrued income", x["other_current"]),
                r("r", "Cash and cash equivalents", x["cash"]),
                r("s", "Current assets", x["current_assets"]),
                r("t", "Total assets", x["assets"]),
                ("h", "Current liabilities"),
                r("r", "Trade payables", x["payables"]),
                r("r", "Accruals and other payables", x["accrued"]),
                r("r", "Contract liabilities", x["contract"]),
                r("s", "Current liabilities", x["current_liabilities"]),
                ("h", "Non-current liabilities"),
                r("r", "Borrowings", x["long_debt"]),
                r("r", "Lease liabilities", x["leases"]),
                r("r", "Retirement benefit obligation", x["pension"]),
                r("r", "Deferred tax", x["dtl"]),
                r("t", "Total liabilities", x["liabilities"]),
                r("s", "Net assets", x["equity"]),
                ("h", "Equity"),
                r("r", "Share capital", x["capital"]),
                r("r", "Share premium", x["premium"]),
                r("r", "Other reserves", x["reserves"]),
                r("r", "Own shares", x["treasury"]),
                r("r", "Retained earnings", x["retained"]),
                r("t", "Total equity", x["equity"]),
            ],
        ),
        "cash": Sheet(
            TWO,
            [
                ("h", "Operating activities"),
                r("r", "Profit for the period", x["net"]),
                r("r", "Depreciation of property, plant and equipment", x["depreciation"]),
                r("r", "Depreciation of right-of-use assets", x["rou_depreciation"]),
                r("r", "Amortisation of software", x["amortisation"]),
                r("r", "Share-based payments", x["sbc"]),
                r("r", "Deferred tax", x["deferred_tax"]),
                r("r", "(Increase) decrease in receivables", x["d_receivables"]),
                r("r", "(Increase) decrease in inventories", x["d_inventories"]),
                r("r", "(Increase) decrease in prepayments", x["d_other"]),
                r("r", "Increase (decrease) in trade payables", x["d_payables"]),
                r("r", "Increase (decrease) in accruals", x["d_accrued"]),
                r("r", "Increase (decrease) in contract liabilities", x["d_contract"]),
                r("s", "Cash generated by operating activities", x["cfo"]),
                ("h", "Investing activities"),
                r("r", "Payments for property, plant and equipment", x["capex"], -1),
                r("r", "Payments for software", x["acquired_intangibles"], -1),
                r("r", "Shops and land sold", x["disposals"]),
                r("s", "Cash used in investing activities", x["cfi"]),
                ("h", "Financing activities"),
                r("r", "Borrowings repaid", x["repaid"], -1),
                r("r", "Capital part of lease payments", x["lease_principal"], -1),
                r("r", "Dividends paid", x["dividends"], -1),
                r("r", "Own shares bought", x["repurchases"], -1),
                r("s", "Cash used in financing activities", x["cff"]),
                r("s", "Change in cash", x["cash_change"]),
                (
                    "r",
                    "Cash at the beginning",
                    *(cell(v) for v in reversed(x["cash"].values[1:-1])),
                ),
                r("t", "Cash at the end", x["cash"]),
            ],
        ),
        "equity": Sheet(
            ("Capital", "Premium", "Other\nreserves", "Own\nshares", "Retained", "Total\n£m"),
            changes,
            widths=(50, 50, 52, 50, 52, 50),
        ),
        "segments": Sheet(
            TWO,
            [
                ("h", "Revenue"),
                *(r("r", n, x[f"seg_{k}"]) for k, (n, _p) in profit.items()),
                r("s", "Revenue", x["revenue"]),
                ("h", "Segment profit"),
                *(("r", n, cell(p[1]), cell(p[0])) for n, p in profit.values()),
                ("r", "Head office", cell(head[1]), cell(head[0])),
                r("r", "Exceptional items", x["exceptional"], -1),
                r("t", "Operating profit", x["operating"]),
            ],
        ),
        "charged": Sheet(
            TWO,
            [
                ("r", "Cost of inventories sold", "3,612", "3,431"),
                ("r", "Inventories written off", "61", "68"),
                r("r", "Depreciation of property, plant and equipment", x["depreciation"]),
                r("r", "Depreciation of right-of-use assets", x["rou_depreciation"]),
                ("r", "Business rates", "71", "69"),
                ("r", "Energy for shops", "74", "95"),
                ("r", "Fees of the auditor", "1.4", "1.2"),
            ],
        ),
        "exceptional": Sheet(
            TWO,
            [
                ("r", "Closing of shops", "7", "—"),
                ("r", "Start of Thrapley, less what the supplier paid", "5", "—"),
                ("r", "Write-down of Corlidge bakery", "—", "26"),
                r("s", "Exceptional items", x["exceptional"]),
            ],
        ),
        "people": Sheet(
            TWO,
            [
                ("r", "Wages and salaries", "612", "574"),
                ("r", "Social security", "44", "41"),
                ("r", "Pensions", "27", "25"),
                r("r", "Share-based payments", x["sbc"]),
                ("s", "Cost of colleagues", cell(683 + x["sbc"][2]), cell(640 + x["sbc"][1])),
            ],
        ),
        "finance": Sheet(
            TWO,
            [
                ("r", "Interest on leases", "31", "28"),
                ("r", "Interest on borrowings", "20", "17"),
                ("r", "Pension scheme", "2", "2"),
                r("s", "Finance costs", x["interest_expense"]),
                r("r", "Interest on deposits", x["interest_income"], -1),
                ("t", "Net finance costs", "44", "43"),
            ],
        ),
        "tax": Sheet(
            TWO,
            [
                ("r", "Tax at the standard rate", f"{standard[1]:.1f}", f"{standard[0]:.1f}"),
                ("r", "Expenses that may not be deducted", "2.6", "3.1"),
                ("r", "Other", cell(21 - standard[1] - 2.6, 1), cell(11 - standard[0] - 3.1, 1)),
                ("s", "Taxation", "21.0", "11.0"),
            ],
        ),
        "eps": Sheet(
            ("2024", "2023"),
            [
                ("r", "Profit for the period, £m", cell(x["net"][2]), cell(x["net"][1])),
                ("r", "Weighted average shares, millions", "404.2", "409.5"),
                r("s", "Basic earnings per share, pence", x["pence"], digits=1),
            ],
        ),
        "dividends": Sheet(
            TWO,
            [
                ("r", "Final for the year before: 4.4p (2023: 4.1p)", "18", "17"),
                ("r", "Interim: 2.2p (2023: 2.0p)", "9", "8"),
                r("s", "Dividends paid", x["dividends"]),
            ],
        ),
        "ppe": Sheet(
            ("Freehold", "Fittings", "Vans and\nmachines", "Total\n£m"),
            [
                ("r", "At 4 March 2023", "689", "274", cell(x["ppe"][2] - 963), cell(x["ppe"][2])),
                ("r", "Additions", "31", "82", "45", cell(x["capex"][2])),
                ("r", "Depreciation", "(38)", "(71)", "(22)", cell(-x["depreciation"][2])),
                ("r", "Disposals", "(11)", "—", "—", cell(-x["disposals"][2])),
                ("s", "At 2 March 2024", "671", "285", cell(x["ppe"][3] - 956), cell(x["ppe"][3])),
            ],
        ),
        "leases": Sheet(
            TWO,
            [
                r("r", "Right-of-use assets", x["rou"]),
                r("r", "Lease liabilities", x["leases"]),
                r("r", "Additions in the year", x["rou_additions"]),
                ("r", "Payable within one year, before discount", "104", "101"),
                ("r", "Payable in two to five years", "356", "349"),
                ("r", "Payable after five years", "418", "437"),
            ],
        ),
        "borrowings": Sheet(
            TWO,
            [
                ("r", "Private placement, 3.2 % to 3.9 %", "145", "145"),
                ("r", "Bond on freehold shops, 5.25 %, due 2031", "100", "100"),
                r("s", "Borrowings", x["long_debt"]),
                r("r", "Cash and cash equivalents", x["cash"], -1),
                r("t", "Net debt before leases", x["netdebt"]),
            ],
        ),
        "pension": Sheet(
            TWO,
            [
                ("r", "Present value of obligation", "486", "491"),
                (
                    "r",
                    "Assets of the scheme",
                    cell(x["pension"][3] - 486),
                    cell(x["pension"][2] - 491),
                ),
                r("s", "Retirement benefit obligation", x["pension"]),
            ],
        ),
        "provisions": Sheet(
            ("Closed\nshops", "Claims", "Total\n£m"),
            [
                ("r", "At 4 March 2023", "8", "5", "13"),
                ("r", "Provided", "7", "3", "10"),
                ("r", "Used", "(4)", "(2)", "(6)"),
                ("r", "Released", "(1)", "—", "(1)"),
                ("s", "At 2 March 2024", "10", "6", "16"),
            ],
        ),
        "company": Sheet(
            TWO,
            [
                ("r", "Investments in subsidiaries", "612", "612"),
                ("r", "Amounts owed by subsidiaries", "208", "196"),
                ("r", "Cash", "71", "38"),
                ("s", "Total assets", "891", "846"),
                ("r", "Borrowings", "(245)", "(245)"),
                ("r", "Other payables", "(13)", "(12)"),
                ("t", "Net assets", "633", "589"),
            ],
        ),
        "record": Sheet(
            ("2024", "2023", "2022", "2021", "2020"),
            [
                ("r", "Revenue, £m", *_three(x["revenue"]), "4,512", "4,187"),
                ("r", "Operating profit, £m", *_three(x["operating"]), "131", "108"),
                ("r", "Profit for the period, £m", *_three(x["net"]), "74", "56"),
                ("r", "Basic earnings per share, pence", *_three(x["pence"], 1), "18.0", "13.7"),
                ("r", "Dividend per share, pence", "6.7", "6.4", "6.1", "6.0", "5.8"),
                ("r", "Supermarkets", "214", "215", "216", "216", "213"),
                ("r", "Convenience shops", "486", "463", "455", "438", "421"),
                ("r", "Like-for-like sales growth, %", "3.4", "1.9", "(0.8)", "7.2", "0.6"),
            ],
        ),
        "pay": Sheet(
            ("Salary", "Benefits", "Bonus", "Long-term", "Pension", "Total"),
            [
                ("r", "Imogen Tarrant, 2024", "742", "31", "790", "214", "45", "1,822"),
                ("r", "Imogen Tarrant, 2023", "713", "30", "197", "—", "43", "983"),
                ("r", "Devinder Sahota, 2024", "471", "22", "502", "—", "28", "1,023"),
                ("r", "Devinder Sahota, 2023", "190", "9", "52", "—", "11", "262"),
            ],
            widths=(48, 48, 48, 54, 48, 48),
            first="£ thousand",
        ),
    }


def _three(line: Series, digits: int = 0):
    return tuple(cell(v, digits) for v in reversed(line.values[-3:]))
