"""Makes productions as vendors deliver them: DAT, OPT, natives, text and images in folders."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

COLUMNS = (
    *("BEGBATES", "ENDBATES", "BEGATTACH", "ENDATTACH", "PARENTID", "ATTACHIDS", "CUSTODIAN"),
    *("FROM", "TO", "CC", "SUBJECT", "DATESENT", "FILENAME", "MD5HASH", "NATIVEPATH", "TEXTPATH"),
)
START = datetime(2023, 5, 14, 9, 0, tzinfo=UTC)


@dataclass
class Paper:
    """A document of a production to be made."""

    begin: int
    pages: int = 1
    parent: int | None = None
    subject: str = ""
    text: str = ""
    suffix: str = ".txt"
    custodian: str = "Mossop, Ada"
    native: bytes | None = None
    has_native: bool = True
    has_text: bool = True
    children: list[int] = field(default_factory=list)


def label(number: int) -> str:
    return f"ABC{number:06d}"


def mail_bytes(paper: Paper, attached: Sequence[Paper]) -> bytes:
    message = EmailMessage()
    message["From"] = "Ada Mossop <ada@mill.example>"
    message["To"] = "Bo Renner <bo@mill.example>"
    message["Subject"] = paper.subject
    message["Date"] = format_datetime(START + timedelta(hours=paper.begin))
    message["Message-ID"] = f"<{paper.begin}@mill.example>"
    message.set_content(paper.text)
    for child in attached:
        name, content = f"{child.begin}{child.suffix}", child.native or child.text.encode()
        message.add_attachment(content, maintype="text", subtype="plain", filename=name)
    if attached:
        message.set_boundary(f"part-{paper.begin}")
    return message.as_bytes()


def papers() -> list[Paper]:
    """Return two families, a stray, one with images, one without native, and two copies."""
    made = [
        Paper(1, 2, subject="Rent of the mill", text="The rent is 48,000 a year.", suffix=".eml"),
        Paper(3, 1, 1, text="Lease of the mill at Hale. Rent: 48,000 a year, paid in May."),
        Paper(4, 3, 1, text="Plan of the mill: three floors, one wheel, no chimney."),
        Paper(7, 1, subject="Keys", text="The keys lie under the stone.", suffix=".eml"),
        Paper(8, 1, 7, text="Lease of the mill at Hale. Rent: 48,000 a year, paid in May."),
        Paper(9, 2, text="Survey of the roof.\fThe roof leaks above hall two.", has_native=False),
        Paper(11, 1, text="", subject="Withheld: advice of counsel", has_native=False),
        Paper(12, 1, text="Zoë's note: the wheel turns.", custodian="Renner, Bo"),
    ]
    made[6].has_text = False
    for paper in made:
        if paper.parent is not None:
            next(p for p in made if p.begin == paper.parent).children.append(paper.begin)
    for paper in made:
        attached = [p for p in made if p.begin in paper.children]
        if paper.suffix == ".eml":
            paper.native = mail_bytes(paper, attached)
        elif paper.has_native:
            paper.native = paper.text.encode()
    return made


def fields_of(paper: Paper, every: Sequence[Paper]) -> dict[str, str]:
    root = paper if paper.parent is None else next(p for p in every if p.begin == paper.parent)
    family = [p for p in every if p is root or p.parent == root.begin]
    last = family[-1].begin + family[-1].pages - 1
    native = paper.native or b""
    sent = START + timedelta(hours=paper.begin)
    is_mail = paper.suffix == ".eml"
    name = label(paper.begin)
    return {
        "BEGBATES": name,
        "ENDBATES": label(paper.begin + paper.pages - 1),
        "BEGATTACH": label(root.begin) if len(family) > 1 else "",
        "ENDATTACH": label(last) if len(family) > 1 else "",
        "PARENTID": label(paper.parent) if paper.parent else "",
        "ATTACHIDS": ";".join(map(label, paper.children)),
        "CUSTODIAN": paper.custodian,
        "FROM": "Ada Mossop <ada@mill.example>" if is_mail else "",
        "TO": "Bo Renner <bo@mill.example>\u00aeCy Hale <cy@hale.example>" if is_mail else "",
        "CC": "",
        "SUBJECT": paper.subject,
        "DATESENT": sent.strftime("%m/%d/%Y %I:%M %p") if is_mail else "",
        "FILENAME": f"paper {paper.begin}{paper.suffix}",
        "MD5HASH": hashlib.md5(native, usedforsecurity=False).hexdigest().upper() if native else "",
        "NATIVEPATH": f"\\VOL001\\NATIVES\\001\\{name}{paper.suffix}" if paper.has_native else "",
        "TEXTPATH": f"\\VOL001\\TEXT\\001\\{name}.txt" if paper.has_text else "",
    }


def dat(
    rows: Any, *, encoding: str = "utf-8-sig", separator: str = "\x14", end: str = "\r\n"
) -> bytes:
    lines = (separator.join(f"\u00fe{value}\u00fe" for value in row) + end for row in rows)
    return "".join(lines).encode(encoding)


def produce(folder: Path, *, encoding: str = "utf-8-sig", images: bool = True) -> Path:
    """Write a production; return its DAT file."""
    from PIL import Image

    every = papers()
    home = folder / "VOL001"
    rows = [COLUMNS, *(tuple(fields_of(p, every).values()) for p in every)]
    for name in ("DATA", "NATIVES/001", "TEXT/001", "IMAGES/001"):
        (home / name).mkdir(parents=True, exist_ok=True)
    lines = []
    for paper in every:
        if paper.has_native:
            path = home / "NATIVES/001" / f"{label(paper.begin)}{paper.suffix}"
            path.write_bytes(paper.native or b"")
        if paper.has_text:
            (home / "TEXT/001" / f"{label(paper.begin)}.txt").write_bytes(paper.text.encode())
        for page in range(paper.pages if images else 0):
            name = label(paper.begin + page)
            Image.new("1", (8, 8), page % 2).save(home / "IMAGES/001" / f"{name}.tif")
            starts, count = ("Y", str(paper.pages)) if page == 0 else ("", "")
            lines.append(f"{name},VOL001,IMAGES\\001\\{name}.tif,{starts},,,{count}")
    path = home / "DATA" / "VOL001.dat"
    path.write_bytes(dat(rows, encoding=encoding))
    if images:
        path.with_suffix(".opt").write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return path
