"""Tools that ask a collection something: parameters, paging and result come from the operation."""

from __future__ import annotations

import inspect
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast, get_origin

from mcp.types import CallToolResult
from pydantic import Field

from casetrack.api.operation import Argument, Operation, arguments_of, called, require_bounds
from casetrack.api.operations import operations
from casetrack.api.text import Line, entries_of, entry_of, head_of, numbered
from casetrack.base.dataclass import dataclass, fields, is_dataclass, replace
from casetrack.base.provenance import Provenance
from casetrack.base.records import Chunk, Document, DocumentStructure, Passages, Section
from casetrack.base.records.passages import Quote
from casetrack.faces.mcp import outputs, results
from casetrack.faces.mcp.concise import ResponseFormatter, formatter_for
from casetrack.faces.mcp.graph_results import quote
from casetrack.faces.mcp.progress import Unconfirmed
from casetrack.faces.mcp.session import SessionTools, in_thread, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, Offset, ResponseFormat, tool
from casetrack.faces.mcp.steps import See, again, if_offered, name_tools_in
from casetrack.faces.mcp.structures import FORMED, answer_facts, entry_forms, fitted, sources_in
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.api.collection import Collection
    from casetrack.faces.mcp.outputs import Facts

    Present = Callable[[Any, Any, "OperationCall"], CallToolResult]

_BEYOND = f"use {See('search')} with document_filter."
_NAME = attrgetter("mcp_name")
run_operation = partial(called, name=_NAME, checked=True)
"""Runs an operation; errors use the argument names of AI programs."""
_LISTED, _FEW = 15, 3
"""Entries of nested lists, in detailed and in concise answers."""
_INNER = frozenset(
    ("aliases", "other_matches", "documents", "roles", "addresses", "correspondence")
)
_LONG = frozenset({"text", "snippet", "table_header", "page_header", "page_footer", "description"})
_LONG_CHARS = 1_000
_LEFT_OUT = frozenset({"extra", "time"})
"""Parts of a text that concise answers leave out."""


@dataclass(frozen=True, slots=True)
class OperationCall:
    """A call on a collection: arguments by the operation's names, response format, and offset."""

    target: Collection
    formatter: ResponseFormatter
    offset: int
    given: dict[str, Any]

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.target.info.name


class DerivedTools(SessionTools):
    """The tools of all operations without a tool in another module; *noun* names a collection."""

    noun: ClassVar = "collection"

    async def find(self, name: str | None, /) -> Collection:
        """Return the collection that a call is about."""
        return await locate(self._session, name)

    def with_terms(self, result: CallToolResult, _found: Collection, /) -> CallToolResult:
        """Return a result with the terms of the edition."""
        return result


def derived(*others: type[Any]) -> type[DerivedTools]:
    """Return the class of the tools that are missing in *others*."""
    made = {name for group in others for name in vars(group)}
    return tools_of(each for each in operations().values() if each.tool and each.tool not in made)


def tools_of(
    several: Iterable[Operation], base: type[DerivedTools] = DerivedTools, /
) -> type[DerivedTools]:
    """Return the class of the tools of some operations."""
    tools = {each.tool: _marked(each, base.noun) for each in several}
    return type("DerivedTools", (base,), tools)


def _marked(each: Operation, noun: str) -> Any:
    """Return the method of a tool, marked with the declaration of its operation."""
    mark = tool(
        each.title,
        each.hints,
        description=each.about,
        sets=each.sets,
        required=("confirm",) if each.must_be_confirmed else (),
        feature=each.feature,
        page=each.page,
    )
    return mark(_method(each, noun))


