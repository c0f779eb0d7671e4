"""Operations and their arguments, declared once for every face.

A method of the facade declares an argument in ``Annotated``, with its type and default::

    least: Annotated[float | None, Arg("At least this.", cli="--min N", mcp="min_value")] = None

The command line and the server for AI programs derive their options and schemas from it.
"""

from __future__ import annotations

import functools
import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import GenericAlias, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from datetime import date

    from casetrack.base.arguments import DocumentRef, PassageRef

    DayRef = str | date
    PathRef = str | Path
    StateRef = str | int
else:
    # Faces pass text; only Python programs can pass objects.
    DocumentRef = PassageRef = DayRef = PathRef = StateRef = str


_SAME: Any = object()
_OF_LIBRARY = frozenset({"Audit", "Holdings", "Jobs", "Library", "Watches"})
"""Classes with operations on the data folder; others are on one collection."""
F = TypeVar("F", bound="Callable[..., Any]")


@dataclass(frozen=True, slots=True)
class Hints:
    """Effects of an operation on the user's data."""

    read_only: bool
    destructive: bool
    idempotent: bool


READS = Hints(read_only=True, destructive=False, idempotent=True)
SWITCHES = Hints(read_only=False, destructive=False, idempotent=True)
ADDS = Hints(read_only=False, destructive=False, idempotent=False)
DELETES = Hints(read_only=False, destructive=True, idempotent=True)
EVERY = 1_000_000
"""Value of ``most`` for operations whose entries AI programs can page through completely."""


@dataclass(frozen=True, slots=True)
class Work:
    """Long work with progress: its method takes ``progress``, as a job also ``cancel``.

    Attributes
    ----------
    doing
        The current activity, such as ``Reading``.
    unit
        The counted unit.
    job
        Kind of the job for other programs; empty if it is not a job.
    title
        Title of the job: ``{folder}`` is replaced by that argument, ``{subject}`` by the document
        or the collection.
    fills
        Whether it adds documents of the user to the collection, which can be a new one.
    """

    doing: str
    unit: str
    job: Any = ""
    title: str = ""
    fills: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """Properties of an operation for all faces, except its arguments and its docstring.

    Attributes
    ----------
    command
        The typed command if it differs from the name.
    tool
        Name of its tool for AI programs; empty if another tool does its work.
    sets, feature, page
        See :class:`casetrack.faces.mcp.specs.ToolSpec`.
    most
        Number of entries that AI programs can page through; ``None`` if the answer is not a list.
    spread
        Whether any number of entries is a selection from the whole, best first.
    narrow
        Arguments that make the answer shorter.
    entries
        Key of the list in answers to AI programs; empty: the operation's name.
    work
        Progress of long work.
    whose
        The parameter of the collection for AI programs; empty for changes of the data folder.
    of
        Other commands whose work its tool does.
    confirmed
        Whether AI programs must confirm it; by default if it is destructive.
    alone
        Whether there is only one collection, which calls do not name.
    per_call
        Default and maximum of entries per call of an AI program, if the method has no limit.
    concise
        Whether AI programs can request its concise form.
    words
        Texts that are not in ``operations.toml``.
    """

    name: str
    hints: Hints
    method: Callable[..., Any]
    command: str = ""
    tool: str = ""
    sets: tuple[Any, ...] = ()
    feature: str | None = None
    page: Any = None
    most: int | None = None
    spread: bool = False
    narrow: tuple[str, ...] = ()
    entries: str = ""
    per_call: tuple[int, int] | None = None
    alone: bool = False
    whose: str = "collection"
    of: tuple[str, ...] = ()
    confirmed: bool | None = None
    concise: bool = True
    words: Mapping[str, str] | None = None
    work: Work | None = None

    @property
    def title(self) -> str:
        """The heading of its tool."""
        return self._words.get("title") or self.name.replace("-", " ").capitalize()

    @property
    def about(self) -> str:
        """Description for AI programs, one or two sentences."""
        return self._words.get("about") or summary_of(self.method)

    def empty(self, face: str, /) -> str:
        """Return the message for an answer without entries, with arguments as *face* has them."""
        message = self._words.get("empty", "")
        return re.sub(r"\{(\w+)\}", lambda named: self.spelled(named[1], face), message)

    @property
    def done(self) -> str:
        """Message before the result of a change."""
        return self._words.get("done", "")

    @property
    def next(self) -> str:
        """Suggested next step; ``{name}`` is replaced by a field of the result."""
        return self._words.get("next", "")

    @property
    def must_be_confirmed(self) -> bool:
        """Whether AI programs must confirm it."""
        return self.hints.destructive if self.confirmed is None else self.confirmed

    @property
    def of_library(self) -> bool:
        """Whether it is an operation on the data folder, without a collection."""
        first = next(iter(inspect.signature(self.method).parameters.values()))
        owner = self.method.__qualname__.partition(".")[0]
        return owner in _OF_LIBRARY or first.annotation == "Library"

    @property
    def _words(self) -> Mapping[str, str]:
        return _texts().get(self.name, {}) if self.words is None else self.words

    def job_title(self, given: Mapping[str, Any], collection: str = "", /) -> str:
        """Return the title of the job for work with these arguments."""
        words: dict[str, Any] = {**given, "subject": given.get("document") or collection}
        for each in (each for each in arguments_of(self.method) if each.arg.path):
            value = given.get(each.name)
            first, *others = value if isinstance(value, list) else [value]
            path = first if "://" in str(first) else Path(first or "").expanduser().absolute()
            words[each.name] = f"{path} and {len(others):,} more" if others else path
        return self.work.title.format_map(words) if self.work else self.title

    def spelled(self, name: str, face: str, /) -> str:
        """Return a face's name of an argument; *face* is ``cli``, ``mcp`` or ``python``."""
        each = next(each for each in arguments_of(self.method) if each.name == name)
        return {"cli": each.cli_name, "mcp": each.mcp_name}.get(face, name)

    def narrowing(self, face: str, /) -> str:
        """Return the arguments that make the answer shorter: ``--min and --max``."""
        return " and ".join(self.spelled(name, face) for name in self.narrow)


