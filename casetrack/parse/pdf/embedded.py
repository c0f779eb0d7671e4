"""Takes the files that lie inside a PDF out of it: its name tree, and attachment annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.parse.attachments import attach
from casetrack.parse.page_builder import clean_title
from casetrack.parse.pdf.open import check_memory, failures, silenced, words_of

if TYPE_CHECKING:
    from casetrack.parse.base import Reading, ReadOptions

_MIB = 1024 * 1024
_MAX_NAMES = 20_000


class EmbeddedFiles:
    """Copies the embedded files of one document out; together within ``limits.unpacked_mb``.

    What an annotation and the name tree both hold is copied once.
    """

    def __init__(self, document: Any, reading: Reading, options: ReadOptions, /) -> None:
        self._document = document
        self._reading = reading
        self._options = options
        self._room = options.limits.unpacked_mb * _MIB
        self._taken: set[int] = set()

    def take_named(self) -> None:
        """Take the files of the document's name tree."""
        if self._options.spool is None:
            return
        pymupdf = silenced()
        mupdf = pymupdf.mupdf
        try:
            pdf = pymupdf._as_pdf_document(self._document)
            tree = mupdf.pdf_load_name_tree(pdf, pymupdf.PDF_NAME("EmbeddedFiles"))
            count = mupdf.pdf_dict_len(tree) if tree.m_internal else 0
        except failures() as error:
            check_memory(error)
            text = f"The list of embedded files is damaged: {words_of(error)}."
            self._reading.missing.append(text)
            return
        for i in range(min(count, _MAX_NAMES)):
            name = mupdf.pdf_to_name(mupdf.pdf_dict_get_key(tree, i))
            self._take(mupdf.pdf_dict_get_val(tree, i), name)

    def take_pinned(self, page: Any, /) -> None:
        """Take the files that annotations of a page hold."""
        if self._options.spool is None:
            return
        pymupdf = silenced()
        kind = pymupdf.PDF_ANNOT_FILE_ATTACHMENT
        try:
            if not any(entry[1] == kind for entry in page.annot_xrefs()):
                return
            holders = [
                pymupdf.mupdf.pdf_dict_get(
                    pymupdf.mupdf.pdf_annot_obj(annotation.this), pymupdf.PDF_NAME("FS")
                )
                for annotation in page.annots(types=[kind])
            ]
        except failures() as error:
            check_memory(error)
            text = f"Files attached to page {page.number + 1} were not read: {words_of(error)}."
            self._reading.missing.append(text)
            return
        for holder in holders:
            self._take(holder, "")

    def _take(self, holder: Any, key: str) -> None:
        """Take the file of one file specification."""
        pymupdf = silenced()
        mupdf = pymupdf.mupdf
        name = key
        try:
            stream = self._stream(holder)
            if stream is None:
                return
            for entry in ("F", "UF"):
                text = mupdf.pdf_dict_get(holder, pymupdf.PDF_NAME(entry))
                name = mupdf.pdf_to_text_string(text) or name
            # One byte more than there is room for: a stream may unpack to any size.
            limited = mupdf.fz_open_null_filter(mupdf.pdf_open_stream(stream), self._room + 1, 0)
            data = pymupdf.JM_BinFromBuffer(mupdf.fz_read_all(limited, 4096))
        except failures() as error:
            check_memory(error)
            shown = clean_title(name) or "without a name"
            text = f"The embedded file {shown} is damaged and was not read: {words_of(error)}."
            self._reading.missing.append(text)
            return
        if len(data) > self._room:
            most = self._options.limits.unpacked_mb
            text = f"The embedded files unpack to more than {most:,} MB (unpacked_mb)"
            self._reading.missing.append(f"{text}; {clean_title(name)} was not read.")
            return
        self._room -= len(data)
        attach(self._reading, self._options, name, data)

    def _stream(self, holder: Any) -> Any | None:
        """Return the stream of a file specification that was not taken yet."""
        pymupdf = silenced()
        mupdf = pymupdf.mupdf
        for entry in ("F", "UF"):
            found = mupdf.pdf_dict_getl(holder, pymupdf.PDF_NAME("EF"), pymupdf.PDF_NAME(entry))
            if found.m_internal and mupdf.pdf_is_stream(found):
                number = mupdf.pdf_to_num(found)
                if number in self._taken:
                    return None
                self._taken.add(number)
                return found
        return None
