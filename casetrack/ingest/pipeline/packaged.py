"""Steps of installed packages: what they may do, and the watch that is kept on what they did.

A step of a package adds columns to pages or chunks. What stands in the other columns, the text and
its places above all, leaves it as it came: every citation rests on them.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base import schema
from casetrack.base.errors import StepFailed
from casetrack.ingest.steps.base import Contract
from casetrack.ingest.steps.failures import record_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from casetrack.ingest.steps.base import Batches

_TABLES = ("pages", "chunks")
_PLACES = ("mentions", "dates", "amounts", "citations")
"""Columns whose values name a place in the text."""


def check_offered(name: str, step: Any, /) -> None:
    """Check what the entry point *name* leads to.

    Raises
    ------
    TypeError, ValueError
        It is no step, or one that may not be.
    """
    if not isinstance(step, type) or not is_dataclass(step):
        raise TypeError("it must be a dataclass")
    contract = getattr(step, "contract", None)
    if not isinstance(contract, Contract) or contract.name != name:
        raise TypeError(f"it needs a contract, a Contract of the name {name!r}")
    if not any("__call__" in vars(base) for base in step.__mro__):
        raise TypeError("it needs __call__, from batches to batches")
    if contract.reads != contract.writes or contract.reads not in _TABLES:
        raise ValueError("it must read and write the same table: pages or chunks")
    declared = schema.table(contract.writes)
    for column in contract.needs + contract.adds:
        declared.column(column)


@dataclass(frozen=True, slots=True)
class PackagedStep:
    """A step of a package, watched.

    Attributes
    ----------
    step
        The step itself; it need not have a fingerprint of its own.
    package
        The name under which pip knows it.
    values
        Its parameters.
    """

    step: Any
    package: str
    values: Mapping[str, Any]

    @property
    def contract(self) -> Contract:
        """That of the step."""
        found: Contract = self.step.contract
        return found

    @property
    def fingerprint(self) -> str:
        """The package, the parameters, and what the step says for itself."""
        own = getattr(self.step, "fingerprint", "")
        return f"{self.package} {sorted(self.values.items())} {own}"

    def __call__(self, batches: Batches, /) -> Batches:
        """Run the step over batches, and check that it only adds what it declares.

        After a failure its columns are null, where failures are collected and they may be.

        Raises
        ------
        StepFailed
            It raised an error, or changed what it must not.
        """
        given = _Given(batches)
        try:
            yield from self._watched(given)
        except StepFailed as error:
            declared = schema.table(self.contract.writes)
            columns = [declared.column(name) for name in self.contract.adds]
            if error is given.error or not all(c.nullable for c in columns):
                raise
            if not record_failure(self.contract.name, error):
                raise
            for batch in itertools.chain(given.taken, given.rest):
                yield _without(batch, self.contract)

    def _watched(self, given: _Given) -> Batches:
        made: Iterator[Any] | None = None
        while True:
            try:
                made = iter(self.step(given)) if made is None else made
                found = next(made, None)
            except Exception as error:
                if error is given.error:
                    raise
                raise self._failed(f"{type(error).__name__}: {error}") from error
            if found is None:
                break
            if not given.taken:
                raise self._failed("it gave a batch before it took one")
            yield self._checked(given.taken[0], found)
            given.taken.popleft()
        if given.taken:
            raise self._failed("it did not give a batch for each that it took")

    def _checked(self, before: pa.RecordBatch, after: Any) -> pa.RecordBatch:
        import pyarrow as pa

        if not isinstance(after, pa.RecordBatch):
            raise self._failed(f"it gave a {type(after).__name__} instead of a record batch")
        adds = self.contract.adds
        for name in before.schema.names:
            if name not in after.schema.names or not after[name].equals(before[name]):
                raise self._failed(f"it changed the column {name!r}, which is not its own")
        extra = set(after.schema.names) - {*before.schema.names, *adds}
        if extra:
            raise self._failed(f"it gave the column {min(extra)!r}, which it does not declare")
        missing = [name for name in adds if name not in after.schema.names]
        if missing:
            raise self._failed(f"it did not give the column {missing[0]!r}")
        for name in adds:
            declared = schema.table(self.contract.writes).column(name)
            if not declared.fits(after[name].type):
                raise self._failed(
                    f"its column {name!r} is {after[name].type}, and must be {declared.type_text}"
                )
            if name in _PLACES:
                self._check_places(name, after)
        return after

    def _check_places(self, name: str, batch: pa.RecordBatch) -> None:
        """Check that what it found stands in the text where it says (P5)."""
        pairs = zip(batch["text"].to_pylist(), batch[name].to_pylist(), strict=True)
        for text, found in pairs:
            for place in found or ():
                if text[place["start"] : place["end"]] != place["text"]:
                    raise self._failed(
                        f"{place['text']!r} in its column {name!r} does not stand at "
                        f"{place['start']}-{place['end']} of the text"
                    )

    def _failed(self, what: str) -> StepFailed:
        return StepFailed(self.contract.name, self.package, what)


def _without(batch: pa.RecordBatch, contract: Contract) -> pa.RecordBatch:
    import pyarrow as pa

    for field in schema.table(contract.writes).arrow(contract.adds):
        batch = batch.append_column(field, pa.nulls(batch.num_rows, field.type))
    return batch


class _Given:
    """Hands batches to a step, and remembers those that it has not given back yet."""

    def __init__(self, batches: Batches) -> None:
        self.rest = iter(batches)
        self.taken: deque[pa.RecordBatch] = deque()
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        try:
            batch = next(self.rest)
        except StopIteration:
            raise
        except Exception as error:
            self.error = error
            raise
        self.taken.append(batch)
        return batch
