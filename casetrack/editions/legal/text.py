"""Text form of the edition's records for the command line and AI programs."""

from collections.abc import Sequence
from functools import partial
from pathlib import PurePath
from typing import Any

from casetrack.api.text import Line, Lines, entries_of, head_of, line, lines_of
from casetrack.api.text.form import counted, facts, flat, inside, spread
from casetrack.base.records.table import cell
from casetrack.editions.legal.records.authorities import (
    Chronology,
    ChronologyEntry,
    Citator,
    CitingPlace,
)
from casetrack.editions.legal.records.check import TITLES, CiteCheck, Finding, in_marks
from casetrack.editions.legal.records.dockets import Docket, DocketLine
from casetrack.editions.legal.records.families import (
    DuplicateGroup,
    Duplicates,
    Families,
    Family,
    MailThread,
    MailThreads,
)
from casetrack.editions.legal.records.load_files import (
    HiddenText,
    PrivilegeEntry,
    PrivilegeLog,
    ProductionExport,
    ProductionLoad,
    RedactedCopy,
)

_NAMES, _SHOWN, _DEEPEST = 10, 300, 12
_SURE = 0.6
_KINDS = {"content": "identical", "message": "the same mail", "near": "near duplicates"}
_COVERS = {
    "box": "under a box",
    "picture": "under a picture",
    "annotation": "under an annotation that any viewer can move",
    "invisible": "not shown on the page",
    "mark": "marked for redaction, which was not applied",
    "earlier version": "removed from the page, but still in an earlier version in the file",
    "shading": "dark letters on a dark background",
    "hidden": "formatted as hidden text",
    "deleted": "a tracked deletion that was not accepted",
    "unused object": "in an object that no page uses",
}


def _listed(name: str, answer: Any) -> tuple[str, Sequence[Any]]:
    return name, getattr(answer, name)


for _kind, _name in (
    (MailThreads, "threads"),
    (Families, "families"),
    (Duplicates, "groups"),
    (Docket, "lines"),
    (PrivilegeLog, "entries"),
    (ProductionLoad, "troubles"),
):
    entries_of.register(_kind, partial(_listed, _name))


@entries_of.register
def _findings(check: CiteCheck) -> tuple[str, Sequence[Finding]]:
    return "findings", check.shown


def notes_of(answer: Any, /) -> Lines:
    """Return the notes of an answer, one per line."""
    return [line((f"Note: {flat(note)}", "less")) for note in answer.notes]


# Mails, families and copies.


@head_of.register
def _threads(answer: MailThreads) -> Lines:
    mails = f"{counted(answer.mail_count, 'mail')}, {answer.single_count:,} alone"
    copies = counted(answer.copy_count, "further copy", "further copies")
    head = (counted(answer.thread_count, "thread"), "title")
    return [line(head, f" ({mails}, {copies})"), *notes_of(answer)]


@lines_of.register
def _thread(thread: MailThread) -> Lines:
    subject, mails = flat(thread.subject) or "(no subject)", counted(thread.mail_count, "mail")
    lines = [line((subject, "strong"), f"  {mails}", label=f"{thread.thread}. ")]
    for mail in thread.mails:
        copies = f"  +{counted(len(mail.copies), 'copy', 'copies')}" if mail.copies else ""
        basis = f"  ({', '.join(mail.basis)})" if mail.basis else ""
        lines.append(
            line(
                f"{cell(mail.sent_at, _SHOWN) or 'no time':16}  ",
                flat(mail.sender) or "(no sender)",
                (f"  {mail.citation}{copies}{basis}", "less"),
                indent=3 + 2 * min(mail.depth, _DEEPEST),
            )
        )
    missing = f"missing: {', '.join(thread.missing)}"
    return [*lines, *([line((missing, "less"), indent=3)] if thread.missing else [])]


@head_of.register
def _families(answer: Families) -> Lines:
    head = (counted(answer.family_count, "family", "families"), "title")
    documents = counted(answer.document_count, "document")
    return [line(head, f" ({documents}, {answer.single_count:,} alone)")]


@lines_of.register
def _family(family: Family) -> Lines:
    span = "" if family.bates_begin is None else f"  {family.bates_begin}-{family.bates_end}"
    lines = [line((family.document, "strong"), span, (f"  by the {family.known_from}", "less"))]
    for member in family.members[1:]:
        number = f"  {member.control_number}" if member.control_number else ""
        lines.append(line(member.document, (number, "less"), indent=2 * member.depth))
    absent = f"attached files without a document: {', '.join(family.absent)}"
    return [*lines, *([line((absent, "less"), indent=2)] if family.absent else [])]


