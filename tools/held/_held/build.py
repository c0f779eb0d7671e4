"""Makes every held document from its text and its figures."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

from _make.markup import parse
from _make.word import write_docx

from _held import calloway, nordhavn, vantmere
from _held.clauses import with_clauses
from _held.layout import DRESSES, write

if TYPE_CHECKING:
    from types import ModuleType

TEXTS = Path(__file__).parent.parent / "text"
# File, text, dress, title, author, date, figures.
DOCUMENTS: tuple[tuple[str, str, str, str, str, dt.date, ModuleType | None], ...] = (
    (
        "Vantmere Precision 2023 annual report.pdf",
        "vantmere",
        "filing",
        "Annual report for the fiscal year ended September 30, 2023",
        "Vantmere Precision, Inc.",
        dt.date(2023, 11, 21),
        vantmere,
    ),
    (
        "Calloway and Finch annual report 2024.pdf",
        "calloway",
        "annual",
        "Annual Report and Accounts 2024",
        "Calloway & Finch plc",
        dt.date(2024, 5, 14),
        calloway,
    ),
    (
        "Nordhavn Vind arsrapport 2022.pdf",
        "nordhavn",
        "energy",
        "Annual report for the year 2022",
        "Nordhavn Vind ASA",
        dt.date(2023, 3, 16),
        nordhavn,
    ),
    (
        "Contracts/Castellan Brightwell supply agreement.pdf",
        "supply",
        "contract",
        "Supply agreement",
        "Brightwell Pump Works Limited",
        dt.date(2022, 4, 4),
        None,
    ),
    (
        "Contracts/LAS-2021-0377 Cartographer license.pdf",
        "licence",
        "typed",
        "Software license and maintenance agreement",
        "Lumen Atlas Software, Inc.",
        dt.date(2021, 9, 15),
        None,
    ),
    (
        "Contracts/Tannery House lease.pdf",
        "lease",
        "lease",
        "Lease of Tannery House",
        "Quillon Estates",
        dt.date(2020, 6, 24),
        None,
    ),
    (
        "Contracts/Merrow facilities agreement.pdf",
        "loan",
        "loan",
        "Facilities agreement",
        "Banque Étoile Maritime S.A.",
        dt.date(2021, 8, 12),
        None,
    ),
    (
        "Statutes/Moorings and Anchorages Regulations 2019.pdf",
        "moorings",
        "statute",
        "The Moorings and Anchorages Regulations 2019",
        "Minister for Coasts",
        dt.date(2019, 3, 11),
        None,
    ),
    (
        "Statutes/Parcel Drone Act.pdf",
        "drones",
        "act",
        "Parcel Drone Act",
        "Legislature of Alderbrook",
        dt.date(2021, 6, 24),
        None,
    ),
    (
        "Expert report GB-2022-118.docx",
        "expert",
        "",
        "Expert report GB/2022/118",
        "Dr.-Ing. Margarethe Vollrath",
        dt.date(2022, 10, 7),
        None,
    ),
)


def build(folder: Path, only: str = "") -> list[Path]:
    """Write the documents whose name begins with *only* below *folder*; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, text, dress, title, author, date, firm in DOCUMENTS:
        if not name.startswith(only):
            continue
        source = (TEXTS / f"{text}.txt").read_text(encoding="utf-8")
        lines = firm.lines() if firm else {}
        sheets = firm.sheets(lines) if firm else {}
        blocks = parse(source.format_map(lines) if firm else with_clauses(source))
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".docx":
            write_docx(path, blocks, title=title, author=author, date=date)
        else:
            write(path, blocks, sheets, DRESSES[dress], title=title, author=author, date=date)
        made.append(path)
    return made
