"""Plain requests such as ``GET /api/find_amounts?min_value=5000``.

Each path is one tool with the arguments, answers and errors of the protocol;
``/api/openapi.json`` describes them all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

from casetrack.faces.mcp.results import CODE
from casetrack.faces.mcp.session import ConnectionState, serve_for
from casetrack.faces.mcp.texts import sendable
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request

    from casetrack.faces.mcp.app import CaseTrackServer
    from casetrack.faces.mcp.handlers import Caller

    Answer = Callable[[Request], Awaitable[Response]]
    Given = Callable[[Request], dict[str, Any]]

ROOT = "/api"
ANY = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_STATUS = {"internal": 500, "timeout": 408, "unknown_tool": 404, "free_tier_limit": 403}


def rest_routes(server: CaseTrackServer, /) -> list[Route]:
    """Return the paths of all tools of a server; GET asks those that only read."""

    async def one(request: Request) -> Response:
        name = request.path_params["tool"]
        tool = server.catalogue.get_tool(name)
        if tool is None:
            text = f"No such operation: {name[:80]!r}. See {ROOT}/openapi.json."
            return sent(error("unknown_tool", text), status=404)
        schema = tool.parameters["properties"]
        methods = (
            ("GET", "POST") if server.catalogue.specs[tool.name].hints.read_only else ("POST",)
        )
        answer = answering(server.call_tool, tool.name, lambda asked: _of_address(asked, schema))
        return await only(methods, answer)(request)

    async def described(_request: Request) -> Response:
        return sent(openapi(server))

    return [
        Route(f"{ROOT}/openapi.json", only(("GET",), described), methods=ANY),
        Route(f"{ROOT}/{{tool}}", one, methods=ANY),
    ]


def openapi(server: CaseTrackServer, /) -> dict[str, Any]:
    """Return the description of all paths in the form of OpenAPI 3.1."""
    paths = {f"{ROOT}/{tool.name}": _path(server, tool) for tool in server.catalogue.list_tools()}
    return {
        "openapi": "3.1.0",
        "info": {"title": server.title or server.name, "version": __version__},
        "paths": paths,
    }


def _path(server: CaseTrackServer, tool: Any) -> dict[str, Any]:
    schema = tool.parameters
    about = {"summary": tool.annotations.title, "description": tool.description}
    answers = {"200": {"description": "The answer"}, "400": {"description": "Message of the error"}}
    body = {"content": {"application/json": {"schema": schema}}}
    item: dict[str, Any] = {
        "post": {**about, "operationId": tool.name, "requestBody": body, "responses": answers}
    }
    if server.catalogue.specs[tool.name].hints.read_only:
        needed = schema.get("required", ())
        item["get"] = {
            **about,
            "operationId": f"get_{tool.name}",
            "parameters": [
                {"name": name, "in": "query", "required": name in needed, "schema": field}
                for name, field in schema["properties"].items()
            ],
            "responses": answers,
        }
    return item


def only(methods: tuple[str, ...], answer: Answer, /) -> Answer:
    """Return a handler for some methods; others get the list of allowed methods."""

    async def checked(request: Request) -> Response:
        if request.method in {*methods, "HEAD"}:
            return await answer(request)
        text = f"This path accepts {' or '.join(methods)}, not {request.method}."
        refused = sent(error("bad_request", text), status=405)
        refused.headers["allow"] = ", ".join(methods)
        return refused

    return checked


def answering(call: Caller, name: str, of_address: Given, /) -> Answer:
    """Return a handler that calls a tool; *of_address* converts the query, and a body is JSON."""

    async def answer(request: Request) -> Response:
        serve_for(ConnectionState(remembers=False, reads_all=True))
        try:
            posted = request.method == "POST"
            given = _object(await request.body()) if posted else of_address(request)
        except ValueError as fault:
            return sent(error("bad_request", str(fault)))
        result = await call(name, given)
        content = getattr(result, "structured_content", None)
        if content is None:
            texts = (getattr(each, "text", "") for each in getattr(result, "content", ()))
            text = "\n".join(filter(None, texts))
            code = (getattr(result, "meta", None) or {}).get(CODE, "usage")
            content = error(code, text) if getattr(result, "is_error", False) else {"text": text}
        return sent(content)

    return answer


def single(request: Request, many: Sequence[str], /) -> dict[str, Any]:
    """Return the values of a query; only the names in *many* may appear several times."""
    given: dict[str, Any] = {}
    for name in request.query_params:
        values = request.query_params.getlist(name)
        if len(values) > 1 and name not in many:
            raise ValueError(f"{name[:80]!r} is there {len(values)} times. Send it once.")
        given[name] = values if name in many and len(values) > 1 else values[0]
    return given


def _of_address(request: Request, schema: Mapping[str, Any]) -> dict[str, Any]:
    lists = [name for name, field in schema.items() if field.get("type") == "array"]
    given = single(request, lists)
    return {n: [v] if n in lists and isinstance(v, str) else v for n, v in given.items()}


def _object(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ValueError(  # noqa: TRY004 - the error of a value, not of a type
            'The body is not a JSON object, such as {"query": "how do we deploy"}.'
        )
    return content


def error(code: str, message: str, /) -> dict[str, Any]:
    """Return the error object of a failed request."""
    return {"error": {"code": code, "message": message}}


def sent(content: Mapping[str, Any], /, *, status: int = 200) -> Response:
    """Return an answer as JSON; an error has the status of its code."""
    fault = content.get("error")
    if isinstance(fault, dict) and status == 200:
        code = fault["code"]
        status = _STATUS.get(code, 404 if code.endswith("not_found") else 400)
    body = json.dumps(sendable(dict(content)), ensure_ascii=False).encode()
    headers = {"cache-control": "no-store"}
    return Response(body, status, headers, media_type="application/json")