@head_of.register
def _duplicates(answer: Duplicates) -> Lines:
    near = "" if answer.near_count is None else f", {answer.near_count:,} near duplicates"
    head = f"{answer.exact_count:,} of {answer.document_count:,} documents"
    return [line((head, "title"), f" are duplicates of another{near}"), *notes_of(answer)]


@lines_of.register
def _duplicate(group: DuplicateGroup) -> Lines:
    whose = f"  {'; '.join(group.custodians)}" if group.custodians else ""
    label = f"{group.group}. "
    lines = [line((_KINDS[group.kind], "strong"), (whose, "less"), label=label)]
    for one in group.documents:
        share = f"  {one.similarity:.0%}" if group.kind == "near" else ""
        lines.append(line(one.control_number or one.path, (share, "less"), indent=len(label)))
    return lines


# Productions and withheld documents.


def _facts(answer: Any, *left_out: str) -> Lines:
    """Return the values of a record with their field names, then its notes."""
    labels = {}
    for name, value in answer.as_dict().items():
        if name not in {"notes", "seconds", "cancelled", *left_out} and value not in (None, [], {}):
            parts = [f"{k} {n:,}" for k, n in value.items() if n] if type(value) is dict else value
            labels[name.replace("_", " ")] = cell(
                "; ".join(parts) if type(parts) is list else parts, _SHOWN
            )
    return [*facts(labels), *notes_of(answer)]


@head_of.register
def _load(answer: ProductionLoad) -> Lines:
    checked = [line("Check only; nothing was stored.")] if answer.dry_run else []
    return [
        line((answer.production, "title")),
        *checked,
        *_facts(answer, "production", "columns", "troubles", "failed", "dry_run"),
    ]


@head_of.register
def _export(answer: ProductionExport) -> Lines:
    return [line((f"Wrote {answer.load_file}", "title")), *_facts(answer, "load_file", "folder")]


@head_of.register
def _privilege(log: PrivilegeLog) -> Lines:
    entries = counted(len(log.entries), "entry", "entries")
    return [line((f"Privilege log of {log.collection}: {entries}", "title")), *notes_of(log)]


@lines_of.register
def _withheld(entry: PrivilegeEntry) -> Lines:
    people = " to ".join(filter(None, (entry.author, entry.recipients)))
    facts_ = "  ".join(filter(None, (entry.date, entry.type, people)))
    why = ": ".join(filter(None, (entry.privilege, entry.basis)))
    first = line((entry.control_number, "strong"), f"  {flat(facts_)}", label=f"{entry.number}. ")
    return [first, *inside([line(flat(each)) for each in (entry.description, why) if each], 4)]


@lines_of.register
def _hidden(hidden: HiddenText) -> Lines:
    name = PurePath(hidden.file).name
    return [
        line((f"{name}, {hidden.place}: ", "strong"), f"“{flat(hidden.text).strip()}”"),
        line(
            (_COVERS.get(hidden.cover, "beside the pages, which do not show it"), "less"), indent=2
        )
        if hidden.certain
        else line(("not proved hidden: check it yourself", "warning"), indent=2),
    ]


@head_of.register
def _redacted(made: RedactedCopy) -> Lines:
    areas = f"{counted(made.places, 'black area')} on {counted(len(made.pages), 'page')}"
    reasons = ", ".join(f"{why} {count}" for why, count in made.by_reason.items())
    read = f"Read by OCR; check them yourself: {_pages(made.recognised)}"
    unread = f"Pictures and drawings without OCR: {_pages(made.not_read)}"
    labels = [
        *(("", f"checked: {each}") for each in made.proof),
        *(("warning", f"not checked: {each}") for each in made.unproved),
        *(("", f"Removed, because the page does not show it: {each}") for each in made.left_out),
        *([("", read)] if made.recognised else []),
        *([("wrong", unread)] if made.not_read else []),
        *(
            ("wrong", f"Not visible on the page, but can be copied: {each}")
            for each in made.covered
        ),
    ]
    return [
        line(("Wrote ", "strong"), made.copy),
        *([line(f"{areas}: {reasons}")] if made.places else []),
        *(line((text, style), indent=2) for style, text in labels),
    ]


