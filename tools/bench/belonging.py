"""How many relations between documents are found, and how many of them are right.

    just belonging        # a table over the made-up collections of tests/graph/belonging

With what was missed and what is wrong below the table. Real collections have no such notes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from graph.belonging import contracts, contracts_flat, contracts_more, letters, mails, papers
from graph.belonging.measure import Edge, Found, clauses, stated, write

SETS = {
    "contracts": contracts,
    "more contracts": contracts_more,
    "contracts without lines": contracts_flat,
    "letters": letters,
    "mails": mails,
    "filings, orders, invoices": papers,
}


def main() -> None:
    """Take each collection in with the installed model, and print the table."""
    rows: list[tuple[str, int, Found]] = []
    with tempfile.TemporaryDirectory() as folder:
        library = Library(load_settings(Path(folder) / "data"), tier=UNLIMITED)
        for name, made in SETS.items():
            home = write(made.FILES, Path(folder) / name)
            collection = library.create(name)
            collection.ingest([home])
            found = stated(collection, home, made.TYPES)
            rows.append((name, len(made.FILES), _found(made.EDGES, found)))
            if made is letters:
                cited = clauses(collection, home)
                rows.append(
                    ("clauses that letters cite", len(made.FILES), _found(made.CLAUSES, cited))
                )
    print("| collection | documents | relations | recall | precision |\n|---|---|---|---|---|")
    for name, count, score in rows:
        shares = f"{score.recall:.1%} | {score.precision:.1%}"
        print(f"| {name} | {count} | {len(score.wanted)} | {shares} |")
    for name, _, score in rows:
        print(f"\n{name}: {score}")


def _found(wanted: set[Edge], found: set[Edge]) -> Found:
    return Found(frozenset(wanted), frozenset(found))


if __name__ == "__main__":
    main()