def _method(operation: Operation, noun: str) -> Callable[..., Any]:
    method = operation.method

    async def run(self: Any, **call: Any) -> CallToolResult:
        named = call.pop(noun)
        form, offset = call.pop("response_format", "detailed"), call.pop("offset", 0)
        count = call.pop("limit") if operation.per_call else None
        confirmed = call.pop("confirm", True)
        given = given_of(method, call)
        target = await self.find(named)
        if not confirmed:
            what = f'{operation.title} in "{target.name}" requires a confirmation.'
            raise Unconfirmed(what, hint=again(), before="Nothing was changed.")
        if operation.hints.read_only:
            result = await ask(operation, target, given, offset, form, count)
            return cast("CallToolResult", self.with_terms(result, target))
        request = OperationCall(target, await formatter_for(form, target), offset, given)
        work = partial(_answered, operation, request, count)
        return await write_in_thread(self._session, target.info.id, work)

    paged = operation.most is not None
    # The record of the answer, by its name: most annotations are text.
    record = inspect.unwrap(method).__annotations__["return"]
    formed = operation.concise and (
        paged or getattr(record, "__name__", record) in {each.__name__ for each in FORMED}
    )
    sure = [parameter("confirm", bool, False)] if operation.must_be_confirmed else []
    name, bounds = operation.tool, operation.per_call
    _sign(run, name, method, paged, formed, noun, bounds, sure)
    run.__doc__ = inspect.getdoc(method)
    return run


async def ask(
    operation: Operation,
    target: Collection,
    given: dict[str, Any],
    offset: int,
    response_format: ResponseFormat,
    count: int | None = None,
    /,
) -> CallToolResult:
    """Return the answer of an operation on a collection, at most *count* entries of its list."""
    formatter = await formatter_for(response_format, target)
    request = OperationCall(target, formatter, offset, given)
    return await in_thread(partial(_answered, operation, request, count))


def _answered(
    operation: Operation, request: OperationCall, count: int | None = None
) -> CallToolResult:
    """Return the answer to a call: the part of its list that fits, and how to get the rest."""
    formatter, offset, given = request.formatter, request.offset, request.given

    def ask(limit: int | None) -> Any:
        bounds = {} if limit is None or "limit" not in given else {"limit": limit}
        return name_tools_in(run_operation(operation.method, request.target, given | bounds))

    if operation.most is None:
        return _whole(operation, ask(None), request)
    shown: list[Any] = []
    extra: Facts = {}
    count = count or given.get("limit") or operation.most
    if operation.spread:

        def entry(item: Any) -> Facts:
            shown.append(item)
            return _entry(item, formatter)

        result, entries = results.spread_page(
            ask,
            lambda f: entries_of(f)[1],
            entry,
            lambda f: results.list_budget(_head(operation, f, request), formatter),
            offset=offset,
            count=count,
            most=operation.most,
        )
        facts = _head(operation, result, request)
        chosen = [item for item in entries_of(result)[1] if item in shown][-len(entries) :]
    else:
        result = ask(min(offset + count, operation.most))
        items, facts = entries_of(result)[1], _head(operation, result, request)
        made, extra = entry_forms(items, request)
        page = results.portion(
            items,
            made or partial(_entry, formatter=formatter),
            lambda item, _: plain(entry_of(item), formatter),
            offset=offset,
            limit=count,
            budget=results.list_budget(facts, formatter),
            source_tokens=formatter.source_tokens,
        )
        entries, chosen = list(page.entries), list(page.items)
    total = getattr(result, "total", len(entries_of(result)[1]))
    after = results.after_page(offset, len(entries), min(total, operation.most))
    narrow = operation.narrowing("mcp")
    way = f"narrow {narrow}." if narrow else if_offered(_BEYOND)
    more = results.more_from(after, total - offset - len(entries), way)
    more = more or (None if entries else if_offered(operation.empty("mcp")) or None)
    name = operation.entries or entries_of(result)[0] or operation.name
    facts |= extra | {"offset": offset, "next_offset": after, name: entries, "more": more}
    if isinstance(result, DocumentStructure):
        headings = sum(isinstance(item, Section) for item in chosen)
        facts |= {"sections": entries[:headings], "attachments": entries[headings:]}
    blocks = [
        plain(numbered(n, entry_of(item)), formatter) for n, item in enumerate(chosen, offset + 1)
    ]
    if "root" in extra:
        below = [each.get("path") for each in entries]
        blocks = [f"{b} | {path}" if path else b for b, path in zip(blocks, below, strict=True)]
        blocks.append(f"Folder of these documents: {extra['root']}")
    head = (
        plain(head_of(result), formatter)
        or f"{operation.name.capitalize()} of {request.name}: {total:,}"
    )
    text = [head, "\n".join(blocks), more or "", outputs.QUOTED]
    links = results.source_links(request.target.info.id, sources_in(chosen))
    return results.answer("\n\n".join(filter(None, text)), formatter.whole(facts), links)


