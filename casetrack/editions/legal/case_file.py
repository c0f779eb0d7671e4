"""The documents of a case as what a brief cites: its authorities and the items of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.graph.paper_sources import Sources
from casetrack.store.whole_text import whole_text

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.extract.papers.text import WholeText


class CaseFile(Sources):
    """What the documents of a case are to those who cite them, and their texts.

    Parameters
    ----------
    collection
        The case.
    """

    def __init__(self, collection: Collection, /) -> None:
        super().__init__(collection.documents(sort_by="name"))
        self.collection = collection

    def whole_text(self, document: Document, /) -> WholeText:
        """Return the text of a document with the places printed on its pages.

        Raises
        ------
        KeyError
            The document is not in the case any more.
        """
        return self.collection.workspace.ask(
            lambda state: whole_text(state.snapshot, document.document_id)
        )
