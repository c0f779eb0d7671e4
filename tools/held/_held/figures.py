"""A small model of a firm's three statements, so that every figure in a report adds up.

All amounts are whole millions. A list has one value per year, oldest first; balances begin one year
earlier than flows. Cash is what the cash flow leaves, and the balance sheet balances because of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ASSETS = ("receivables", "inventories", "other_current", "ppe", "rou", "goodwill", "intangibles")
DEBTS = ("payables", "accrued", "contract", "short_debt", "long_debt", "leases", "pension", "dtl")


@dataclass(frozen=True)
class Series:
    """Values of one line, oldest first; how a text cites it is told by the format code.

    ``{x:c}`` is the newest value, ``{x:p}`` the one before, ``{x:pp}`` two before; ``{x:d}`` the
    change without sign, ``{x:g}`` the change in per cent without sign.
    """

    values: tuple[float, ...]
    digits: int = 0

    def __getitem__(self, place: int) -> float:
        return self.values[place]

    def __format__(self, code: str) -> str:
        new, old = self.values[-1], self.values[-2]
        match code:
            case "c" | "p" | "pp":
                place = {"c": -1, "p": -2, "pp": -3}[code]
                return number(self.values[place], self.digits)
            case "d":
                return number(abs(new - old), self.digits)
            case "g":
                return f"{abs(new / old - 1) * 100:.1f}"
            case _:
                raise ValueError(code)


def number(value: float, digits: int = 0) -> str:
    """A figure as it stands in a text."""
    return f"{value:,.{digits}f}"


def cell(value: float | str | None, digits: int = 0) -> str:
    """A figure as it stands in a statement: negatives in brackets, nothing as a dash."""
    if value is None or isinstance(value, str):
        return value or ""
    if not value:
        return "—"
    text = f"{abs(value):,.{digits}f}"
    return f"({text})" if value < 0 else text


def statements(
    revenue: Mapping[str, Sequence[int]],
    costs: Mapping[str, Sequence[int]],
    flows: Mapping[str, Sequence[int]],
    opening: Mapping[str, int],
    levels: Mapping[str, Sequence[int]],
    shares: Sequence[float],
) -> dict[str, Series]:
    """Run the model.

    Parameters
    ----------
    revenue
        Segment to sales.
    costs
        ``cogs``, then any operating costs; the depreciation within them is in *flows*.
    flows
        interest_income, interest_expense, tax, depreciation, rou_depreciation, amortisation, sbc,
        capex, disposals, acquired_goodwill, acquired_intangibles, repaid, dividends, repurchases,
        lease_principal, rou_additions, fx, pension_loss, deferred_tax.
    opening
        The balances before the first year; retained earnings are what balances them.
    levels
        Balances at each year's end of what is not moved by flows.
    shares
        Millions of shares, for earnings per share.
    """
    years = range(len(shares))
    total = [sum(s[y] for s in revenue.values()) for y in years]
    gross = [total[y] - costs["cogs"][y] for y in years]
    spent = [sum(v[y] for k, v in costs.items() if k != "cogs") for y in years]
    operating = [gross[y] - spent[y] for y in years]
    before = [
        operating[y] + flows["interest_income"][y] - flows["interest_expense"][y] for y in years
    ]
    net = [before[y] - flows["tax"][y] for y in years]

    balance: dict[str, list[int]] = {
        k: [opening[k], *levels[k]] if k in levels else [opening[k]] for k in opening
    }

    def roll(name: str, *changes: tuple[str, int]) -> None:
        for y in years:
            change = sum(sign * flows[flow][y] for flow, sign in changes)
            balance[name].append(balance[name][-1] + change)

    roll("ppe", ("capex", 1), ("depreciation", -1), ("disposals", -1))
    roll("rou", ("rou_additions", 1), ("rou_depreciation", -1))
    roll("goodwill", ("acquired_goodwill", 1))
    roll("intangibles", ("acquired_intangibles", 1), ("amortisation", -1))
    roll("leases", ("rou_additions", 1), ("lease_principal", -1))
    roll("pension", ("pension_loss", 1))
    roll("dtl", ("deferred_tax", 1))
    roll("premium", ("sbc", 1))
    roll("treasury", ("repurchases", -1))
    roll("reserves", ("fx", 1), ("pension_loss", -1))

    def moved(name: str, sign: int) -> list[int]:
        return [sign * (b - a) for a, b in pairwise(balance[name])]

    working = {
        "d_receivables": moved("receivables", -1),
        "d_inventories": moved("inventories", -1),
        "d_other": moved("other_current", -1),
        "d_payables": moved("payables", 1),
        "d_accrued": moved("accrued", 1),
        "d_contract": moved("contract", 1),
    }
    debt = [a + b for a, b in zip(balance["short_debt"], balance["long_debt"], strict=True)]
    issued = [b - a + flows["repaid"][y] for y, (a, b) in enumerate(pairwise(debt))]
    added = ("depreciation", "rou_depreciation", "amortisation", "sbc", "deferred_tax")
    from_operations = [
        net[y] + sum(flows[k][y] for k in added) + sum(w[y] for w in working.values())
        for y in years
    ]
    acquired = [flows["acquired_goodwill"][y] + flows["acquired_intangibles"][y] for y in years]
    investing = [flows["disposals"][y] - flows["capex"][y] - acquired[y] for y in years]
    paid = ("repaid", "dividends", "repurchases", "lease_principal")
    financing = [issued[y] - sum(flows[k][y] for k in paid) for y in years]
    change = [from_operations[y] + investing[y] + financing[y] + flows["fx"][y] for y in years]
    cash = [opening["cash"]]
    for step in change:
        cash.append(cash[-1] + step)
    balance["cash"] = cash

    count = len(cash)
    current = [
        sum(balance[k][t] for k in ("cash", "receivables", "inventories", "other_current"))
        for t in range(count)
    ]
    assets = [balance["cash"][t] + sum(balance[k][t] for k in ASSETS) for t in range(count)]
    short = [
        sum(balance[k][t] for k in ("payables", "accrued", "contract", "short_debt"))
        for t in range(count)
    ]
    owed = [sum(balance[k][t] for k in DEBTS) for t in range(count)]
    own = ("capital", "premium", "reserves", "treasury")
    balance["capital"] = [opening["capital"]] * count
    retained = [assets[0] - owed[0] - sum(balance[k][0] for k in own)]
    for y in years:
        retained.append(retained[-1] + net[y] - flows["dividends"][y])
    equity = [retained[t] + sum(balance[k][t] for k in own) for t in range(count)]
    assert all(a == b + c for a, b, c in zip(assets, owed, equity, strict=True))
    assert min(cash) > 0

    found: dict[str, Sequence[float]] = {
        **{f"seg_{k}": v for k, v in revenue.items()},
        **costs,
        **flows,
        **balance,
        **working,
        "revenue": total,
        "gross": gross,
        "operating": operating,
        "before_tax": before,
        "net": net,
        "comprehensive": [net[y] + flows["fx"][y] - flows["pension_loss"][y] for y in years],
        "issued": issued,
        "acquired": acquired,
        "cfo": from_operations,
        "cfi": investing,
        "cff": financing,
        "cash_change": change,
        "free": [from_operations[y] - flows["capex"][y] for y in years],
        "current_assets": current,
        "assets": assets,
        "current_liabilities": short,
        "liabilities": owed,
        "retained": retained,
        "equity": equity,
        "debt": debt,
    }
    lines = {k: Series(tuple(v)) for k, v in found.items()}
    lines["eps"] = Series(tuple(net[y] / shares[y] for y in years), 2)
    lines["dps"] = Series(tuple(flows["dividends"][y] / shares[y] for y in years), 2)
    lines["shares"] = Series(tuple(shares), 1)
    for name, part in (("gross_margin", gross), ("operating_margin", operating)):
        lines[name] = Series(tuple(100 * part[y] / total[y] for y in years), 1)
    lines["tax_rate"] = Series(tuple(100 * flows["tax"][y] / before[y] for y in years), 1)
    return lines
