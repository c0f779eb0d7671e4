"""The server as the SDK sees it: all tools of one library, instructions, error texts."""

from __future__ import annotations

import contextlib
import functools
import logging
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp import types
from mcp.server import CacheHint, NotificationOptions, Server, ServerRequestContext
from mcp.server.apps import EXTENSION_ID, client_supports_apps
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import Tool as MCPTool
from pydantic import ValidationError

from casetrack.base import actor
from casetrack.base.editions import ANY
from casetrack.base.errors import CaseTrackError
from casetrack.faces.mcp import failures, results
from casetrack.faces.mcp.catalogue import OTHER_ARGUMENTS, Catalogue, any_collection
from casetrack.faces.mcp.failures import Failure
from casetrack.faces.mcp.fetching import with_notice
from casetrack.faces.mcp.figures import measured
from casetrack.faces.mcp.handlers import Handler
from casetrack.faces.mcp.instructions import holdings, instructions
from casetrack.faces.mcp.live_jobs import CALL, Call
from casetrack.faces.mcp.notifications import ChangeNotifier
from casetrack.faces.mcp.progress import ARGUMENT, Unconfirmed, ask_user, can_ask, keepalive
from casetrack.faces.mcp.results import CODE, OF_COLLECTION
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.shutdown import resume_jobs
from casetrack.faces.mcp.specs import MORE, ToolChoice, ToolSpec, listed
from casetrack.faces.mcp.steps import use_steps
from casetrack.faces.mcp.texts import sendable, visible
from casetrack.faces.mcp.wire import AnsweringStream, UnansweredStream
from casetrack.version import __version__

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver.tools import Tool
    from mcp.server.models import InitializationOptions
    from starlette.routing import Route

    from casetrack.api.library import Library
    from casetrack.base.jobs import RunningJob
    from casetrack.faces.mcp.edition import ServedEdition
    from casetrack.faces.mcp.opening import Opening

# Lets a server answer for resources, prompts and completion, without making any of them yet.

_Maker = Callable[["Session", "Catalogue", "ServedEdition"], dict[str, Handler]]


def _resources(session: Session, tools: Catalogue, served: ServedEdition) -> dict[str, Handler]:
    from casetrack.faces.mcp import resources
    from casetrack.faces.mcp.apps.pages import with_pages

    others = resources.handlers(session, _usable(tools)) if served.resources else {}
    return with_pages(tools, others)


def _prompts(_session: Session, tools: Catalogue, served: ServedEdition) -> dict[str, Handler]:
    if served.prompts is not None:
        return served.prompts()
    from casetrack.faces.mcp import prompts

    offered = prompts.Prompts(_usable(tools), served.edition)
    return prompts.handlers(offered.requests, offered.text)


def _completion(session: Session, tools: Catalogue, served: ServedEdition) -> dict[str, Handler]:
    from casetrack.faces.mcp import completion

    return completion.handlers(session, _usable(tools), served.edition)


def _usable(tools: Catalogue) -> ToolChoice:
    return ToolChoice(tools.usable())


COMPLETION = "completion/complete"
"""The method of editions with resources only."""
_METHODS: dict[str, tuple[type[types.RequestParams], _Maker]] = {
    "resources/list": (types.PaginatedRequestParams, _resources),
    "resources/templates/list": (types.PaginatedRequestParams, _resources),
    "resources/read": (types.ReadResourceRequestParams, _resources),
    "prompts/list": (types.PaginatedRequestParams, _prompts),
    "prompts/get": (types.GetPromptRequestParams, _prompts),
    COMPLETION: (types.CompleteRequestParams, _completion),
}


def register(
    server: Server[Any], session: Session, tools: Catalogue, served: ServedEdition, /
) -> None:
    """Register resources, prompts and completion; *tools* decides which prompts are offered."""

    @functools.cache
    def made(make: _Maker) -> dict[str, Handler]:
        return make(session, tools, served)

    def handler(method: str, make: _Maker) -> Handler:
        async def handle(context: Any, params: Any) -> Any:
            use_steps(tools.steps)
            return await made(make)[method](context, params)

        return handle

    for method, (params_type, make) in _METHODS.items():
        if served.resources or method != COMPLETION:
            server.add_request_handler(method, params_type, handler(method, make))


logger = logging.getLogger("casetrack.mcp")

_HOUR_MS, _MINUTE_MS = 3_600_000, 60_000


