"""What the errors of object storage mean, in words of the person whose bucket it is.

The libraries tell an error as a text with the service's whole answer in it, which may repeat keys
and signatures. Of that only the code and the one sentence are told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["no_bucket", "expired", "refused", "elsewhere", "busy", "unreachable", "other"]
SHOWN = 300
_CODE = re.compile(r"<Code>([^<]+)</Code>|\bcode: \"?([A-Za-z]+)\"?")
_MESSAGE = re.compile(r"<Message>([^<]+)</Message>|\bmessage: \"([^\"]+)\"")
_GONE = {"NoSuchBucket", "ContainerNotFound"}
_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"}
_REFUSED = {
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "InvalidToken",
    "AuthenticationFailed",
    "AuthorizationFailure",
}
_ELSEWHERE = {"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraint"}
_STATUS = re.compile(r"\b(401|403)\b (?:Unauthorized|Forbidden)|: (?:401|403) |status: (?:401|403)")
_BUSY = re.compile(
    r"SlowDown|TooManyRequests|ServiceUnavailable|InternalError|ServerBusy"
    r"|: 5\d\d |: 429 |status: 5\d\d|\b5\d\d (?:Internal|Service|Bad|Gateway)"
)
_UNREACHABLE = re.compile(
    r"error sending request|onnect|timed out|timeout|dispatch failure|decoding response body"
    r"|dns error|broken pipe|reset by peer|HTTP error",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong.

    Attributes
    ----------
    kind
        What it means.
    words
        What the service said of it, to follow a sentence: ``": ..."`` or a full stop.
    code
        The service's own code; empty where it gave none.
    """

    kind: Kind
    words: str
    code: str


def fault_of(error: BaseException | str, /) -> Fault:
    """Return what an error of a library means."""
    text = str(error)
    code, said = _first(_CODE, text), _first(_MESSAGE, text)
    words = f": {said[:SHOWN]}" if said else "."
    kind: Kind = "other"
    if code in _GONE:
        kind = "no_bucket"
    elif code in _EXPIRED:
        kind = "expired"
    elif code in _REFUSED or _STATUS.search(text):
        kind = "refused"
    elif code in _ELSEWHERE or ": 301 " in text:
        kind = "elsewhere"
    elif _BUSY.search(text):
        kind = "busy"
    elif _UNREACHABLE.search(text):
        kind = "unreachable"
    return Fault(kind, words, code)


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return next(filter(None, found.groups()), "") if found else ""
