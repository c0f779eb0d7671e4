"""Legal kinds that need no caption: contracts, statutes, letters, transcripts, exhibits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from casetrack.base.records.documents import LegalType
    from casetrack.extract.papers.facts import LegalFacts

_LISTS = WordLists(__file__)

_STATUTE = _LISTS.pattern("statute", re.MULTILINE)
_OPINION_ABROAD = _LISTS.pattern("opinion_abroad", re.MULTILINE)
_DEPOSITION = (
    _LISTS.pattern("deposition", re.IGNORECASE | re.MULTILINE),
    _LISTS.pattern("sworn", re.IGNORECASE | re.DOTALL),
)
_QUESTION = re.compile(r"^\s*(?:\d{1,2}\s+)?Q[.:]?\s+\S", re.MULTILINE)
_ANSWER = re.compile(r"^\s*(?:\d{1,2}\s+)?A[.:]?\s+\S", re.MULTILINE)
_SPEAKER = _LISTS.pattern("speaker", re.MULTILINE)
_PROCEEDINGS = (
    _LISTS.pattern("proceedings", re.MULTILINE),
    _LISTS.pattern("reporter", re.IGNORECASE | re.MULTILINE),
)
"""Signs of the transcript of a hearing or trial, in addition to its speakers."""
_SESSION = _LISTS.pattern("session", re.IGNORECASE)
_NOT_A_CONTRACT = _LISTS.pattern("not_a_contract", re.IGNORECASE | re.MULTILINE)

_AGREED = re.compile(_LISTS.text("agreed"), re.VERBOSE | re.MULTILINE | re.IGNORECASE)
_AGREEMENT = _LISTS.pattern("agreement", re.IGNORECASE)
LETTER_HEAD = _LISTS.pattern("letter_head", re.IGNORECASE | re.MULTILINE)
_LETTER_FOOT = _LISTS.pattern("letter_foot", re.IGNORECASE | re.MULTILINE)
MAIL_HEAD = re.compile(
    r"^\s*From\b[ :|].+\n+(?:.*\n+){0,2}?\s*(?:Sent|Date|To)\b[ :|].+\n+(?:.*\n+){0,4}?"
    r"\s*(?:Sent|Date|To|CC|Subject)\b[ :|]",
    re.MULTILINE | re.IGNORECASE,
)
"""The first lines of a printed mail."""
_NAMED_EXHIBIT = _LISTS.pattern("named_exhibit", re.IGNORECASE)
_MAILS = frozenset(("eml", "msg"))
_LAID_OUT = {"", *"pdf docx doc rtf odt txt html png jpg jpeg tiff image md epub".split()}
_HEAD = 1800
_Told: TypeAlias = "tuple[LegalType, str | None, str] | None"
"""A type, its detail, and the evidence."""


def kind_of_text(
    facts: LegalFacts,
    text: str,
    /,
    *,
    format: str,  # noqa: A002 - the column's name
    name: str,
    document_type: str | None,
) -> LegalFacts:
    """Return *facts* with the type by words and file name, if the caption has none."""
    typed = _kind_of_text(facts, text, format, name, document_type)
    labelled = _NAMED_EXHIBIT.match(name)
    if labelled is None or typed.docket_entry or (typed.exhibit and typed.legal_type):
        return typed
    proof = typed.legal_evidence or f'"{labelled.group().strip()}" in the file name'
    label = typed.exhibit or labelled["label"].upper()
    kind = typed.legal_type or "exhibit"
    return replace(typed, legal_type=kind, legal_evidence=proof, exhibit=label)


def _kind_of_text(
    facts: LegalFacts, text: str, written: str, name: str, document_type: str | None
) -> LegalFacts:
    if written in _MAILS:
        return facts.typed("correspondence", "mail", f"the file format {written.upper()}")
    head = text[:_HEAD]
    session = _session(text) if written in _LAID_OUT and facts.exhibit is None else None
    if session is not None and (facts.legal_type, facts.legal_detail) != ("other", "transcript"):
        return replace(
            facts,
            legal_type="other",
            legal_detail="transcript",
            legal_title=facts.legal_title
            or (shown(one.group()) if (one := _SESSION.search(text)) else None),
            legal_evidence=f'"{shown(session)}" on the first pages',
        )
    if _is_labelled(facts, text):
        words = "cover page" if len(text.strip()) < 300 else "label on page 1"
        return replace(
            facts,
            legal_type="exhibit",
            legal_detail=None,
            legal_evidence=f'"Exhibit'
            f' {facts.exhibit}" ({words}); {facts.legal_evidence or "nothing else"}'.removesuffix(
                "; nothing else"
            ),
        )
    if facts.legal_type is not None and not (
        facts.legal_type == "other" and facts.legal_detail is None
    ):
        return facts
    if written not in _LAID_OUT:
        return facts
    cue = _opinion_abroad(text) or _transcript(text)
    if not any(party.role for party in facts.parties or ()):
        cue = cue or _letter(text, document_type)
    if facts.legal_type is None:
        cue = cue or _statute(text) or _contract(head, text, name, document_type)
    if cue is not None:
        return facts.typed(*cue[:2], f'"{shown(cue[2])}" on the first pages')
    if facts.exhibit is not None and (
        len(text.strip()) < 200 or facts.exhibit.startswith(("PX", "DX", "GX", "JX"))
    ):
        return replace(
            facts, legal_type="exhibit", legal_evidence=f'label "{facts.exhibit}" on page 1'
        )
    return facts


def _is_labelled(facts: LegalFacts, text: str) -> bool:
    """Whether a paper of the court's file is an exhibit: by its label, before any caption."""
    if facts.exhibit is None or facts.legal_type is None:
        return False
    if facts.legal_type == "exhibit":
        return True
    where = re.search(r"ex(?:h|\.|hibit)?\b|[PDGJ]X", text, re.IGNORECASE)
    first = where is not None and not text[: where.start()].strip().count("\n") > 6
    return first and (facts.docket_entry is not None or facts.case_number is not None)


