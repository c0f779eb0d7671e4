"""Read PDF with PyMuPDF.

MuPDF provides the characters (ligatures expanded, text layers of scans included);
:mod:`casetrack.parse.layout` orders columns, lines and paragraphs. Pages whose text is in a picture
are read by OCR.
"""

from __future__ import annotations

import re
from pathlib import Path

from casetrack.parse.base import DEFAULT_OPTIONS, FileHead, Reading, ReadOptions
from casetrack.parse.pdf.open import info_of, open_pdf
from casetrack.parse.pdf.pages import PdfPages

_HEADER_WITHIN = 1024
_OBJECT = re.compile(rb"\d+\s+\d+\s+obj\b")


class PdfReader:
    """PDF: text layers, scans, hybrids of both, and embedded files."""

    name = "PDF"
    extensions: tuple[str, ...] = (".pdf",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a PDF header near the start, or PDF objects without a header."""
        if b"%PDF-" in file.head[:_HEADER_WITHIN]:
            return True
        return file.mark is None and _OBJECT.search(file.head) is not None

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the file; see :class:`casetrack.parse.base.Reader`."""
        document = open_pdf(path, options.passwords)
        pages = PdfPages(path, document, options)
        # The pages report unreadable content in the reading that contains them.
        warnings: list[str] = []
        missing: list[str] = []
        notes = Reading(info_of(document), iter(()), warnings, missing)
        if document.is_repaired:
            warnings.append("The file is damaged; it was repaired as far as possible.")
        return Reading(notes.info, pages.read(notes), warnings, missing, notes.attachments)
