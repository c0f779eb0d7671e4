"""What a step is: a name, a version, the columns it needs and adds, and a pure function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class Contract:
    """What a step reads and writes, as columns of declared tables.

    Attributes
    ----------
    name, version
        Part of the pipeline's fingerprint: raise the version when the output changes.
    reads, writes
        Declared tables. Where both are the same, rows pass through with columns added.
    needs, adds
        Columns of *reads* that must be there, columns of *writes* that the step gives.
    """

    name: str
    version: int
    reads: str
    writes: str
    needs: tuple[str, ...]
    adds: tuple[str, ...]


class Step(Protocol):
    """A step that is ready to run."""

    contract: Contract

    @property
    def fingerprint(self) -> str:
        """Text that changes whenever the step's output could: parameters, model hashes."""
        ...

    def __call__(self, batches: Batches, /) -> Batches:
        """Turn batches of ``contract.reads`` into batches of ``contract.writes``."""
        ...
