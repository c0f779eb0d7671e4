"""How exactly citations are read: opinions with every citation marked, and passages of our own.

``python -m bench.citations DATA`` reads ``DATA/opinions`` (HTML of the Caselaw Access Project's
tests, block quotations as such, every citation in ``<a class="citation" data-cite="...">``): the
marks are taken out, what is read is compared with them. Then the passages of
``tests/editions/legal/hard_citations.txt``, and how much is taken for a citation in contracts
(``DATA/cuad/txt``), which cite no cases.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.editions.legal.extract.citations import citations_note, read_citations
from casetrack.extract.papers.text import TextPage, WholeText
from casetrack.extract.references.matches import slug
from editions.legal.hard_citations import passages, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.papers.spans import LegalCitation

_BLOCKS = frozenset("p blockquote section article aside h1 h2 h3 h4 li div".split())
_SHORT = re.compile(r"\bat\b|[Ii]d\.|[Ii]bid|supra")


class Opinion(HTMLParser):
    """The text of an opinion, and its marks as (start, end, citation)."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.marks: list[tuple[int, int, str]] = []
        self.blocks: list[tuple[int, int]] = []
        self._open: tuple[int, str] | None = None
        self._skips = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _BLOCKS:
            self.text += "\n\n"
        elif tag == "br":
            self.text += "\n"
        if tag == "blockquote":
            self.blocks.append((len(self.text), len(self.text)))
        elif tag == "a" and given.get("class") == "citation":
            self._open = (len(self.text), given["data-cite"] or "")
        elif tag == "a" and given.get("class") in {"page-label", "footnotemark"}:
            self._skips = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            if self._open:
                self.marks.append((self._open[0], len(self.text), self._open[1]))
            self._open, self._skips = None, False
        elif tag == "blockquote" and self.blocks:
            self.blocks[-1] = (self.blocks[-1][0], len(self.text))
        if tag in _BLOCKS:
            self.text += "\n\n"

    def handle_data(self, data: str) -> None:
        if not self._skips:
            self.text += re.sub(r"\s+", " ", data)


def whole(text: str, blocks: Sequence[tuple[int, int]] = ()) -> WholeText:
    return WholeText((TextPage(1, text, blocks=tuple(blocks)),))


def is_same(cited: str, found: LegalCitation) -> bool:
    """Whether *found* has the authority that the mark names."""
    if "§" in cited:
        section = re.sub(r"[^0-9a-z]", "", cited.rsplit("§", maxsplit=1)[-1].lower())
        return section in found.key.replace("-", "")
    if " Stat. " in cited:
        return f"regulation:stat-{slug(cited.replace(' Stat. ', ' '))}" in found.keys
    return f"case:{slug(cited.replace('.', ''))}" in found.keys


def opinions(folder: Path) -> None:
    counts: Counter[str] = Counter()
    begun = time.process_time()
    for path in sorted(folder.glob("*.html")):
        opinion = Opinion()
        opinion.feed(path.read_text(encoding="utf-8"))
        found = read_citations(whole(opinion.text, opinion.blocks))
        for start, end, cited in opinion.marks:
            hits = [c for c in found if c.start < end and start < c.end]
            form = "short" if _SHORT.search(opinion.text[start:end]) else "full"
            right = any(is_same(cited, c) for c in hits)
            counts.update({"marks": 1, form: 1, "places": bool(hits), f"{form} right": right})
            if not right:
                around = opinion.text[max(0, start - 90) : end + 20].replace("\n", " ")
                print(f"  {path.name}: {cited}: {around!r} -> {[c.key for c in hits]}")
    print(f"opinions: places {counts['places']}/{counts['marks']}", end="; same decision: ")
    print(f"full {counts['full right']}/{counts['full']}", end=", ")
    print(f"short {counts['short right']}/{counts['short']}", end="; ")
    print(f"{time.process_time() - begun:.1f} s of processor")


def main(data: Path) -> None:
    print(citations_note() or "with eyecite")
    opinions(data / "opinions")
    hard = passages()
    right = sum(read(passage.text) == passage.expected for passage in hard)
    print(f"hard passages: {right}/{len(hard)} in every field")
    kinds: Counter[str] = Counter()
    for path in sorted((data / "cuad" / "txt").glob("*.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        kinds.update(c.kind for c in read_citations(whole(text)))
    print(f"contracts: {dict(kinds)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
