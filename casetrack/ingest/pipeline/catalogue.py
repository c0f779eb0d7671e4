"""All available steps: those of CaseTrack, and those of installed packages.

A package offers a step through an entry point of the group ``casetrack.steps``: its name is that of
the step, and its target is a dataclass whose instances are steps (see :class:`Step`).
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections import deque
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.arguments import suggest
from casetrack.base.dataclass import dataclass, fields, is_dataclass
from casetrack.base.errors import PipelineError, StepFailed
from casetrack.base.records import DEFAULT_DIMENSION
from casetrack.ingest.steps.base import MEANING, Contract, attempt, parameter, record_failure
from casetrack.ingest.steps.chunk import ChunkStep
from casetrack.ingest.steps.chunking import ChunkRules
from casetrack.ingest.steps.encoding import EmbedStep
from casetrack.ingest.steps.extract import ExtractStep, NameRules, NamesStep
from casetrack.ingest.steps.join import JoinRules
from casetrack.ingest.steps.parse import ParseStep
from casetrack.ingest.steps.terms import TermsStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from importlib.metadata import EntryPoint

    from casetrack.extract.finder import NameFinder
    from casetrack.ingest.steps.base import Batches
    from casetrack.models.base import ProfileEncoder
    from casetrack.parse.workers.pool import ParsePool

# Validation of steps from packages. Such a step adds columns to pages or chunks. All other columns,
# above all the text and its offsets, must stay unchanged: every citation depends on them.

_TABLES = ("pages", "chunks")
_PLACES = ("mentions", "dates", "amounts", "citations")
"""Columns whose values refer to a place in the text."""


def check_offered(name: str, step: Any, /) -> None:
    """Check the target of the entry point *name*."""
    if not isinstance(step, type) or not is_dataclass(step):
        raise TypeError("it must be a dataclass")
    contract = getattr(step, "contract", None)
    if not isinstance(contract, Contract) or contract.name != name:
        raise TypeError(f"it needs a contract, a Contract with the name {name!r}")
    if not any("__call__" in vars(base) for base in step.__mro__):
        raise TypeError("it needs __call__, from batches to batches")
    if contract.reads != contract.writes or contract.reads not in _TABLES:
        raise ValueError("it must read and write the same table: pages or chunks")
    declared = schema.table(contract.writes)
    for column in contract.needs + contract.adds:
        declared.column(column)


@dataclass(frozen=True, slots=True)
class PackagedStep:
    """A validated step of a package."""

    step: Any
    package: str
    values: Mapping[str, Any]

    @property
    def contract(self) -> Contract:
        """Contract of the step."""
        contract: Contract = self.step.contract
        return contract

    @property
    def fingerprint(self) -> str:
        """The package, the parameters, and the step's own fingerprint."""
        own = getattr(self.step, "fingerprint", "")
        return f"{self.package} {sorted(self.values.items())} {own}"

    def __call__(self, batches: Batches, /) -> Batches:
        """Run the step, and check that it adds its declared columns only (null after a failure)."""
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
                after = next(made, None)
            except Exception as error:
                if error is given.error:
                    raise
                raise self._failed(f"{type(error).__name__}: {error}") from error
            if after is None:
                break
            if not given.taken:
                raise self._failed("it returned a batch before it read one")
            yield self._checked(given.taken[0], after)
            given.taken.popleft()
        if given.taken:
            raise self._failed("it did not return one batch for each input batch")

    def _checked(self, before: pa.RecordBatch, after: Any) -> pa.RecordBatch:

        if not isinstance(after, pa.RecordBatch):
            raise self._failed(f"it returned a {type(after).__name__} instead of a record batch")
        adds = self.contract.adds
        for name in before.schema.names:
            if name not in after.schema.names or not after[name].equals(before[name]):
                raise self._failed(f"it changed the column {name!r}, which it does not declare")
        extra = set(after.schema.names) - {*before.schema.names, *adds}
        if extra:
            raise self._failed(f"it returned the undeclared column {min(extra)!r}")
        missing = [name for name in adds if name not in after.schema.names]
        if missing:
            raise self._failed(f"it did not return the column {missing[0]!r}")
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
        """Check that each span of the step is the text at its offsets (P5)."""
        pairs = zip(batch["text"].to_pylist(), batch[name].to_pylist(), strict=True)
        for text, spans in pairs:
            for place in spans or ():
                if text[place["start"] : place["end"]] != place["text"]:
                    raise self._failed(
                        f"{place['text']!r} in its column {name!r} is not the text at "
                        f"{place['start']}-{place['end']}"
                    )

    def _failed(self, what: str) -> StepFailed:
        return StepFailed(self.contract.name, self.package, what)


