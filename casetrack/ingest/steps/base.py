"""What a step is: a name, a version, the columns it needs and adds, and a pure function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    Batches = Iterator[pa.RecordBatch]

Value = TypeVar("Value", bool, int, float, str, tuple[str, ...])

MEANING = "meaning"
"""Key under which the field of a parameter keeps what it means."""


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


def parameter(default: Value, meaning: str, /) -> Value:
    """Declare a field of a step's dataclass as a parameter that a pipeline file may set.

    Parameters
    ----------
    default
        Its value where the file says nothing. It settles the type: a whole number, a number, a
        truth value, a text, or a tuple of texts.
    meaning
        One sentence for people, with the unit.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Rules:
    ...     min_letters: int = parameter(40, "Fewest letters of a page.")
    >>> Rules().min_letters
    40
    """
    declared: Any = field(default=default, metadata={MEANING: meaning})
    return declared  # type: ignore[no-any-return]
