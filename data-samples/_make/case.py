"""Makes the sample case for lawyers: opinions, pleadings, a transcript, exhibits, mails, a draft.

The texts lie in ``case/``; nothing in them happened, and no case that is said to be decided by the
District of Vermont was. Files that a court or a firm would print are PDFs drawn line by line.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from email.message import EmailMessage
from email.utils import format_datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docx
from docx.shared import Pt
from reportlab.lib.pagesizes import LETTER
from reportlab.pdfgen.canvas import Canvas

from _make.word import strip_template
from _make.zips import read_zip, write_zip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_TEXTS = Path(__file__).parent / "case"
_WIDTH, _HEIGHT = LETTER
_LEADING = 15.0
_LINES = 25
_HOST = "mail.corvidfreight.example"
_ECF = "Case 2:24-cv-00417-atm   Document {entry}   Filed {filed}   Page {page} of {pages}"


def build_case(target: Path, /) -> list[Path]:
    """Write all files of the case below ``target`` and return their paths, sorted.

    The same texts give the same bytes on any day and machine, for one set of library versions.
    """
    made: dict[str, Callable[[Path], None]] = {
        "Opinions/Teasdale v. Quorn Cartage.txt": _plain("teasdale"),
        "Opinions/Orrin Seed v. Blackmere Lines.txt": _plain("orrin"),
        "Docket/001 Complaint.pdf": _paper("complaint", entry="1", filed="08/19/24"),
        "Docket/020 Scheduling Order.pdf": _paper("order", entry="20", filed="11/21/24"),
        "Transcripts/Vale Deposition.pdf": _transcript("vale"),
        "Exhibits/Ex. 1 Bill of Lading.pdf": _paper("lading", exhibit="1", bates=1),
        "Exhibits/Ex. 2 Delivery Receipt.pdf": _paper("receipt", exhibit="2", bates=2),
        "Exhibits/Ex. 3 Letter with a black box.pdf": _paper(
            "letter", exhibit="3", bates=3, cover="His adviser in"
        ),
        "Drafts/Brief in support.docx": _brief,
    }
    for name, write in made.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    mails = _write_mails(target)
    load = _write_load_file(target, mails)
    return sorted([*(target / name for name in made), *mails, *load])


def _pages(name: str) -> list[list[str]]:
    text = (_TEXTS / f"{name}.txt").read_text(encoding="utf-8")
    return [page.split("\n") for page in text.rstrip("\n").split("\\f\n")]


def _plain(name: str) -> Callable[[Path], None]:
    text = (_TEXTS / f"{name}.txt").read_text(encoding="utf-8")
    return lambda path: path.write_text(text, encoding="utf-8", newline="\n") and None


def _paper(
    name: str,
    *,
    entry: str = "",
    filed: str = "",
    exhibit: str = "",
    bates: int = 0,
    cover: str = "",
) -> Callable[[Path], None]:
    """Return what draws a filed paper or an exhibit: header of the docket, sticker, number."""
    pages = _pages(name)

    def write(path: Path) -> None:
        canvas = Canvas(str(path), pagesize=LETTER, invariant=1)
        canvas.setTitle(path.stem)
        for number, lines in enumerate(pages, 1):
            if entry:
                header = _ECF.format(entry=entry, filed=filed, page=number, pages=len(pages))
                canvas.setFont("Helvetica", 9)
                canvas.drawCentredString(_WIDTH / 2, _HEIGHT - 24, header)
            if exhibit:
                _sticker(canvas, exhibit)
            _draw_lines(canvas, lines, cover)
            canvas.setFont("Helvetica", 10)
            if bates:
                canvas.drawRightString(_WIDTH - 40, 28, f"HAR{bates + number - 1:06d}")
            elif len(pages) > 1:
                canvas.drawCentredString(_WIDTH / 2, 40, str(number))
            canvas.showPage()
        canvas.save()

    return write


def _sticker(canvas: Canvas, exhibit: str) -> None:
    canvas.rect(_WIDTH - 130, _HEIGHT - 80, 90, 36)
    canvas.setFont("Helvetica-Bold", 11)
    canvas.drawCentredString(_WIDTH - 85, _HEIGHT - 60, "EXHIBIT")
    canvas.drawCentredString(_WIDTH - 85, _HEIGHT - 74, exhibit)


def _draw_lines(canvas: Canvas, lines: Iterable[str], cover: str) -> None:
    canvas.setFont("Courier", 10.5)
    height = _HEIGHT - 110
    for text in lines:
        canvas.drawString(72, height, text)
        if cover and cover in text:
            begin = 72 + canvas.stringWidth(text[: text.index(cover)])
            canvas.rect(
                begin, height - 4, canvas.stringWidth(cover), _LEADING - 2, stroke=0, fill=1
            )
        elif cover and text.startswith("this matter is "):
            begin = 72 + canvas.stringWidth("this matter is ")
            canvas.rect(begin, height - 4, 110, _LEADING - 2, stroke=0, fill=1)
        height -= _LEADING


def _transcript(name: str) -> Callable[[Path], None]:
    """Return what draws a transcript: twenty-five numbered lines a page in a frame."""
    pages = _pages(name)

    def write(path: Path) -> None:
        canvas = Canvas(str(path), pagesize=LETTER, invariant=1)
        canvas.setTitle("Deposition of Daniel Vale")
        for number, held in enumerate(pages, 1):
            lines = [*held, *[""] * _LINES][:_LINES]
            canvas.setFont("Courier", 11)
            canvas.drawRightString(_WIDTH - 72, _HEIGHT - 50, str(number))
            canvas.rect(100, _HEIGHT - 70 - _LINES * 25.5, _WIDTH - 160, _LINES * 25.5)
            for at, text in enumerate(lines):
                height = _HEIGHT - 88 - at * 25.5
                canvas.drawRightString(92, height, str(at + 1))
                canvas.drawString(112, height, text)
            canvas.showPage()
        canvas.save()

    return write


def _brief(path: Path) -> None:
    document = docx.Document()
    document.styles["Normal"].font.name = "Times New Roman"
    document.styles["Normal"].font.size = Pt(12)
    text = (_TEXTS / "brief.txt").read_text(encoding="utf-8")
    for block in text.strip().split("\n\n"):
        if block.startswith("# "):
            document.add_heading(block[2:], level=1)
        else:
            document.add_paragraph(block)
    facts = document.core_properties
    facts.title, facts.author, facts.last_modified_by = "Memorandum in support", "LF", "LF"
    facts.created = facts.modified = dt.datetime.combine(dt.date(2025, 8, 12), dt.time(9))
    facts.comments, facts.revision = "", 1
    strip_template(document)
    document.save(str(path))
    write_zip(path, read_zip(path))


def _mails() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((_TEXTS / "mail.toml").read_text("utf-8"))["mail"]
    return found


def _write_mails(target: Path) -> list[Path]:
    folder = target / "Production" / "Natives"
    folder.mkdir(parents=True, exist_ok=True)
    ids: dict[str, str] = {}
    chains: dict[str, list[str]] = {}
    paths = []
    for number, mail in enumerate(_mails(), 4):
        message = EmailMessage()
        message["From"], message["To"] = mail["from"], ", ".join(mail["to"])
        if "cc" in mail:
            message["Cc"] = ", ".join(mail["cc"])
        message["Date"] = format_datetime(dt.datetime.fromisoformat(mail["date"]))
        message["Subject"] = mail["subject"]
        ids[mail["file"]] = f"<{mail['file'][:4]}.{number}@{_HOST}>"
        message["Message-ID"] = ids[mail["file"]]
        chain = []
        if "answers" in mail:
            chain = [*chains[mail["answers"]], ids[mail["answers"]]]
            message["In-Reply-To"], message["References"] = chain[-1], " ".join(chain)
        chains[mail["file"]] = chain
        message.set_content(mail["text"].lstrip("\n"))
        if "attach" in mail:
            name = Path(mail["attach"]).name
            message.add_attachment(
                (target / mail["attach"]).read_bytes(), "application", "pdf", filename=name
            )
            message.set_boundary("=-=the-crate-from-Brattleboro=-=")
        path = folder / f"HAR{number:06d}.eml"
        path.write_bytes(BytesIO(bytes(message)).getvalue())
        paths.append(path)
    return paths


_FIELDS = (
    *("BEGBATES", "ENDBATES", "BEGATTACH", "ENDATTACH", "CUSTODIAN", "FROM", "TO", "CC"),
    *("SUBJECT", "DATESENT", "NATIVELINK"),
)


def _write_load_file(target: Path, natives: list[Path]) -> list[Path]:
    """Write a Concordance DAT and an Opticon OPT over the exhibits and mails, as produced."""
    rows = [_FIELDS]
    pages = []
    for number, name in enumerate(
        ("Ex. 1 Bill of Lading", "Ex. 2 Delivery Receipt", "Ex. 3 Letter with a black box"), 1
    ):
        bates = f"HAR{number:06d}"
        link = f"..\\Exhibits\\{name}.pdf"
        rows.append((bates, bates, bates, bates, "Corvid Freight", "", "", "", name, "", link))
        pages.append(f"{bates},HAR001,{link},Y,,,1")
    for mail, path in zip(_mails(), natives, strict=True):
        bates, sent = path.stem, dt.datetime.fromisoformat(mail["date"]).strftime("%m/%d/%Y")
        link = f"Natives\\{path.name}"
        people = mail["from"], "; ".join(mail["to"]), "; ".join(mail.get("cc", []))
        custodian = mail["from"].split(" <")[0]
        rows.append((bates, bates, bates, bates, custodian, *people, mail["subject"], sent, link))
        pages.append(f"{bates},HAR001,{link},Y,,,1")
    lines = ["\x14".join(f"\xfe{value}\xfe" for value in row) for row in rows]
    dat, opt = target / "Production" / "HAR001.dat", target / "Production" / "HAR001.opt"
    dat.write_bytes(b"\xef\xbb\xbf" + ("\r\n".join(lines) + "\r\n").encode("utf-8"))
    opt.write_bytes(("\r\n".join(pages) + "\r\n").encode("utf-8"))
    return [dat, opt]
