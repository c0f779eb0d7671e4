"""Accuracy of the check of a draft: ``python -m quality.cite_check FOLDER --errors 300``.

Briefs are generated from real opinions: quotations with every permitted alteration, and planted
errors of ten kinds. The report has the detected errors by kind, the clean quotations and citations
reported as wrong, and the cost of the check; ``--show`` lists every miss and false alarm. FOLDER
has opinions as HTML in the form of the Caselaw Access Project.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.editions.legal.check import check_draft
from casetrack.editions.legal.drafts import read_draft
from casetrack.extract.language import sentence_ends
from casetrack.parse import detect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.api.collection import Collection
    from casetrack.editions.legal.records.check import CiteCheck, Finding

KINDS = (
    "word changed",
    "word left out",
    "words added",
    "negation dropped",
    "number changed",
    "order of words",
    "wrong page",
    "wrong case",
    "wrong volume",
    "invented",
)
_REPORTERS = {
    "A3d": "A.3d",
    "NE3d": "N.E.3d",
    "NE2d": "N.E.2d",
    "SE2d": "S.E.2d",
    "P3d": "P.3d",
    "NW2d": "N.W.2d",
    "CalRptr3d": "Cal. Rptr. 3d",
}
_CASE_ID = re.compile(
    r'data-case-id="FC:(\w+)/(\d+)/[^"]*" data-firstpage="(\d+)" data-lastpage="(\d+)"'
)
_STAR = re.compile(r"\[?\*{1,2}(\d+)\]?\s?")
_NUMBER = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|fifteen)\b"
)
_NEGATION = re.compile(r"\b(?:not|never|no|cannot|nor|without)\b ?")
_CITES = re.compile(r"\d+ [A-Z][\w.]* ?[\w.]* \d|§|\bv\.|[Ii]d\.|supra")
_PARTIES = re.compile(r"([A-Z][^\n]{3,90}?)[,.]?\s*\n?\s*\bv\.\s*\n?\s*([A-Z][^\n]{2,80})")
_STEADY = frozenset("the a an of to in and or for on at by is was that this it as with".split())
_FILLER = "clearly plainly generally always merely further truly indeed manifestly".split()


@dataclass(frozen=True, slots=True)
class Opinion:
    """A decision that briefs cite; ``text`` is that of its file, with star pages as ``*260``."""

    name: str
    short: str
    volume: int
    reporter: str
    first_page: int
    year: int
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of an opinion that may be quoted, with the reporter's pages."""

    opinion: Opinion
    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Planted:
    """A quotation of a brief: its text and its planted error."""

    kind: str
    words: str
    paragraph: str
    cited: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of the check for the planted errors."""

    found: Counter[str]
    planted: Counter[str]
    clean: int
    false: int
    missed: tuple[tuple[Planted, tuple[Finding, ...]], ...]
    alarms: tuple[tuple[Planted | None, Finding], ...]
    seconds: float

    @property
    def recall(self) -> float:
        """Share of the errors that were found."""
        return sum(self.found.values()) / max(1, sum(self.planted.values()))

    @property
    def false_share(self) -> float:
        """Share of the clean items that are reported as wrong."""
        return self.false / max(1, self.clean)


# --- opinions -----------------------------------------------------------------------------------


def opinions_of(folder: Path, /) -> list[Opinion]:
    """Read the opinions of a folder that are long enough to be quoted."""
    opinions = []
    for path in sorted(folder.glob("*.html")):
        match = _CASE_ID.search(path.read_text(encoding="utf-8"))
        (page,) = detect(path).read(path).pages
        text = page.text
        if match is None or len(text) < 8000 or match[1] not in _REPORTERS:
            continue
        # Star pages are data outside the text; the generated file has them in its text again.
        following = int(match[4]) + 1
        for place in sorted(page.printed, key=lambda p: -p.start):
            if place.kind == "star" and int(match[3]) <= int(place.label) < following:
                following = int(place.label)
                text = f"{text[: place.start]}*{place.label} {text[place.start :]}"
        sides = _sides(text)
        year = re.search(r"\b(19|20)\d\d\b", text[:1500])
        if sides is None or year is None:
            continue
        opinions.append(
            Opinion(
                f"{sides[0]} v. {sides[1]}",
                sides[1].split(",")[0].split()[-1],
                int(match[2]),
                _REPORTERS[match[1]],
                int(match[3]),
                int(year[0]),
                text,
            )
        )
    return opinions


def _sides(text: str) -> tuple[str, str] | None:
    match = _PARTIES.search(text[:1200])
    if match is None:
        return None
    sides = []
    for side in match.groups():
        words = [w for w in re.split(r"[\s,]+", side.split(",")[0]) if w[:1].isupper()]
        if not words:
            return None
        sides.append(" ".join(w.capitalize() if w.isupper() else w for w in words[-3:]).rstrip("."))
    return sides[0], sides[1]


def write_opinions(opinions: Sequence[Opinion], folder: Path, /) -> None:
    """Write each opinion as a text file that begins with its reporter citation."""
    for opinion in opinions:
        head = (
            f"{opinion.volume} {opinion.reporter} {opinion.first_page} ({opinion.year})\n\n"
            f"{opinion.name}\n\nDecided in {opinion.year}.\n\n"
        )
        name = f"{opinion.name.replace('/', ' ')}, {opinion.volume} {opinion.first_page}.txt"
        (folder / name).write_text(head + opinion.text, encoding="utf-8")


def passages_of(opinion: Opinion, /) -> list[Passage]:
    """Return one or two sentences at a time that are worth quoting, without citations."""
    passages = []
    page = opinion.first_page
    for paragraph in re.split(r"\n\s*\n", opinion.text):
        cuts = [0, *sentence_ends(paragraph, 0, len(paragraph)), len(paragraph)]
        for start, end in itertools.pairwise(cuts):
            raw = paragraph[start:end]
            stars = [int(m[1]) for m in _STAR.finditer(raw)]
            begin = page if not _STAR.match(raw.lstrip()) else stars[0]
            page = stars[-1] if stars else page
            text = " ".join(_STAR.sub("", raw).split())
            text = re.sub(r"\s?\[\d+\]", "", text)
            words = len(text.split())
            if not 9 <= words <= 45 or _CITES.search(text) or re.search(r"[\"“”\[\]*]", text):
                continue
            if not text[:1].isupper() or text[-1:] not in ".?":
                continue
            passages.append(Passage(opinion, text, begin, page))
    return passages


# --- errors -------------------------------------------------------------------------------------


def _changed(words: list[str], rng: random.Random, vocabulary: Sequence[str]) -> list[str] | None:
    at = [n for n, w in enumerate(words) if w.isalpha() and len(w) > 3 and w.lower() not in _STEADY]
    if not at:
        return None
    place = rng.choice(at)
    other = rng.choice([w for w in vocabulary if w.lower() != words[place].lower()])
    return [*words[:place], other, *words[place + 1 :]]


def _left_out(words: list[str], rng: random.Random, _: Sequence[str]) -> list[str] | None:
    at = [n for n, w in enumerate(words[1:-1], 1) if w.isalpha() and len(w) > 2]
    place = rng.choice(at) if at else None
    return None if place is None else [*words[:place], *words[place + 1 :]]


def _added(words: list[str], rng: random.Random, _: Sequence[str]) -> list[str] | None:
    place = rng.randrange(1, len(words))
    return [*words[:place], *rng.sample(_FILLER, rng.choice((1, 1, 2))), *words[place:]]


def _negation(words: list[str], rng: random.Random, _: Sequence[str]) -> list[str] | None:
    text = " ".join(words)
    places = [m for m in _NEGATION.finditer(text) if m.start() > 0]
    if not places:
        return None
    place = rng.choice(places)
    put = {"cannot": "can ", "without": "with "}.get(place[0].strip(), "")
    return (text[: place.start()] + put + text[place.end() :]).split()


def _number(words: list[str], rng: random.Random, _: Sequence[str]) -> list[str] | None:
    text = " ".join(words)
    places = list(_NUMBER.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    if place[0].isdigit():
        put = str(int(place[0]) + rng.choice((1, 2, 10)))
    else:
        put = rng.choice([w for w in ("two", "four", "six", "nine", "eleven") if w != place[0]])
    return (text[: place.start()] + put + text[place.end() :]).split()


def _order(words: list[str], rng: random.Random, _: Sequence[str]) -> list[str] | None:
    at = [
        n
        for n, (one, other) in enumerate(itertools.pairwise(words[:-1]))
        if n and one.isalpha() and other.isalpha() and one.lower() != other.lower()
    ]
    if not at:
        return None
    n = rng.choice(at)
    return [*words[:n], words[n + 1], words[n], *words[n + 2 :]]


_SPOILED: dict[str, Callable[[list[str], random.Random, Sequence[str]], list[str] | None]] = {
    "word changed": _changed,
    "word left out": _left_out,
    "words added": _added,
    "negation dropped": _negation,
    "number changed": _number,
    "order of words": _order,
}


def _dressed(text: str, rng: random.Random) -> str:
    """Alter a quotation as the rules allow, or not at all."""
    way = rng.randrange(9)
    words = text.split()
    if way == 0:
        return f"[{text[0].lower()}]{text[1:]}"
    if way == 1 and len(words) > 14:
        first = rng.randrange(4, len(words) - 8)
        return " ".join([*words[:first], ". . .", *words[first + rng.randrange(2, 5) :]])
    if way == 2:
        return text[0].lower() + text[1:]
    if way == 3 and len(words) > 10:
        place = rng.randrange(3, len(words) - 3)
        return " ".join([*words[:place], "[sic]", *words[place:]])
    if way == 4:
        return text.replace("'", "’")
    if way == 5 and len(words) > 12:
        first = rng.randrange(0, 3)
        return " ".join(words[first : first + rng.randrange(8, len(words) - 3)]).rstrip(",;:")
    if way == 6:
        return text[:-1] + ","
    if way == 7 and len(words) > 10:
        place = rng.randrange(3, len(words) - 3)
        if words[place].isalpha():
            return " ".join([*words[:place], f"[{words[place]}s and others]", *words[place + 1 :]])
    return text


# --- briefs -------------------------------------------------------------------------------------


class Writer:
    """Writes the paragraphs of briefs over some opinions."""

    def __init__(self, opinions: Sequence[Opinion], seed: int) -> None:
        self.rng = random.Random(seed)
        self.opinions = opinions
        self.passages = [p for o in opinions for p in passages_of(o)]
        self.rng.shuffle(self.passages)
        self.vocabulary = sorted(
            {w for p in self.passages for w in p.text.split() if w.isalpha() and 4 < len(w) < 11}
        )
        self._next = 0

    def planted(self, kind: str) -> Planted:
        """Return a paragraph with a clean quotation, or with an error of a kind."""
        while True:
            passage = self.passages[self._next % len(self.passages)]
            self._next += 1
            made = self._made(passage, kind)
            if made is not None:
                return made

    def _made(self, passage: Passage, kind: str) -> Planted | None:
        rng, opinion = self.rng, passage.opinion
        words, first, last, volume, cited = passage.text, passage.first, passage.last, 0, opinion
        if kind in _SPOILED:
            spoiled = _SPOILED[kind](words.split(), rng, self.vocabulary)
            if spoiled is None or " ".join(spoiled) == words:
                return None
            words = " ".join(spoiled)
        elif kind == "wrong page":
            shift = rng.choice((-2, -1, 1, 2, 3))
            final = max(p.last for p in self.passages if p.opinion is opinion)
            if not opinion.first_page <= first + shift <= final or last != first:
                return None
            first = last = first + shift
        elif kind == "wrong case":
            cited = rng.choice([o for o in self.opinions if o is not opinion])
            first = last = cited.first_page + 1
        elif kind == "wrong volume":
            volume = rng.choice([v for v in (-3, -1, 1, 2, 10) if opinion.volume + v > 0])
        elif kind == "invented":
            words = self._invented(len(words.split()))
            words = words[0].upper() + words[1:] + "."
        else:
            words = _dressed(words, rng)
        text = self._cite(cited, volume, first, last)
        return Planted(kind, words, self._paragraph(words, text), text)

    def _invented(self, count: int) -> str:
        pieces: list[str] = []
        while len(pieces) < count:
            words = self.rng.choice(self.passages).text.rstrip(".?").split()
            start = self.rng.randrange(max(1, len(words) - 3))
            pieces += words[start : start + self.rng.randrange(1, 4)]
        return " ".join(pieces[:count])

    def _cite(self, opinion: Opinion, volume: int, first: int, last: int) -> str:
        pin = f"{first}" if first == last else f"{first}-{str(last)[-2:]}"
        return (
            f"{opinion.name}, {opinion.volume + volume} {opinion.reporter} {opinion.first_page}, "
            f"{pin} ({opinion.year})"
        )

    def _paragraph(self, words: str, cited: str) -> str:
        bare = words.rstrip(".,?")
        way = self.rng.randrange(6)
        if way == 0:
            return f"The court put it in one sentence: “{words}” {cited}. Nothing differs here."
        if way == 1:
            return f"In {cited}, the court wrote that “{words}” That decides the motion."
        if way == 2:
            return f"The rule is old. See {cited} (“{bare}”). It has not been doubted since."
        if way == 3:
            return f"It is settled that “{bare}” and that binds this Court. See, e.g., {cited}."
        if way == 4:
            return f"As was said, “{bare},” {cited}, and the defendant does not deny it."
        return f'The motion must fail. "{words}" {cited}.'


def write_brief(paragraphs: Sequence[Planted], path: Path, /) -> None:
    """Write a brief as a DOCX."""
    import docx

    document = docx.Document()
    document.add_heading("MEMORANDUM OF LAW", level=1)
    for planted in paragraphs:
        document.add_paragraph(planted.paragraph)
    document.save(str(path))


# --- measuring ----------------------------------------------------------------------------------


def measure(
    case: Collection, opinions: Sequence[Opinion], folder: Path, /, *, errors: int, seed: int = 7
) -> Outcome:
    """Plant errors and as many clean quotations, check the briefs, and compare."""
    writer = Writer(opinions, seed)
    each = errors // len(KINDS)
    kinds = [kind for kind in KINDS for _ in range(each)] + ["clean"] * errors
    writer.rng.shuffle(kinds)
    items = [writer.planted(kind) for kind in kinds]
    counts: Counter[str] = Counter()
    missed, alarms, clean, false, seconds = [], [], 0, 0, 0.0
    for start in range(0, len(items), 60):
        part = items[start : start + 60]
        path = folder / f"Brief {start // 60 + 1}.docx"
        write_brief(part, path)
        begin = time.process_time()
        draft = read_draft(path, settings=load_settings(folder), collection=case)
        checked = check_draft(case, draft)
        seconds += time.process_time() - begin
        for planted, own in _by_paragraph(draft.whole.text, checked, part):
            wrong = [f for f in own if f.weight == "wrong"]
            if planted.kind == "clean":
                clean += len(own)
                false += len(wrong)
                alarms += [(planted, f) for f in wrong]
                if not any(f.verdict == "verbatim" for f in own):
                    alarms += [(planted, f) for f in own if f not in wrong]
            elif wrong:
                counts[planted.kind] += 1
            else:
                missed.append((planted, tuple(own)))
    planted = Counter(item.kind for item in items if item.kind != "clean")
    return Outcome(counts, planted, clean, false, tuple(missed), tuple(alarms), seconds)


def _by_paragraph(
    text: str, checked: CiteCheck, part: Sequence[Planted]
) -> list[tuple[Planted, list[Finding]]]:
    """Return the findings of each paragraph."""
    collected = []
    at = 0
    for planted in part:
        start = text.index(planted.paragraph, at)
        at = start + len(planted.paragraph)
        own = [f for f in checked.findings if start <= f.place.start < at]
        collected.append((planted, own))
    return collected


def main() -> None:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--errors", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", action="store_true", help="every miss and false alarm")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        (home / "Opinions").mkdir()
        opinions = opinions_of(args.folder)
        write_opinions(opinions, home / "Opinions")
        library = Library(load_settings(home / "data"), tier=UNLIMITED)
        case = library.create("Briefs")
        case.ingest([home / "Opinions"], progress=False)
        outcome = measure(case, opinions, home, errors=args.errors, seed=args.seed)
    print(f"{len(opinions)} opinions; {sum(outcome.planted.values())} errors planted")
    for kind in KINDS:
        print(f"  {kind:18}{outcome.found[kind]:>4} of {outcome.planted[kind]}")
    print(f"found {outcome.recall:.3f}; false alarms {outcome.false} of {outcome.clean} "
          f"({outcome.false_share:.4f}); {outcome.seconds:.1f} s of processor time")  # fmt: skip
    if args.show:
        for planted, own in outcome.missed:
            print(f"\nMISSED {planted.kind}\n  {planted.paragraph}")
            for finding in own:
                print(f"    {finding.what} {finding.verdict}: {finding.said} {finding.notes}")
        for clean, finding in outcome.alarms:
            print(f"\nALARM {finding.what} {finding.verdict}: {finding.said} {finding.notes}")
            print(f"  {clean.paragraph if clean else finding.text}")
            print(f"  {[(e.kind, e.draft, e.source) for e in finding.edits if e.counts]}")


if __name__ == "__main__":
    main()