def _without(batch: pa.RecordBatch, contract: Contract) -> pa.RecordBatch:

    for field in schema.table(contract.writes).arrow(contract.adds):
        batch = batch.append_column(field, pa.nulls(batch.num_rows, field.type))
    return batch


class _Given:
    """Passes batches to a step, and keeps those that it has not returned yet."""

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


# Step ``language``: the main language of every page.

_SAMPLE_CHARS = 3000
"""Sample size: more text does not change the result, and a million characters are slow."""
_LEAST_CONFIDENCE = 0.3
"""Of passages of 50 and 100 letters in four languages, 99 % have more; addresses and lists less."""


@dataclass(frozen=True, slots=True)
class LanguageStep:
    """Detects the main language of every page by character statistics."""

    min_letters: int = parameter(
        40, "Minimum letters of a page; with fewer, no language is detected."
    )
    contract = Contract("language", 2, "pages", "pages", ("text",), ("language",))

    @property
    def fingerprint(self) -> str:
        """The parameter."""
        return str(self.min_letters)

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the column to every batch."""
        for batch in batches:
            languages = [
                attempt("language", partial(detect_language, text, self.min_letters), None)
                for text in batch["text"].to_pylist()
            ]
            yield batch.append_column("language", pa.array(languages, pa.string()))


def detect_language(text: str, min_letters: int = 40, /) -> str | None:
    """Return the ISO 639-1 code of the text's main language; ``None`` if unsure or too short."""
    sample = text[:_SAMPLE_CHARS]
    if sum(map(str.isalpha, sample)) < min_letters:
        return None
    language, confidence = _identifier().classify(sample)
    return str(language) if confidence >= _LEAST_CONFIDENCE else None


@functools.cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