def _pages(pages: Sequence[int]) -> str:
    return f"page{'s' * (len(pages) > 1)} {', '.join(map(str, pages))}"


# Authorities, drafts, dockets, chronologies.


@head_of.register
def _citator(answer: Citator) -> Lines:
    counts = {**answer.treatments, **answer.signals}
    places = spread(answer.total, answer.document_count, "citation")
    marks = ", ".join(f"{name} ({count})" for name, count in counts.items())
    source = flat(answer.source_document or "")
    return [
        line((flat(answer.name), "title"), f" ({answer.kind}): {places}"),
        *([line(f"Treatment and signals: {marks}")] if counts else []),
        *([line("In the file: ", (source, "strong"))] if source else []),
        *notes_of(answer),
    ]


@lines_of.register
def _citing(place: CitingPlace) -> Lines:
    marks = ", ".join(mark for mark in (place.treatment, place.signal) if mark)
    return [
        line(
            (place.citation, "source"),
            (f" [{marks}]" if marks else "", "wrong" if place.weight else "strong"),
            (f" at {flat(place.pin)}" if place.pin else "", "less"),
        ),
        line('"', (flat(place.sentence), "said"), '"'),
        *([line((flat(place.note), "warning"))] if place.note else []),
        *(line((warning, "warning")) for warning in place.quote.provenance.warnings),
    ]


@head_of.register
def _check(check: CiteCheck) -> Lines:
    held = f"{counted(check.citations, 'citation')}, {counted(check.quotations, 'quotation')}"
    counts = [f"{check.counts[v]} {title}" for v, title in TITLES.items() if v in check.counts]
    return [
        line((flat(check.draft_name), "title"), f": {held}, compared with {check.case}"),
        line("; ".join(counts) or "This draft has no citations or quotations to check."),
        *notes_of(check),
    ]


@lines_of.register
def _finding(finding: Finding) -> Lines:
    sure = "" if finding.confidence >= _SURE else f"  {finding.confidence:.0%} confidence"
    first = line(
        (finding.place.citation, "source"),
        ": ",
        (finding.title, "wrong" if finding.is_sure else "strong"),
        (sure, "warning"),
        label=f"{finding.number}. ",
    )
    words: tuple[Any, ...] = ((cell(finding.text, _SHOWN), "said"),)
    if finding.verdict == "altered":
        words = tuple(_marked(kind, text, finding) for kind, text in in_marks(finding.edits))
    if finding.what == "quotation":
        words = ("\u201c", *words, "\u201d", (f" {flat(finding.cited)}", "less"))
    rest = [line(*words), line(flat(finding.said))]
    return [first, *inside([*rest, *(line((flat(n), "less")) for n in finding.notes)], 4)]


def _marked(kind: str, text: str, finding: Finding) -> tuple[str, str]:
    style = {"delete": "removed", "insert": "added"}.get(kind, "said")
    return text, style if style == "said" or finding.is_sure else "warning"


@head_of.register
def _docket(docket: Docket) -> Lines:
    document = docket.document
    heads = (document.case_name, document.case_number, document.court, document.judge)
    title = ", ".join(filter(None, heads)) or document.name
    return [line((title, "title")), *([] if docket.lines else [line("The docket has no entries.")])]


@lines_of.register
def _docket_line(each: DocketLine) -> Lines:
    label = f"{each.filed_on or '-':<10}  {each.number or '-':>6}  "
    several = [line(("Several documents have this number.", "warning"), indent=20)]
    return [
        line(flat(each.text), label=label),
        *([line(("; ".join(each.papers), "strong"), indent=20)] if each.papers else []),
        *(several if len(each.papers) > 1 else []),
    ]


@head_of.register
def _chronology(answer: Chronology) -> Lines:
    return [line((answer.case, "title")), *notes_of(answer)]


@lines_of.register
def _event(event: ChronologyEntry) -> Lines:
    label = f"{event.value:<10}  "
    picked = [("  (picked)", "own")] if event.picked else []
    own: list[Line] = [line(flat("; ".join(event.who)))] if event.who else []
    own += [line((event.citation, "source")), line((f"event {event.event_id}", "less"))]
    return [line(flat(event.event), *picked, label=label), *inside(own, len(label))]