def _whole(operation: Operation, result: Any, request: OperationCall) -> CallToolResult:
    """Return an answer without a paged list."""
    formatter, facts = request.formatter, _head(operation, result, request)
    result, own = fitted(result, request)
    facts |= own
    rows = plain(head_of(result), formatter).split("\n")
    kept, rest = results.page_of(rows, str)
    text = ["\n".join([*kept, *(["\u2026 cut: too long for one answer."] if rest else [])])]
    if "more" in facts and not text[0]:
        facts["more"] = operation.empty("mcp")
    if isinstance(result, Passages):
        text += [plain(entry_of(chunk), formatter) for chunk in result]
    if isinstance(result, FORMED):
        text += [facts.get("more") or "", outputs.QUOTED]
    sources = [result.provenance] if isinstance(result, Chunk) and not formatter.concise else []
    links = results.source_links(request.target.info.id, sources)
    return results.answer("\n\n".join(filter(None, text)), formatter.whole(facts), links)


def _entry(item: Any, formatter: ResponseFormatter) -> Facts:
    return formatter.entry(bounded(_shown(item, formatter).as_dict(), formatter))


def _head(operation: Operation, result: Any, request: OperationCall) -> Facts:
    """Return the facts of an answer without its list."""
    name, items = entries_of(result)
    facts: Facts = {"collection": request.name, "notice": outputs.QUOTED}
    if (own := answer_facts(result, request)) is not None:
        return facts | own
    whole = getattr(result, "as_dict", None)
    if whole is None:
        return facts | {"total": getattr(result, "total", len(items))}
    lists = {name, operation.name} if operation.most is not None else {name}
    rest = {k: v for k, v in whole().items() if k not in lists}
    return {**facts, **bounded(rest, request.formatter)}


def _shown(item: Any, formatter: ResponseFormatter) -> Any:
    """Return a record with one quotation of several, and with bounded sources."""
    if isinstance(item, Quote):
        return quote(item, concise=formatter.concise)
    if isinstance(item, tuple):
        few = item[:1] if item and isinstance(item[0], Quote) else item
        return tuple(_shown(each, formatter) for each in few)
    if not is_dataclass(item) or isinstance(item, (type, Document, Provenance)):
        return item
    changed = {f.name: _shown(getattr(item, f.name), formatter) for f in fields(item) if f.init}
    return replace(item, **changed)


