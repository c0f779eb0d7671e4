"""How many different things the text of a document names and refers to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable

_SPANS = ("mentions", "dates", "amounts", "citations")


@dataclass(slots=True)
class SpanCounts:
    """Counts what stands in the chunks of one document; what overlapping chunks share counts once.

    Attributes
    ----------
    entity_count, reference_count
        The columns of ``documents``.
    """

    _found: dict[str, set[str]] = field(default_factory=lambda: {n: set() for n in _SPANS})
    _looked: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(_SPANS, True))

    def add(self, chunks: pa.Table, /) -> None:
        """Take in rows of ``chunks``."""
        for batch in chunks.select(_SPANS).to_batches():
            for name in _SPANS:
                spans = batch[name]
                self._looked[name] &= spans.null_count == 0
                self._found[name].update(_KEYS[name](spans.flatten()).unique().to_pylist())

    @property
    def entity_count(self) -> int | None:
        """Different names, dates and amounts; ``None`` where nobody looked for all of them."""
        return self._count("mentions", "dates", "amounts")

    @property
    def reference_count(self) -> int | None:
        """Different things that are referred to; ``None`` where nobody looked."""
        return self._count("citations")

    def _count(self, *names: str) -> int | None:
        if not all(self._looked[name] for name in names):
            return None
        return sum(len(self._found[name]) for name in names)


def _keys(spans: pa.StructArray, *names: str) -> pa.StringArray:
    # What the words leave open, such as the day of 3/4/2024, has no value: there the text counts.
    text = pc.struct_field(spans, "text")
    parts = [pc.coalesce(pc.struct_field(spans, n).cast(pa.string()), text) for n in names]
    return pc.binary_join_element_wise(*parts, "\x1f")


def _name_keys(spans: pa.StructArray) -> pa.StringArray:
    names = spans.filter(pc.invert(pc.struct_field(spans, "is_role")))
    return pc.utf8_lower(_keys(names, "kind", "text"))


_KEYS: dict[str, Callable[[pa.StructArray], pa.StringArray]] = {
    "mentions": _name_keys,
    "dates": lambda spans: _keys(spans, "kind", "value"),
    "amounts": lambda spans: _keys(spans, "kind", "value", "unit"),
    "citations": lambda spans: _keys(spans, "type", "key"),
}
"""What makes two spans of a column the same thing."""