class CaseTrackServer(Server[Any]):
    """The SDK's server with the tools and error texts of this project."""

    def __init__(self, session: Session, choice: ToolChoice, served: ServedEdition, /) -> None:
        self._session = session
        self._served = served
        edition = served.edition
        session.edition = edition.name
        self.catalogue = Catalogue(session, choice, served)
        self._more = Catalogue(session, ToolChoice(None, choice.read_only), served)
        session.more_tools = self._more_specs
        super().__init__(
            edition.server,
            title=edition.title,
            description=edition.about,
            version=__version__,
            lifespan=lambda _server: self._background(),
            cache_hints={
                # Page tools are listed only for clients that show pages.
                "tools/list": CacheHint(ttl_ms=_HOUR_MS, scope="private"),
                "prompts/list": CacheHint(ttl_ms=_HOUR_MS, scope="public"),
                "resources/templates/list": CacheHint(ttl_ms=_HOUR_MS, scope="public"),
                # It names the collections that there are.
                "server/discover": CacheHint(ttl_ms=_MINUTE_MS, scope="private"),
            },
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._listed,
            on_call_tool=self._called,
        )
        security = RequestStateSecurity.ephemeral()
        self.middleware.append(RequestStateBoundary(security, default_audience=self.name))
        self.extensions[EXTENSION_ID] = {}
        register(self, session, self.catalogue, served)
        self._notifier = ChangeNotifier(session) if served.resources else None
        if self._notifier is not None:
            self._notifier.register(self)

    @property
    def instructions(self) -> str:
        """Text that a client shows its model at the start."""
        texts = self._served.edition.instructions
        library, about = self._session.library, self._session.edition
        collections = holdings(library, about) if texts.holdings else ()
        return instructions(texts, self.catalogue.usable(), collections)

    @instructions.setter
    def instructions(self, _text: str | None) -> None:
        """Ignore the text that the SDK's server sets at its creation."""

    async def list_tools(self, *, pages: bool = False) -> list[MCPTool]:
        """Return all tools in the form of the protocol, with *pages* for clients that show them."""
        return [
            MCPTool(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                input_schema=listed(tool.parameters),
                output_schema=tool.output_schema,
                annotations=tool.annotations,
                icons=tool.icons,
                _meta=self._meta_of(tool, pages=pages),
            )
            for tool in self.catalogue.list_tools(pages=pages)
        ]

    def _more_specs(self) -> dict[str, ToolSpec]:
        """Return the tools that ``more_tools`` calls: not listed, usable, and not destructive."""
        listed, usable = self.catalogue.specs, self._more.usable()
        return {
            name: spec
            for name, spec in self._more.specs.items()
            if name in usable - listed.keys() and not spec.hints.destructive
        }

    def _named(
        self, name: str, arguments: dict[str, Any], *, pages: bool
    ) -> tuple[str, dict[str, Any], Tool | None]:
        """Return the tool of a call with its arguments; ``more_tools`` stands for the named one."""
        inner = arguments.get("name")
        if name != MORE or name not in self.catalogue.specs or not inner:
            return name, arguments, self.catalogue.get_tool(name, pages=pages)
        given = arguments.get("arguments") or {}
        known = inner in self._more_specs() and isinstance(given, dict)
        return inner, given, self._more.get_tool(inner) if known else None

    def _meta_of(self, tool: Tool, *, pages: bool) -> dict[str, Any] | None:
        page = self.catalogue.page_meta(tool.name) if pages else {}
        return (tool.meta or {}) | page or None

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[Any, Any] | None = None,
        *,
        again: RunningJob | None = None,
        pages: bool = False,
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call a tool, and count it; see :meth:`_call`."""
        tool = self.catalogue.get_tool(name, pages=pages)
        with measured("unknown" if tool is None else tool.name) as call:
            result = await self._call(name, arguments, context, again=again, pages=pages)
            is_failed = isinstance(result, types.CallToolResult) and result.is_error
            call.outcome = "failed" if is_failed else "ok"
        return result

    async def _call(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[Any, Any] | None,
        *,
        again: RunningJob | None,
        pages: bool,
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call a tool; every failure becomes a result that contains the next step.

        Errors of this project keep their text, invalid arguments are listed with the allowed
        values, and other exceptions are logged and masked. *again* is the job that this call
        resumes; *pages* means that the client shows pages, which may call tools without an entry in
        the list.
        """
        from mcp.server.mcpserver import Context

        name, arguments, tool = self._named(name, arguments, pages=pages)
        if tool is None:
            more = MORE in self.catalogue.specs
            known = [*self._more_specs()] if more else self.catalogue.names()
            return self._failed(failures.unknown_tool(name, known))
        other = OTHER_ARGUMENTS.get(tool.name, {})
        if other.keys() & arguments.keys() and not set(other.values()) & arguments.keys():
            arguments = {other.get(name, name): value for name, value in arguments.items()}
        problems = [
            *failures.unknown_arguments(tool, arguments),
            *failures.oversized_arguments(arguments),
        ]
        if problems:
            return self._failed(failures.bad_arguments(tool, problems))
        if context is not None and self._must_ask(tool, arguments, context):
            refusal = await self._confirmed(tool, arguments, context)
            if refusal is not None:
                return refusal
        answer = partial(self.catalogue.call, tool, arguments, context or Context())
        place = "collection" if "collection" in tool.parameters["properties"] else "case"
        CALL.set(Call(self._served.edition.name, tool.name, arguments, place, again))
        try:
            # A tool with a context parameter reports its own progress.
            if context is None or tool.context_kwarg is not None:
                result = await answer()
            else:
                result = await keepalive(answer, context)
        except ToolError as error:
            failure = self._failure_of(tool, error)
            # The preview of a change is an answer, except where programs are promised an error.
            if isinstance(error.__cause__, Unconfirmed) and self._session.edition == ANY:
                return results.answer(failure.text, {"preview": failure.text})
            return self._failed(failure)
        if isinstance(result, types.CallToolResult) and result.is_error:
            return self._with_code(result, "usage")
        return result

    def routes(self) -> list[Route]:
        """Return the HTTP routes in addition to the protocol."""
        from casetrack.faces.mcp.http.rest import rest_routes

        return [*rest_routes(self), *self._served.routes(self.call_tool)]

    def get_capabilities(self, *given: Any, **named: Any) -> types.ServerCapabilities:
        """Return the capabilities of the server, without changes to its tools and prompts.

        The SDK announces changes to every list once a client can subscribe to one of them.
        """
        capabilities = super().get_capabilities(*given, **named)
        for part in (capabilities.tools, capabilities.prompts):
            if part is not None:
                part.list_changed = False
        return capabilities

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return the server's description for a client of the handshake protocol."""
        options = notification_options or NotificationOptions(
            resources_changed=bool(self._notifier)
        )
        return super().create_initialization_options(options, experimental_capabilities, extensions)

    @contextlib.asynccontextmanager
    async def _background(self) -> AsyncIterator[None]:
        """Run the background tasks as long as the server runs."""
        async with self._session.jobs.open(), anyio.create_task_group() as group:
            if self._notifier is not None:
                group.start_soon(self._notifier.run)
            if self._session.resumes_jobs:
                group.start_soon(resume_jobs, self.call_tool, self.catalogue, self._session)
            yield
            group.cancel_scope.cancel()

    def run_stdio(self, opening: Opening | None = None, /) -> None:
        """Serve over standard input and output until the input ends, starting with *opening*."""

        async def serve() -> None:
            async with stdio_server() as (read_stream, write_stream):
                options = self.create_initialization_options()
                try:
                    messages = AnsweringStream(read_stream, write_stream, opening)
                    answers = UnansweredStream(write_stream, opening)
                    await self.run(messages, answers, options)
                finally:
                    # Flush here: later, the SDK has restored standard output, and the text would
                    # reach the client.
                    sys.stdout.flush()

        anyio.run(serve)

    def _must_ask(self, tool: Tool, arguments: dict[str, Any], context: Context[Any, Any]) -> bool:
        """Return whether the user must confirm an irreversible call."""
        deletes = tool.annotations is not None and tool.annotations.destructive_hint
        return bool(deletes) and arguments.get(ARGUMENT) is True and can_ask(context)

    async def _confirmed(
        self, tool: Tool, arguments: dict[str, Any], context: Context[Any, Any]
    ) -> types.CallToolResult | types.InputRequiredResult | None:
        """Ask the user; return the answer to the call, or ``None`` if the user agreed."""
        try:
            # Without its confirmation a call only describes the effect.
            await self.catalogue.call(tool, arguments | {ARGUMENT: False}, context)
        except ToolError as error:
            cause = error.__cause__
            if not isinstance(cause, Unconfirmed):
                return self._failed(self._failure_of(tool, error))
            outcome = await ask_user(context, cause.what)
            return self._failed(outcome) if isinstance(outcome, Failure) else outcome
        return None

    def _failure_of(self, tool: Tool, error: ToolError) -> Failure:
        cause = error.__cause__
        if isinstance(cause, CaseTrackError):
            logger.info("%s: %s", tool.name, cause.code)
            return failures.known_error(cause, self._served.edition)
        own = tool.fn_metadata.arg_model.__name__
        if isinstance(cause, ValidationError) and cause.title == own:
            return failures.bad_arguments(tool, failures.rejected_arguments(tool, cause))
        return failures.unexpected(tool.name, cause or error)

    def _failed(self, failure: Failure) -> types.CallToolResult:
        """Return a failure as a result; its text may quote a file name that is not Unicode."""
        return self._with_code(failures.failed(sendable(failure.text)), failure.code)

    def _with_code(self, result: types.CallToolResult, code: str) -> types.CallToolResult:
        """Add the edition's code to a failure."""
        known = self._served.edition.server_error(code)
        if known is not None:
            message = "".join(getattr(content, "text", "") for content in result.content)
            result.structured_content = {"error": {"code": known, "message": message}}
        else:
            result.meta = {CODE: code}
        return result

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        tool = self.catalogue.get_tool(name, pages=True)
        return None if tool is None else tool.parameters

    async def _listed(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        failures.whole_list(params)
        return types.ListToolsResult(
            tools=await self.list_tools(pages=client_supports_apps(context))
        )

    async def _called(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        from mcp.server.mcpserver import Context

        pages = client_supports_apps(context)
        promised = self._served.edition.server_error("unknown_tool") is not None
        if self.catalogue.get_tool(params.name, pages=pages) is None and not promised:
            # An error of the protocol, unless programs of the edition are promised a result.
            message = failures.unknown_tool(params.name, self.catalogue.names()).text
            if MORE in self.catalogue.specs and params.name in self._more_specs():
                message = f"{MORE} calls {params.name}: give its name and arguments."
            raise MCPError(types.INVALID_PARAMS, visible(sendable(message)))
        given = Context(request_context=context, input_params=params)
        arguments = params.arguments or {}
        client = context.session.client_params
        with actor.acting("AI program" if client is None else client.client_info.name):
            result = await self.call_tool(params.name, arguments, given, pages=pages)
        if isinstance(result, types.CallToolResult):
            if self._session.missing_models is not None:
                with_notice(result, await in_thread(self._session.missing_models.notice))
            if self._session.texts_only and not pages and self._is_concise(params):
                result.structured_content = None
            if pages:
                await self._with_collection(params.name, arguments, result)
            else:
                result.meta = None
        return result

    def _is_concise(self, params: types.CallToolRequestParams) -> bool:
        _, given, tool = self._named(params.name, params.arguments or {}, pages=False)
        name = "response_format"
        if tool is None or name not in tool.parameters["properties"]:
            return False
        return bool(given.get(name, "concise") == "concise")

    async def _with_collection(
        self, name: str, arguments: dict[str, Any], result: types.CallToolResult
    ) -> None:
        """Add the collection of a result for its page, whose calls name it by id."""
        tool = self.catalogue.get_tool(name)
        spec = None if tool is None else self.catalogue.specs[tool.name]
        if spec is None or spec.page is None or result.is_error or arguments.get("collections"):
            return
        named = arguments.get("collection") or arguments.get("case")
        try:
            collection = await self._served.find(self._session, named)
        except CaseTrackError as error:
            # The collection was deleted in the meantime; the page gets an error with its next call.
            logger.info("%s: %s", name, error.code)
            return
        result.meta = (result.meta or {}) | {OF_COLLECTION: collection.info.id}


def build_server(library: Library, /, choice: ToolChoice | None = None) -> CaseTrackServer:
    """Return a server over *library* with the tools of *choice*, by default all.

    It supports the handshake protocol (2025-11-25) and the stateless one (2026-07-28).
    """
    return server_for(Session(library), choice)


def server_for(
    session: Session, /, choice: ToolChoice | None = None, served: ServedEdition | None = None
) -> CaseTrackServer:
    """Return a server whose state is *session*, by default with the tools of any collection."""
    return CaseTrackServer(session, choice or ToolChoice(), served or any_collection())
