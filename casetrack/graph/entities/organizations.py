"""Names of organisations: their parts, and which names can only mean one organisation."""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.entities.lexicon import (
    COMMON_FIRST_WORDS,
    FORMS_BEFORE,
    LEGAL_FORMS,
    LONGEST_FORM,
    SHORT_FORMS,
)
from casetrack.graph.entities.locations import may_be_initials, names_unit
from casetrack.graph.entities.text import clean, fold, plain_words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FAMILIES = frozenset(LEGAL_FORMS.values())
_FAMILY_ENDS = frozenset(family.rpartition("-")[2] for family in _FAMILIES)
_FAMILY_WORDS = max(family.count("-") + 1 for family in _FAMILIES)
_LINKS = frozenset("of the and for de la der die das und fur y et e".split())
_DOTTED = re.compile(r"(?<![\w.])(?:[a-z]\.\s?){1,3}[a-z]\.?$")
_MAX_PREFIX = 4
_MAX_ACRONYM = 8


@dataclass(frozen=True, slots=True)
class OrganizationForm:
    """The parts of an organisation's name."""

    base: tuple[str, ...]  # Its words, folded, without article and legal form
    family: str  # Its legal form, such as ``ltd`` for "Ltd" and "Limited"; empty without one
    is_capitals: bool  # Whether it is one word in capitals, like an acronym

    @property
    def key(self) -> str:
        """Its normal form."""
        return "-".join((*self.base, self.family) if self.family else self.base)


@functools.lru_cache(maxsize=16384)
def read_organization(text: str, /) -> OrganizationForm | None:
    """Parse a name; ``None`` if it has neither letters nor digits.

    >>> read_organization("The Brackenfell Foods Limited").key
    'brackenfell-foods-ltd'
    """
    line = clean(text)
    if "." in line:
        # "a.s.": with full stops, a legal form may be in lower case.
        line = _DOTTED.sub(lambda m: m[0].upper(), line)
    raw = plain_words(line)
    words = [fold(w) for w in raw]
    if not words:
        return None
    half, odd = divmod(len(words), 2)
    if half > 1 and not odd and words[:half] == words[half:]:
        # A signature form repeats the name, in capitals and in print.
        raw, words = raw[half:], words[half:]
    if len(words) > 1 and words[0] == "the":
        raw, words = raw[1:], words[1:]
    size = _form_size(words, raw)
    family = LEGAL_FORMS[tuple(words[-size:])] if size else ""
    base = tuple(words[: len(words) - size])
    if len(base) > 1 and base[0] in FORMS_BEFORE and raw[0].isupper():
        family, base = family or FORMS_BEFORE[base[0]], base[1:]
    elif len(base) > 1 and base[-1] == "and" and family.startswith("co"):
        # "Tarn & Co.": the "and" belongs to the legal form.
        base = base[:-1]
    letters = "".join(raw[: len(words) - size])
    base = _with_initials_closed(base)
    is_capitals = len(base) == 1 and letters.isupper() and 2 <= len(letters) <= _MAX_ACRONYM
    return OrganizationForm(base, family, is_capitals)


def _with_initials_closed(base: tuple[str, ...]) -> tuple[str, ...]:
    """Join consecutive single letters: "J. P. Tarn" and "J.P. Tarn" are equal."""
    if sum(len(w) == 1 for w in base) < 2:
        return base
    runs = itertools.groupby(base, key=lambda w: len(w) == 1 and w.isalpha())
    return tuple(itertools.chain.from_iterable(("".join(r),) if one else r for one, r in runs))


def _form_size(words: Sequence[str], raw: Sequence[str]) -> int:
    for size in range(min(LONGEST_FORM, len(words) - 1), 0, -1):
        tail = tuple(words[-size:])
        if tail not in LEGAL_FORMS:
            continue
        if size == 1 and tail[0] in SHORT_FORMS and not _is_form_spelling(raw[-1]):
            continue
        return size
    return 0


def _is_form_spelling(word: str) -> bool:
    # "Co", and "eV" from "e.V.".
    return not word.islower() and (word[-1].isupper() or len(word) == 3 or word == "Co")


def is_company(text: str, /) -> bool:
    """Return whether a name ends with a legal form of three letters, or one behind a comma."""
    form = read_organization(text)
    is_apart = form is not None and len(form.base) > 1 and "," in text[-8:]
    return bool(form and form.family and (len(form.family) > 2 or is_apart))


def is_chain(bases: Sequence[tuple[str, ...]], /) -> bool:
    """Return whether each base starts with all shorter ones, so that all may be one."""
    ordered = sorted(bases, key=len)
    return all(b[: len(a)] == a for a, b in itertools.pairwise(ordered))


@functools.lru_cache(maxsize=65536)
def form_of_key(key: str, /) -> OrganizationForm:
    """Parse a key."""
    words = key.split("-")
    if words[-1] not in _FAMILY_ENDS:
        return OrganizationForm(tuple(words), "", is_capitals=False)
    for size in range(min(_FAMILY_WORDS, len(words) - 1), 0, -1):
        family = "-".join(words[-size:])
        if family in _FAMILIES:
            return OrganizationForm(tuple(words[:-size]), family, is_capitals=False)
    return OrganizationForm(tuple(words), "", is_capitals=False)


