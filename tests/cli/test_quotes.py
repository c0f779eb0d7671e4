"""Words of documents as commands print them."""

from __future__ import annotations

import pytest

from casetrack.cli.quotes import snippet
from casetrack.records.graph import Quote
from graph_records import provenance

LONG = "of the lease of the Mill House and the yard behind it, which the tenant took over in"


@pytest.mark.parametrize(
    ("offset", "before", "after", "shown"),
    [
        (0, "", " owes the rent", '"Ada Moor owes the rent"'),
        (0, "", f" is party {LONG}", f'"Ada Moor is party {LONG} \u2026"'),
        (40, "where ", " owes the rent", '"\u2026 where Ada Moor owes the rent"'),
        (
            40,
            "where ",
            f" is party {LONG} May.\u201d",
            f'"\u2026 where Ada Moor is party {LONG} May.\u201d"',
        ),
        (40, "where ", f"\n is party\n{LONG}", f'"\u2026 where Ada Moor is party {LONG} \u2026"'),
    ],
)
def test_a_snippet_says_where_it_was_cut(offset: int, before: str, after: str, shown: str) -> None:
    text, start = "Ada Moor", offset + len(before)
    quote = Quote(text, before + text + after, len(before), start, start + len(text), provenance(0))
    parts = [part if isinstance(part, str) else part[0] for part in snippet(quote)]
    assert "".join(parts) == shown
