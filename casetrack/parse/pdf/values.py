"""Values of a PDF's dictionaries as plain Python ones."""

from __future__ import annotations

from typing import Any

from casetrack.parse.pdf.open import silenced

MAX_TEXT_BYTES = 1 << 24
"""A longer text in a stream is cut there: nobody typed it into a field or a note."""


def entry_of(dictionary: Any, key: str, /) -> Any:
    """Return an entry of a dictionary; what is not there is null, which all others here take."""
    return silenced().mupdf.pdf_dict_gets(dictionary, key)


def text_of(value: Any, /) -> str:
    """Return a text, which stands in a string, a stream or a name; empty for anything else."""
    mupdf = silenced().mupdf
    if mupdf.pdf_is_string(value):
        return _lines(mupdf.pdf_to_text_string(value))
    if mupdf.pdf_is_stream(value):
        data = bytes_of(value)
        if data.startswith((b"\xfe\xff", b"\xff\xfe")):
            return _lines(data.decode("utf-16", "replace"))
        return _lines(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    return name_of(value)


def bytes_of(stream: Any, /) -> bytes:
    """Return the content of a stream."""
    mupdf = silenced().mupdf
    limited = mupdf.fz_open_null_filter(mupdf.pdf_open_stream(stream), MAX_TEXT_BYTES, 0)
    data: bytes = silenced().JM_BinFromBuffer(mupdf.fz_read_all(limited, 4096))
    return data


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def name_of(value: Any, /) -> str:
    """Return a name without its slash; empty for anything else."""
    return str(silenced().mupdf.pdf_to_name(value))


def object_number(value: Any, /) -> int:
    """Return the number of the object that *value* refers to; 0 where it stands by itself."""
    return int(silenced().mupdf.pdf_to_num(value))


def number_of(value: Any, /) -> int:
    """Return a whole number; 0 for anything else."""
    return int(silenced().mupdf.pdf_to_int(value))


def keys_of(dictionary: Any, /) -> list[str]:
    """Return the keys of a dictionary; none of anything else."""
    mupdf = silenced().mupdf
    count = mupdf.pdf_dict_len(dictionary) if mupdf.pdf_is_dict(dictionary) else 0
    return [name_of(mupdf.pdf_dict_get_key(dictionary, i)) for i in range(count)]


def items_of(value: Any, /, most: int = 10_000) -> list[Any]:
    """Return up to *most* items of an array; a single value counts as one of its own."""
    mupdf = silenced().mupdf
    if not value.m_internal:
        return []
    if not mupdf.pdf_is_array(value):
        return [value]
    return [mupdf.pdf_array_get(value, i) for i in range(min(mupdf.pdf_array_len(value), most))]


def letters_of(text: str, /) -> str:
    """Return the letters and digits of a text in one case: what stays however it is drawn."""
    return "".join(char for char in text.casefold() if char.isalnum())
