"""Reads Spreadsheet."""

from __future__ import annotations


class SheetReader:
    name = "Spreadsheet"
    extensions = (".xlsx",)

    def accepts(self, file):
        return False
