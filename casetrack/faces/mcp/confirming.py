"""Asking the user before something is deleted, where the client can put a question to them.

The argument ``confirm`` is the model's word. A client that offers elicitation lets the user give
theirs: in the handshake protocol by a request of the server, in the stateless one by a result that
asks, which the client answers by calling again (2026-07-28, Input Required).
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from casetrack.base.errors import UsageError
from casetrack.faces.mcp.failures import Failure
from casetrack.faces.mcp.handlers import STATELESS
from casetrack.faces.mcp.progress import kept_alive
from casetrack.faces.mcp.results import cut, sendable
from casetrack.faces.mcp.visible import visible

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

ARGUMENT = "confirm"
"""The argument by which a call says that it is meant."""
_QUESTION = "confirm"
_FORM: dict[str, Any] = {"type": "object", "properties": {}}
"""Nothing to fill in: agreeing to the question is the answer."""

SAID_NO = Failure(
    "declined",
    "Nothing was deleted: the user was asked and said no. Do not ask again unless they want it.",
)
NO_ANSWER = Failure(
    "declined",
    "Nothing was deleted: the question to the user was closed without an answer. Ask them what "
    "they want, and call again if they want it deleted.",
)
NOT_ASKED = (
    "Nothing was deleted: this client offers to ask its user, and could not ({why}). The user can "
    "delete it in another client, or on the command line of CaseTrack."
)
_WHY_CHARS = 200


class Unconfirmed(UsageError):
    """A call that would delete something, without the word for it.

    Parameters
    ----------
    what
        What would go, as a sentence: ``This would remove "Lease.pdf" ... from Acme.``
    hint
        The next step.
    before
        What the message says before that.
    """

    def __init__(
        self, what: str, /, *, hint: str = "", before: str = "Nothing was deleted."
    ) -> None:
        super().__init__(f"{before} {what}", hint=hint)
        self.what = what


def can_ask(context: Context[Any, Any], /) -> bool:
    """Return whether the client offers to put a form before its user, and can be reached."""
    known = context.client_capabilities
    offered = None if known is None else known.elicitation
    # The first form of the capability, {}, means forms; only addresses are a mode without them.
    if offered is None or (offered.form is None and offered.url is not None):
        return False
    return _stateless(context) or context.session.can_send_request


async def asked(context: Context[Any, Any], what: str, /) -> InputRequiredResult | Failure | None:
    """Ask the user; return what the call answers, or ``None`` where they agreed.

    Parameters
    ----------
    what
        What would be done, as a sentence; see :class:`Unconfirmed`.
    """
    question = visible(sendable(f"{what}\n\nShall it be deleted?"))
    form = ElicitRequestFormParams(message=question, requested_schema=_FORM)
    if not _stateless(context):
        number = context.request_id
        ask = partial(context.session.elicit_form, question, _FORM, related_request_id=number)
        try:
            answer = await kept_alive(ask, context)
        except MCPError as error:
            return Failure("declined", NOT_ASKED.format(why=cut(error.message, _WHY_CHARS)))
        return _told(answer)
    given = (context.input_responses or {}).get(_QUESTION)
    # An answer counts only for the question that was put: more may be in a collection by now.
    print_of_it = hashlib.sha256(question.encode()).hexdigest()
    if isinstance(given, ElicitResult) and context.request_state == print_of_it:
        return _told(given)
    request = ElicitRequest(params=form)
    return InputRequiredResult(input_requests={_QUESTION: request}, request_state=print_of_it)


def _stateless(context: Context[Any, Any]) -> bool:
    return (context.protocol_version or "") >= STATELESS


def _told(answer: ElicitResult) -> Failure | None:
    if answer.action == "accept" and (answer.content or {}).get(_QUESTION, True) is True:
        return None
    return NO_ANSWER if answer.action == "cancel" else SAID_NO