def _opinion_abroad(text: str) -> _Told:
    match = _OPINION_ABROAD.search(text[:_HEAD])
    return ("opinion", None, match.group()) if match else None


def _transcript(text: str) -> _Told:
    match = _DEPOSITION[0].search(text[:3000])
    asked = len(_QUESTION.findall(text))
    if (
        match
        and (asked or len(match.group()) < 60)
        and not re.search(
            r"\bnotice\b", text[max(0, match.start() - 40) : match.start()], re.IGNORECASE
        )
    ):
        return "deposition", None, match.group()
    hearing = re.search(r"\bTHE COURT:\s", text)
    if hearing:
        return "other", "transcript", hearing.group()
    if asked >= 3 and len(_ANSWER.findall(text)) >= 3:
        sworn = _DEPOSITION[1].search(text)
        words = sworn.group() if sworn else "Q. ... A. ..."
        return "deposition", None, words
    return None


def _session(text: str) -> str | None:
    """Return words that show the transcript of a court's session: two signs of three."""
    signs = [pattern.search(text) for pattern in _PROCEEDINGS]
    speakers = list(_SPEAKER.finditer(text))
    signs += [speakers[0] if len(speakers) > 1 else None]
    found = [sign for sign in signs if sign is not None]
    is_deposition = _DEPOSITION[0].search(text[:3000]) or _DEPOSITION[1].search(text)
    if len(found) < 2 or (is_deposition and "THE COURT:" not in text):
        return None
    return found[0].group()


def _statute(text: str) -> _Told:
    match = _STATUTE.search(text, 0, 1500)
    return ("statute", None, match.group()) if match and match.start() < 700 else None


def _letter(text: str, document_type: str | None) -> _Told:
    head = LETTER_HEAD.search(text[:4000])
    foot = _LETTER_FOOT.search(text[head.end() :]) if head else None
    if head and (foot or document_type == "correspondence"):
        return "correspondence", "letter", head.group()
    mail = MAIL_HEAD.search(text[:1200])
    if mail and mail.start() < 400:
        return "correspondence", "mail", mail.group()
    return None


def _contract(head: str, text: str, name: str, document_type: str | None) -> _Told:
    """Return the evidence of a contract: its name at the top, and agreeing parties."""
    if _NOT_A_CONTRACT.search(head[:900]):
        return None
    lines = [line.strip() for line in head.split("\n") if line.strip()][:25]
    titles = [
        line
        for line in lines
        if len(line) <= 110 and _AGREEMENT.search(line) and not line.endswith((";",))
    ]
    titled = next(
        (line for line in titles if line.isupper() or line.istitle() or len(line.split()) <= 8),
        None,
    )
    agreed = _AGREED.search(text[:6000])
    if titled and agreed:
        return "contract", None, f"{titled} ... {agreed.group()}"
    if agreed and document_type == "contract" and _AGREEMENT.search(re.sub(r"[_\W]+", " ", name)):
        return "contract", None, agreed.group()
    return None


def shown(words: str, /) -> str:
    """Return words on one line, cut at 90 characters."""
    plain = " ".join(words.split())
    return plain if len(plain) <= 90 else plain[:89] + "…"
