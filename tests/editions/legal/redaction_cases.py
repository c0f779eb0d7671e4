"""PDFs with hidden words, and PDFs that look similar but hide nothing, written object by object."""

from __future__ import annotations

import tomllib
import zlib
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

NAME = "Ida Munroe"
VISIBLE = "neighbour"
_DRAWINGS = {
    "{words}": "q BT /F1 12 Tf 72 696 Td ({name}) Tj ET Q ",
    "{owner}": "q BT /F1 12 Tf 72 696 Td (the owner) Tj ET Q ",
    "{box}": "68 690 80 20 re f ",
    "{picture}": "q 80 0 0 20 68 690 cm /I Do Q ",
    "{scan}": "q 595 0 0 842 0 0 cm /I Do Q ",
    "{hatch}": "0 G 2 w "
    + " ".join(f"{x} 688 m {x + 24} 712 l S {x + 24} 688 m {x} 712 l S" for x in range(60, 144, 3)),
    "{thin}": "0 G 0.4 w " + " ".join(f"{x} 688 m {x + 12} 712 l S" for x in range(60, 144, 8)),
}
_SENTENCE = f"The witness is a {VISIBLE} of the owner."
_FIRST = f"BT /F1 12 Tf 72 750 Td ({_SENTENCE}) Tj ET "
_PICTURE = "/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 8"
_FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
CASES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def write(name: str, path: Path) -> Path:
    """Write a case of the table: a page with a visible sentence and the objects of the case."""
    case = CASES[name]
    entries = {key: case.get(key, "") for key in ("page", "resources", "catalog", "fonts")}
    objects: dict[int, Any] = {
        1: "<</Type/Catalog/Pages 2 0 R{catalog}>>",
        2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: "<</Type/Page/Parent 2 0 R/MediaBox{media}/Contents 4 0 R{page}"
        "/Resources<</Font<</F1 5 0 R{fonts}>>{resources}>>>>",
        4: {"stream": _FIRST + case.get("draw", "")},
        5: _FONT,
    } | {int(number): made for number, made in case.get("object", {}).items()}
    terms = {f"{{{key}}}": value for key, value in entries.items()} | _DRAWINGS
    terms |= {"{media}": case.get("media", "[0 0 595 842]"), "{name}": case.get("name", NAME)}
    written = {number: _object(made, terms) for number, made in objects.items()}
    data = _file(b"%PDF-1.7\n", written, "/Root 1 0 R" + _filled(case.get("trailer", ""), terms))
    if "update" in case:
        before = int(data[data.rindex(b"startxref") + 10 :].split()[0])
        later = {4: _object({"stream": _FIRST + case["update"]}, terms)}
        data = _file(data, later, f"/Root 1 0 R/Prev {before}", size=max(objects))
    path.write_bytes(data)
    return path


def _filled(text: str, terms: dict[str, str]) -> str:
    for term, value in terms.items():
        text = text.replace(term, value)
    return text


def _object(made: Any, terms: dict[str, str]) -> bytes:
    if isinstance(made, str):
        return _filled(made, terms).encode("latin-1")
    entries = _filled(made.get("entries", ""), terms)
    if "stream" in made:
        return _stream(_filled(made["stream"], terms).encode("latin-1"), entries)
    words = _filled(made.get("picture", made.get("scan", "")), terms)
    scale, size = (0, (480, 120)) if "scan" not in made else (2, (1190, 1684))
    ground = made.get("mask", made.get("ground", 255))
    shown = Image.effect_noise(size, 90) if made.get("noise") else Image.new("L", size, ground)
    draw, font = ImageDraw.Draw(shown), ImageFont.load_default(26 if scale else 48)
    if scale:
        draw.text((144, 160), _SENTENCE, fill=0, font=font)
    draw.text((144, 270) if scale else (20, 36), words, fill=0, font=font)
    if made.get("blacked"):
        draw.rectangle((136, 264, 300, 304), fill=0)
    return _stream(shown.tobytes(), f"{_PICTURE}/Width {size[0]}/Height {size[1]}{entries}")


def _stream(data: bytes, entries: str) -> bytes:
    packed = zlib.compress(data)
    head = f"<</Filter/FlateDecode/Length {len(packed)}{entries}>>\nstream\n"
    return head.encode("latin-1") + packed + b"\nendstream"


def _file(data: bytes, objects: dict[int, bytes], trailer: str, *, size: int = 0) -> bytes:
    table = "xref\n" if size else "xref\n0 1\n0000000000 65535 f \n"
    for number, held in objects.items():
        table += f"{number} 1\n{len(data):010} 00000 n \n"
        data += b"%d 0 obj\n%b\nendobj\n" % (number, held)
    end = f"trailer\n<</Size {max(size, *objects) + 1}{trailer}>>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + (table + end).encode("latin-1")
