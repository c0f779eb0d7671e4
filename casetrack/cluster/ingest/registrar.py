"""One process of the cluster knows what is attached to what: all others ask it."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import DuplicateDocument

if TYPE_CHECKING:
    from collections.abc import Collection

    from casetrack.base.records import Document
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.plan import FileFacts, IngestPlanner, Job


Known = tuple[str, str, str, str | None]
"""What a :class:`~casetrack.base.errors.DuplicateDocument` is made of."""


class Registrar:
    """Decides what becomes of files inside files; runs as an actor.

    Parameters
    ----------
    planner
        That of the batch, packed, once it has decided about the files themselves.
    """

    def __init__(self, planner: bytes) -> None:
        self._planner: IngestPlanner = pickle.loads(planner)  # noqa: S301 - of our own process

    def settle(self, found: FoundFile, facts: FileFacts) -> Job | str | Known:
        """Return the job, the path of another file with the content, or what is known already."""
        try:
            return self._planner.settle(found, facts)
        except DuplicateDocument as error:
            return found.shown, error.document_name, error.document_id, error.known_path

    def let_go(self, job: Job, but: Collection[str]) -> list[Document]:
        """Return what a file held and holds no longer."""
        return self._planner.let_go(job, but=but)


class AskRegistrar:
    """Asks the process of a :class:`Registrar`: a ``Planner`` for whoever reads files."""

    def __init__(self, actor: Any, /) -> None:
        self._actor = actor

    def settle(self, found: FoundFile, facts: FileFacts, /) -> Job | str:
        """Return what becomes of a file inside another.

        Raises
        ------
        DuplicateDocument
            The collection has it already.
        """
        import ray

        answer: Any = ray.get(self._actor.settle.remote(found, facts))
        if isinstance(answer, tuple):
            raise DuplicateDocument(*answer)
        known: Job | str = answer
        return known

    def let_go(self, job: Job, /, *, but: Collection[str]) -> list[Document]:
        """Return what a file held and holds no longer."""
        import ray

        found: list[Document] = ray.get(self._actor.let_go.remote(job, set(but)))
        return found


def start(planner: IngestPlanner, /) -> AskRegistrar:
    """Start the process; it ends when nobody asks it any more."""
    import ray

    actor = ray.remote(num_cpus=0, max_restarts=2)(Registrar)
    return AskRegistrar(actor.remote(pickle.dumps(planner)))
