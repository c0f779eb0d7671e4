"""Reads DOCX."""

from __future__ import annotations


class DocxReader:
    name = "DOCX"
    extensions = (".docx",)

    def accepts(self, file):
        return False
