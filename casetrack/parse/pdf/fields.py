"""Fields of a PDF's forms: what a person typed, ticked, chose or signed (ISO 32000-2, 12.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from casetrack.parse.pdf.open import parse_date
from casetrack.parse.pdf.values import (
    entry_of,
    items_of,
    keys_of,
    name_of,
    number_of,
    object_number,
    text_of,
)

_MAX_DEPTH, _MAX_DIGITS = 50, 6
_RADIO, _PUSH = 1 << 15, 1 << 16
_OFF = frozenset({"", "Off"})
_MERELY_ON = frozenset({"on", "yes", "true", "1", "0", "x", "checked"})


@dataclass(frozen=True, slots=True)
class Field:
    """A field with a value.

    Attributes
    ----------
    label
        What the form calls it.
    value
        Its lines; ``checked`` for a box.
    is_drawable
        Whether the page shows the value as text where the field has been drawn.
    """

    label: str
    value: str
    is_drawable: bool


def field_of(widget: Any, /) -> Field | None:
    """Return the field of a widget annotation; ``None`` for buttons and what has no value."""
    chain = _chain(widget)
    kind = name_of(_inherited(chain, "FT"))
    if kind in {"Tx", "Ch"}:
        value = _chosen(chain) if kind == "Ch" else text_of(_inherited(chain, "V"))
        return Field(_label(chain), value, is_drawable=True) if value.strip() else None
    if kind == "Btn":
        value = _ticked(widget, chain)
    elif kind == "Sig":
        value = _signed(_inherited(chain, "V"))
    else:
        return None
    return Field(_label(chain), value, is_drawable=False) if value else None


def _chain(widget: Any) -> list[Any]:
    """Return a widget and the fields above it; a ring of parents ends where it began."""
    chain, seen = [widget], {object_number(widget)}
    while len(chain) < _MAX_DEPTH:
        parent = entry_of(chain[-1], "Parent")
        number = object_number(parent)
        if not parent.m_internal or number in seen:
            break
        seen.add(number)
        chain.append(parent)
    return chain


def _inherited(chain: list[Any], key: str) -> Any:
    found = (entry_of(field, key) for field in chain)
    return next((value for value in found if value.m_internal), entry_of(chain[0], key))


def _label(chain: list[Any]) -> str:
    """Return the name that people see, else the one that programs use."""
    shown = " ".join(text_of(_inherited(chain, "TU")).split())
    if shown:
        return shown
    names = (" ".join(text_of(entry_of(field, "T")).split()) for field in reversed(chain))
    return ".".join(name for name in names if name) or "without a name"


def _options(chain: list[Any]) -> list[tuple[str, str]]:
    """Return each choice as it is kept and as it is shown."""
    found = []
    for option in items_of(_inherited(chain, "Opt")):
        texts = [text_of(part) for part in items_of(option)]
        if texts:
            found.append((texts[0], texts[-1]))
    return found


def _chosen(chain: list[Any]) -> str:
    shown = dict(_options(chain))
    kept = [text_of(item) for item in items_of(_inherited(chain, "V"))]
    return "\n".join(shown.get(text, text) for text in kept if text)


def _ticked(widget: Any, chain: list[Any]) -> str:
    """Return what a box or a button of a group says; nothing while it is off."""
    bits = number_of(_inherited(chain, "Ff"))
    if bits & _PUSH:
        return ""
    state = name_of(entry_of(widget, "AS"))
    if not state:
        state = text_of(_inherited(chain, "V"))
        states = keys_of(entry_of(entry_of(widget, "AP"), "N"))
        if state not in states and (states or bits & _RADIO):
            state = ""
    if state in _OFF:
        return ""
    options = [shown for _, shown in _options(chain)]
    if state.isdecimal() and len(state) < _MAX_DIGITS and int(state) < len(options):
        state = options[int(state)]
    if bits & _RADIO:
        return state
    return "checked" if state.casefold() in _MERELY_ON else f"checked ({state})"


def _signed(signature: Any) -> str:
    """Return who signed, when and why, as the signature says; whether it is valid is not asked."""
    if not signature.m_internal:
        return ""
    name, reason, place = (
        " ".join(text_of(entry_of(signature, key)).split())
        for key in ("Name", "Reason", "Location")
    )
    moment = parse_date(text_of(entry_of(signature, "M")))
    parts = [f"signed by {name}" if name else "signed"]
    if moment is not None:
        parts.append(f"on {moment:%Y-%m-%d %H:%M} UTC")
    text = " ".join(parts)
    if place:
        text += f", in {place}"
    return f"{text}: {reason}" if reason else text