@functools.cache
def _texts() -> dict[str, dict[str, str]]:
    with Path(__file__).with_name("operations.toml").open("rb") as file:
        return tomllib.load(file)


def words_of_commands() -> dict[str, dict[str, str]]:
    """Return group, summary and example of the commands of operations, by name."""
    return {name: words for name, words in _texts().items() if "group" in words}


def summary_of(method: Callable[..., Any], /) -> str:
    """Return a method's docstring up to its first section, as an instruction."""
    whole = inspect.getdoc(method) or ""
    first = re.split(r"\n[A-Z][a-z]+\n-+\n", whole, maxsplit=1)[0].strip()
    return re.sub(r"^Return ", "Show ", first)


OPERATIONS: dict[str, Operation] = {}
"""Operations declared so far, by command name; see :mod:`casetrack.api.operations`."""
OF_EDITIONS: dict[Callable[..., Any], Operation] = {}
"""Operations of editions, by their functions."""


def operation(name: str, hints: Hints, /, **words: Any) -> Callable[[F], F]:
    """Declare a method of a collection or one of its parts as an operation of every face.

    *words* are the other attributes of :class:`Operation`.
    """

    def mark(method: F) -> F:
        feature = words.get("feature")
        made = method if feature is None else _requiring(feature, method)
        OPERATIONS[name] = Operation(name, hints, made, **words)
        return made

    return mark


def _requiring(feature: str, method: F) -> F:
    """Return a method that requires a feature of the license."""

    @functools.wraps(method)
    def checked(self: Any, /, *given: Any, **named: Any) -> Any:
        self._workspace.entitlements.require(feature)
        return method(self, *given, **named)

    return cast("F", checked)


def edition_operation(name: str, hints: Hints, /, **words: Any) -> Callable[[F], F]:
    """Declare a function of an open collection as an operation of an edition; see `operation`."""

    def mark(function: F) -> F:
        OF_EDITIONS[function] = Operation(name, hints, function, **words)
        return function

    return mark


def operation_of(method: Callable[..., Any], /) -> Operation:
    """Return the operation of a method."""
    plain = inspect.unwrap(method)
    return next(each for each in OPERATIONS.values() if inspect.unwrap(each.method) is plain)