def bounded(value: Any, formatter: ResponseFormatter, /, key: str = "") -> Any:
    """Return facts without the ends of very long texts and lists."""
    if isinstance(value, str):
        return (
            cut(value, _LONG_CHARS if key in _LONG else results.NAME_CHARS)
            if key != "text"
            else value
        )
    if isinstance(value, dict):
        return {name: bounded(each, formatter, name) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        most = _FEW if formatter.concise and key in _INNER else _LISTED
        return [bounded(each, formatter) for each in value[:most]]
    return value


def plain(lines: Iterable[Line], formatter: ResponseFormatter | None = None, /) -> str:
    """Return lines as plain text; quotation marks in document text are escaped."""
    rows = []
    left_out = _LEFT_OUT if formatter is not None and formatter.concise else ()
    for each in lines:
        kept = [part for part in each.parts if _style(part) not in left_out]
        if each.block:
            text = "".join(part if isinstance(part, str) else part[0] for part in kept)
            # No line of a document can pass for one of ours.
            rows += [f"> {row}" for row in text.splitlines()]
        elif kept or not each.parts:
            joined = "".join(_plain(part, formatter) for part in kept)
            rows.append(f"{' ' * each.indent}{each.label}{joined}".rstrip())
    return "\n".join(rows)


def _style(part: Any) -> str:
    return part[1] if isinstance(part, tuple) else ""


def _plain(part: Any, formatter: ResponseFormatter | None) -> str:
    text, style = part if isinstance(part, tuple) else (part, "")
    if style in {"chunk", "document"} and formatter is not None:
        return formatter.chunk_id(text) if style == "chunk" else formatter.document_id(text)
    text = " ".join(text.splitlines())
    if style in {"said", "words"}:
        return text.replace("\\", "\\\\").replace('"', '\\"')
    return cut(text, results.NAME_CHARS)


def takes(
    method: Callable[..., Any],
    /,
    *,
    paged: bool = True,
    formed: bool = True,
    noun: str = "collection",
    **more: tuple[Any, Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a tool the parameters of *method*, by the operation's names.

    *paged* adds ``offset``, *formed* adds ``response_format``; *more* contains type and default of
    further parameters.
    """

    def made(do: Callable[..., Any]) -> Callable[..., Any]:
        async def run(self: Any, **call: Any) -> CallToolResult:
            names = (*more, "offset", noun, "response_format")
            own = {name: call.pop(name) for name in names if name in call}
            result: CallToolResult = await do(self, given_of(method, call), **own)
            return result

        run.__doc__ = do.__doc__
        others = tuple(parameter(name, kind, default) for name, (kind, default) in more.items())
        _sign(run, do.__name__, method, paged, formed, noun, None, others)
        return run

    return made


def given_of(
    method: Callable[..., Any], call: dict[str, Any], /, *, keeps_empty: bool = False
) -> dict[str, Any]:
    """Return the arguments of a call by the operation's names."""
    declared = {each.mcp_name: each for each in arguments_of(method)}
    # Models send empty texts for omitted arguments, but an empty text can also clear a field.
    left_out = () if keeps_empty else ("",)
    given = {
        declared[name].name: None if v in left_out and declared[name].default is None else v
        for name, v in call.items()
    }
    given |= {
        each.name: not given[each.name]
        for each in declared.values()
        if each.arg.mcp.startswith("!") and each.name in given
    }
    worded = {each.name for each in declared.values() if each.arg.words}
    given = {n: v.strip().lower() if v and n in worded else v for n, v in given.items()}
    given |= {
        each.name: each.mcp_default
        for each in arguments_of(method)
        if each.mcp_name == "-" and each.mcp_default != each.default
    }
    require_bounds(method, given, _NAME, attrgetter("mcp_most"))
    return given


def _sign(
    run: Any,
    name: str,
    method: Callable[..., Any],
    paged: bool,
    formed: bool = True,
    noun: str = "collection",
    limit: tuple[int, int] | None = None,
    others: Sequence[inspect.Parameter] = (),
    /,
) -> None:
    """Give a tool's method its name and parameters."""
    per_call = Annotated[int, Field(ge=1, le=limit[1])] if limit else None
    parameters = [
        *(
            parameter_of(each, checked=False)
            for each in arguments_of(method)
            if each.mcp_name != "-"
        ),
        *([parameter("limit", per_call, limit[0])] if limit else []),
        *others,
        *([parameter("offset", Offset, 0)] if paged else []),
        parameter(noun, CollectionName, None),
        *([parameter("response_format", ResponseFormat, "concise")] if formed else []),
    ]
    run.__module__ = method.__module__
    set_signature(run, name, parameters)


def set_signature(run: Any, name: str, parameters: Sequence[inspect.Parameter], /) -> None:
    """Give a function a name, and parameters after ``self``."""
    run.__name__ = name
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    run.__signature__ = inspect.Signature([own, *parameters], return_annotation=CallToolResult)
    kinds = {each.name: each.annotation for each in parameters}
    run.__annotations__ = kinds | {"return": CallToolResult}


_MOST_WORDS = 12
"""Words that a schema lists; a refusal names more."""


def parameter_of(each: Argument, /, *, checked: bool = True) -> inspect.Parameter:
    """Return the parameter of a tool for an argument; *checked* puts its bounds into the schema.

    Without *checked*, the description contains the bounds and the operation checks the value.
    """
    request = each.arg.mcp_type or each.type
    is_list = get_origin(request) is list
    names = ("min_length", "max_length") if is_list else ("ge", "le")
    if not checked:
        names = ("minItems", "maxItems") if is_list else ("minimum", "maximum")
    limits = zip(names, (each.arg.ge, each.mcp_most), strict=True)
    words: dict[str, Any] = {name: most for name, most in limits if most is not None}
    words |= {"enum": list(each.arg.words)} if 0 < len(each.arg.words) <= _MOST_WORDS else {}
    if words and not checked:
        words = {"json_schema_extra": words}
    if each.arg.note:
        words["description"] = each.arg.note
    kind = Annotated[request, Field(**words)] if words else request
    return parameter(each.mcp_name, kind, each.mcp_default)


def parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty, /) -> inspect.Parameter:
    """Return a parameter of a tool."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
