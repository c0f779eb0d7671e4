"""Measures search on the held questions; arguments are passed to ``casetrack eval``.

``python -m quality.held --modes full --profiles mini,multilingual``
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import CollectionNotFound
from casetrack.faces.cli.main import main as casetrack
from casetrack.models.pull import pull

CHECKOUT = Path(__file__).parents[2]
HELD = CHECKOUT / "tools" / "held"
HOME = CHECKOUT / ".cache" / "held"


def main() -> int:
    """Take in the ten documents, where that is not done yet, and ask the questions."""
    models = os.environ.setdefault("CASETRACK_MODELS", str(CHECKOUT / ".cache" / "models"))
    pull("mini", Path(models))
    library = Library(load_settings(HOME))
    try:
        collection = library.get("Held")
        collection.admin.reindex(reparse=True)
    except CollectionNotFound:
        collection = library.create("Held")
    collection.ingest([HELD / "files"])
    asked = ["eval", "--golden", str(HELD / "held.jsonl"), "-c", "Held", f"--data-dir={HOME}"]
    options = sys.argv[1:]
    if not {"--modes", "--mode", "--ablate", "--history"} & {o.split("=")[0] for o in options}:
        options += ["--modes", "keyword,hybrid,full"]
    return casetrack([*asked, *options])


if __name__ == "__main__":
    sys.exit(main())