GROUP = "casetrack.steps"
"""Group of the entry points by which packages offer steps."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Resources for the steps of one run; unnecessary to describe a pipeline."""

    pool: ParsePool | None = None
    encoder: ProfileEncoder | None = None
    dimension: int = DEFAULT_DIMENSION
    names: NameFinder | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a step; its values must have the type of the default."""

    name: str
    default: Any
    meaning: str

    @property
    def type(self) -> str:
        """Name of the type, for messages."""
        words = {bool: "true or false", int: "whole number", float: "number", str: "text"}
        return words.get(type(self.default), "list of texts")

    def checked(self, value: object, /) -> Any:
        """Return *value* converted for the step."""
        if isinstance(self.default, tuple):
            if isinstance(value, list) and all(isinstance(v, str) for v in value):
                return tuple(value)
        elif isinstance(self.default, float):
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        elif type(value) is type(self.default):
            return value
        article = "" if isinstance(self.default, bool) else "a "
        raise ValueError(f"{self.name} must be {article}{self.type}, not {value!r}")


@dataclass(frozen=True, slots=True)
class StepKind:
    """An available step, not yet built; *package* is ``None`` for a step of CaseTrack."""

    contract: Contract
    about: str
    parameters: tuple[Parameter, ...]
    make: Callable[[Tools, Mapping[str, Any]], Any]
    package: str | None = None

    def build(self, tools: Tools, given: Mapping[str, object], /) -> Any:
        """Return the step with the parameters of a pipeline file."""
        known = {p.name: p for p in self.parameters}
        for name in given:
            if name not in known:
                hint = suggest(name, known) or f"; it has {', '.join(known) or 'none'}"
                raise ValueError(f"there is no parameter {name!r}{hint}")
        values = {p.name: p.default for p in self.parameters}
        values |= {name: known[name].checked(value) for name, value in given.items()}
        return self.make(tools, values)


def _kind(
    step: Any,
    make: Callable[[Tools, Mapping[str, Any]], Any],
    rules: Any = None,
    package: str | None = None,
) -> StepKind:
    about = " ".join((inspect.getdoc(step) or "").partition("\n\n")[0].split())
    declared = () if rules is None else tuple(f for f in fields(rules) if MEANING in f.metadata)
    parameters = tuple(Parameter(f.name, f.default, f.metadata[MEANING]) for f in declared)
    return StepKind(step.contract, about, parameters, make, package)


def _names(tools: Tools, values: Mapping[str, Any]) -> NamesStep:
    finder = tools.names
    if finder is not None and finder.layers is not None and tools.encoder is None:
        finder = None  # it reads the states of a pass that does not exist
    return NamesStep(finder, tools.encoder, NameRules(**values))


_OWN = (
    _kind(ParseStep, lambda tools, _: ParseStep(tools.pool)),
    _kind(LanguageStep, lambda _, values: LanguageStep(**values), LanguageStep),
    _kind(ChunkStep, lambda _, values: ChunkStep(ChunkRules(**values)), ChunkRules),
    _kind(TermsStep, lambda _tools, _: TermsStep()),
    _kind(EmbedStep, lambda tools, _: EmbedStep(tools.encoder, tools.dimension)),
    _kind(NamesStep, _names, NameRules),
    _kind(ExtractStep, lambda _tools, _: ExtractStep()),
)
OWN_STEPS: dict[str, StepKind] = {kind.contract.name: kind for kind in _OWN}
"""Steps of CaseTrack by name."""
COLLECTION_STEPS = {"join_entities": _kind(JoinRules, lambda _, v: JoinRules(**v), JoinRules)}
"""Steps over a whole collection by name; building one returns its rules."""


def step_names() -> tuple[str, ...]:
    """Return the names of all steps: those of CaseTrack, then those of installed packages."""
    offered = {point.name for point in metadata.entry_points(group=GROUP)}
    return (*OWN_STEPS, *sorted(offered - OWN_STEPS.keys()))


def find_step(name: str, /) -> StepKind | None:
    """Return the step *name*, or ``None`` if it is unknown."""
    if name in OWN_STEPS:
        return OWN_STEPS[name]

    points = list(metadata.entry_points(group=GROUP, name=name))
    if not points:
        return None
    packages = sorted({_package(point) for point in points})
    if len(packages) > 1:
        raise PipelineError(
            f"Several packages offer a step {name!r}: {', '.join(packages)}.",
            hint=f"Uninstall all but one: pip uninstall {packages[-1]}",
        )
    return _offered(name, points[0], packages[0])


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value.partition(":")[0]


def _offered(name: str, point: EntryPoint, package: str) -> StepKind:
    hint = f"Update the package (pip install --upgrade {package}), or remove the step."
    try:
        step = point.load()
        check_offered(name, step)
    except Exception as error:
        raise PipelineError(
            f"The step {name!r} of the package {package!r} cannot be loaded: "
            f"{type(error).__name__}: {error}",
            hint=hint,
        ) from error

    def make(_: Tools, values: Mapping[str, Any]) -> PackagedStep:
        try:
            return PackagedStep(step(**values), package, values)
        except Exception as error:
            raise PipelineError(
                f"The step {name!r} of the package {package!r} rejects its parameters: "
                f"{type(error).__name__}: {error}",
                hint="Correct them in the pipeline's file. " + hint,
            ) from error

    return _kind(step, make, step, package)