@dataclass(frozen=True, slots=True)
class Arg:
    """Properties of an argument for all faces.

    Attributes
    ----------
    help
        One line for people; by default the first paragraph on it in the method's docstring.
    cli
        Its options and a metavar: ``--limit -k N``, ``--kind``. A metavar alone is a positional
        argument; ``/--same`` is an option that makes it false; ``-`` omits it.
    mcp
        Its name for AI programs; empty for the same name, ``-`` to omit it; with ``!`` before it if
        it makes the argument false.
    note
        Its description in the schema; short, since a model reads it on every turn.
    ge, le
        Bounds of a number, on all faces.
    mcp_le, mcp_default
        Bound and default for AI programs, if answers for models must be shorter.
    mcp_type
        Its type for AI programs, if different.
    path
        Whether it is a path.
    words
        Its values in the schema for AI programs, in any letter case; the operation checks them.
    """

    help: str = ""
    cli: str = ""
    mcp: str = ""
    note: str = ""
    ge: float | None = None
    le: float | None = None
    mcp_le: float | None = None
    mcp_default: Any = _SAME
    mcp_type: Any = None
    path: bool = False
    words: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command line; empty for a positional argument."""
        return tuple(word for word in self.cli.split() if word[0] in "-/")

    @property
    def metavar(self) -> str | None:
        """Placeholder of the value in the help of the command line."""
        words = [word for word in self.cli.split() if word[0] not in "-/"]
        return " ".join(words) or None


def at_most(mcp: str = "top_k", /, **words: Any) -> Arg:
    """Return the properties of a limit; *words* are the other attributes of :class:`Arg`."""
    usual: dict[str, Any] = {"cli": "--limit -k N", "mcp": mcp, "ge": 1}
    return Arg(**usual | words)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of an operation for the faces.

    *default* is ``inspect.Parameter.empty`` if it is required; *many* is true for a variable number
    of values.
    """

    name: str
    type: Any
    default: Any
    by_position: bool
    arg: Arg
    method: Callable[..., Any]
    many: bool = False

    @property
    def help(self) -> str:
        """One line for people."""
        return self.arg.help or meanings(self.method).get(self.name, "")

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def turns_off(self) -> bool:
        """Whether the option makes the argument false."""
        return any(option.startswith("/") for option in self.arg.options)

    @property
    def choices(self) -> tuple[str, ...]:
        """Its possible values; empty if they are not listed."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def is_list(self) -> bool:
        """Whether it takes several values."""
        return any(get_origin(kind) is list for kind in (self.type, *get_args(self.type)))

    @property
    def cli_name(self) -> str:
        """Name on the command line."""
        return next(iter(self.arg.options), self.arg.metavar or self.name).lstrip("/")

    @property
    def bounds(self) -> str:
        """The bounds of a number as text: ``1 to 50``, ``1 or more``; empty without bounds."""
        low, high = self.arg.ge, self.arg.le
        bounds = " to ".join(f"{each:,g}" for each in (low, high) if each is not None)
        return f"{bounds} or more" if bounds and high is None else bounds

    @property
    def mcp_name(self) -> str:
        """Name for AI programs."""
        return self.arg.mcp.removeprefix("!") or self.name

    @property
    def mcp_most(self) -> float | None:
        """The upper bound for AI programs."""
        return self.arg.mcp_le or self.arg.le

    @property
    def mcp_default(self) -> Any:
        """The default for AI programs."""
        return self.default if self.arg.mcp_default is _SAME else self.arg.mcp_default


def choices(method: Callable[..., Any], name: str, /) -> tuple[str, ...]:
    """Return the possible values of a method's argument, in their order."""
    return next(get_args(each.type) for each in arguments_of(method) if each.name == name)


@functools.cache
def arguments_of(method: Callable[..., Any], /) -> tuple[Argument, ...]:
    """Return the declared arguments of a method, in its order; others are hidden from faces."""
    arguments = []
    for each in inspect.signature(method).parameters.values():
        kind = _evaluated(each.annotation, inspect.unwrap(method).__globals__)
        arg = next((part for part in get_args(kind)[1:] if isinstance(part, Arg)), None)
        if arg is None:
            continue
        many = each.kind is each.VAR_POSITIONAL
        bare, default = _bare(kind, each.default), each.default
        if many:
            bare, default = GenericAlias(list, (bare,)) | None, None
        by_position = many or each.kind is each.POSITIONAL_ONLY
        arguments.append(Argument(each.name, bare, default, by_position, arg, method, many))
    return tuple(arguments)