def initials(form: OrganizationForm, /) -> set[str]:
    """Return the possible initials of a name: with and without link words and legal form."""
    forms = {"".join(w[0] for w in form.base), "".join(w[0] for w in form.base if w not in _LINKS)}
    ending = "".join(w[0] for w in form.family.split("-")) if form.family else ""
    return forms | {made + ending for made in forms}


def is_acronym_of(acronym: str, base: Sequence[str], family: str = "", /) -> bool:
    """Return whether *acronym* (folded) may consist of initials of the words, in order."""
    words = [*base, *family.split("-")] if family else list(base)
    if len(acronym) < 2 or len(words) < 2 or acronym[0] != words[0][0]:
        return False
    heads = "".join(w[0] for w in words)
    at = 0
    for letter in acronym:
        at = heads.find(letter, at) + 1
        if at == 0:
            return False
    return True


def group_organizations(
    forms: Sequence[OrganizationForm],
    /,
    *,
    taken: Collection[str] = (),
    parties: Collection[int] = (),
) -> list[int]:
    """Return for each name form in a document the position of the first form of its organisation.

    Forms with the same base and legal form are one; a base without legal form joins the only one in
    the document. The start of a name joins the only name with this start, unless it is a common
    first word or a person's name (*taken*), or the rest distinguishes parts of a group ("Seaforth
    Shipping (Asia)"). Initials join the only name with these initials.

    A bare base that fits several firms means the one that is a party (*parties*: positions).
    """
    nodes: dict[tuple[tuple[str, ...], str], int] = {}
    for i, form in enumerate(forms):
        nodes.setdefault((form.base, form.family), i)
    families: dict[tuple[str, ...], list[str]] = {}
    for base, family in nodes:
        families.setdefault(base, []).append(family)
    target = {i: i for i in nodes.values()}
    short: list[int] = []
    for base, known in families.items():
        if "" not in known:
            continue
        if len(known) == 2:
            target[nodes[base, ""]] = nodes[base, max(known)]
        elif len(known) == 1:
            short.append(nodes[base, ""])
        else:
            own = {f for f in known if f} & {
                forms[i].family for i in parties if forms[i].base == base
            }
            if len(own) == 1:
                target[nodes[base, ""]] = nodes[base, own.pop()]
    _join_short(forms, sorted(short), target, taken)
    return [target[nodes[f.base, f.family]] for f in forms]


def _join_short(
    forms: Sequence[OrganizationForm],
    short: Sequence[int],
    target: dict[int, int],
    taken: Collection[str],
) -> None:
    """Join starts and initials of names to the only name that they fit, the longest first."""
    starts: dict[tuple[str, ...], set[int]] = {}
    letters: dict[str, set[int]] = {}
    acronyms = {forms[i].base[0] for i in short if forms[i].is_capitals}

    def offer(i: int) -> None:
        base = forms[i].base
        for size in range(1, min(len(base), _MAX_PREFIX + 1)):
            if size == 1 and base[0] in acronyms and not forms[i].family:
                continue  # "ISIS Project Board" is not the full name of ISIS
            starts.setdefault(base[:size], set()).add(-1 if names_unit(base[size:]) else target[i])
        if len(base) > 1:
            for made in initials(forms[i]):
                letters.setdefault(made, set()).add(target[i])

    waiting = set(short)
    for i in target:
        if i not in waiting:
            offer(i)
    for i in [i for i in target if forms[i].family and forms[i].is_capitals and i not in waiting]:
        # "IBM Corporation" and "International Business Machines Corporation".
        whole = {t for t in letters.get(forms[i].base[0], ()) if forms[t].family == forms[i].family}
        if len(forms[i].base[0]) > 2 and len(whole) == 1 and target[i] == i:
            new = whole.pop()
            target.update({j: new for j, t in target.items() if t == i})
            for known in (*starts.values(), *letters.values()):
                if i in known:
                    known.discard(i)
                    known.add(new)
    for i in sorted(short, key=lambda i: (-len(forms[i].base), forms[i].base)):
        form = forms[i]
        candidates = set(starts.get(form.base, ())) if names_alone(form, taken) else set()
        if form.is_capitals and len(form.base[0]) > 2:
            fitting = letters.get(form.base[0], set())
            bases = ["-".join(forms[t].base) for t in fitting]
            if any(may_be_initials(form.base[0], base) for base in bases):
                candidates |= fitting
        # A name that may be the parent of a unit (-1) stays separate.
        if len(candidates) == 1 and -1 not in candidates:
            target[i] = candidates.pop()
        offer(i)


def names_alone(form: OrganizationForm, taken: Collection[str], /) -> bool:
    """Return whether the words of *form* are specific enough to stand for a longer name.

    *taken* are words that are names of persons.
    """
    if form.base[-1] in _LINKS or all(w in COMMON_FIRST_WORDS or w in _LINKS for w in form.base):
        return False
    return len(form.base) > 1 or (len(form.base[0]) > 2 and form.base[0] not in taken)


def abbreviates(letters: str, base: Sequence[str], family: str = "", /) -> bool:
    """Return whether *letters* can abbreviate a name for which a text defines them.

    Looser than :func:`is_acronym_of` because the text defines them: letters inside words count.

    >>> abbreviates("gsk", ("glaxosmithkline",), "plc"), abbreviates("nfla", ("acme", "foods"))
    (True, False)
    """
    written = "".join((*base, *family.split("-")))
    at = 0
    for place, letter in enumerate(letters):
        at = written.find(letter, at) + 1
        if at == 0 or (place == 0 and at != 1):
            return False
    return len(letters) > 1