@functools.cache
def meanings(method: Callable[..., Any], /) -> dict[str, str]:
    """Return the first paragraph on each argument in the docstring of a method."""
    texts = {"limit": "How many at most."}
    _, _, section = (inspect.getdoc(method) or "").partition("\nParameters\n----------\n")
    section = re.split(r"\n\n(?=\w+\n---)", section)[0]
    for entry in re.split(r"\n(?=\w)", section):
        names, _, text = entry.partition("\n")
        words = " ".join(text.partition("\n\n")[0].split())
        texts |= dict.fromkeys(names.split(", "), words)
    return texts


def _evaluated(annotation: Any, names: dict[str, Any]) -> Any:
    """Return a type; ``None`` if only type checkers can resolve it, so that no face has it."""
    try:
        return eval(annotation, names) if isinstance(annotation, str) else annotation  # noqa: S307
    except NameError:
        return None


def _bare(kind: Any, default: Any) -> Any:
    """Return the type for faces: ``None`` is for Python only if the default is different."""
    bare = get_args(kind)[0]
    arms = get_args(bare) if get_origin(bare) in {UnionType, Union} else (bare,)
    many = next((each for each in arms if get_origin(each) in {Iterable, Sequence}), None)
    if many is not None:
        several = GenericAlias(list, get_args(many))
        return Union[several, None] if default is None else several  # noqa: UP007
    rest = tuple(each for each in arms if each is not NoneType)
    return Union[rest] if default is not None else bare  # noqa: UP007 - of any number


def called(
    method: Callable[..., Any],
    owner: Any,
    given: dict[str, Any],
    /,
    *,
    name: Callable[[Argument], str] = lambda each: each.name,
    checked: bool = False,
    **others: Any,
) -> Any:
    """Call a method with arguments by name and return its answer.

    Parameters
    ----------
    owner
        A collection or a library that has the method, itself or in a part (``Map`` is
        ``collection.map``). Functions of editions take it as first argument.
    name
        Returns a face's name of an argument.
    checked
        Skip :func:`require_bounds`, since the face has checked the bounds.
    others
        Arguments without a declaration, such as ``progress`` and ``cancel``.
    """
    if not checked:
        require_bounds(method, given, name)
    first: list[Any] = []
    rest = {**given, **others}
    for each in arguments_of(method):
        if each.by_position and each.name in rest:
            value = rest.pop(each.name)
            first += (value or ()) if each.many else [value]
    names = {each.name: f"`{name(each)}`" for each in arguments_of(method)}
    try:
        if method in OF_EDITIONS:
            return method(owner, *first, **rest)
        return getattr(_part(method, owner), method.__name__)(*first, **rest)
    except UsageError as error:
        error.call_arguments(lambda each: names.get(each, f"`{each}`"))
        raise


def require_bounds(
    method: Callable[..., Any],
    given: Mapping[str, Any],
    name: Callable[[Argument], str],
    most: Callable[[Argument], float | None] = lambda each: each.arg.le,
    /,
) -> None:
    """Check numbers against the bounds of their arguments, with a face's names and upper bounds.

    Raises ``UsageError`` if a number is outside of its bounds.
    """
    from casetrack.base.arguments import within

    for each in arguments_of(method):
        if isinstance(value := given.get(each.name), (int, float)) and each.arg.ge is not None:
            within(name(each), value, each.arg.ge, most(each))


def _part(method: Callable[..., Any], owner: Any) -> Any:
    """Return the object with the method: *owner*, a part of it, or an object made from it."""
    name = method.__qualname__.partition(".")[0]
    for each in (owner, getattr(owner, name.lower(), None), *vars(owner).values()):
        if any(kind.__name__ == name for kind in type(each).__mro__):
            return each
    return inspect.unwrap(method).__globals__[name](owner)
