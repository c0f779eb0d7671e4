"""What the errors of object storage mean, in words of the person whose bucket it is.

The libraries tell an error as a text with the service's whole answer in it, which may repeat keys
and signatures. Of that only the code and the one sentence are told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from casetrack.base.errors import ObjectStorageError
from casetrack.base.objects import credentials

Kind = Literal["no_bucket", "expired", "refused", "elsewhere", "busy", "unreachable", "other"]
SHOWN = 300
_AGAIN = "run the command again; what was finished is kept."
_RIGHTS = "list the bucket, and get, put and delete its objects."
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


@dataclass(frozen=True, slots=True)
class _Service:
    """How a service's people call things.

    Attributes
    ----------
    bucket
        What a bucket is called there.
    place
        What says where it is.
    names
        What says who asks.
    renewed
        How credentials that have expired are renewed.
    """

    bucket: str
    place: str
    names: str
    renewed: str


_SERVICES = {
    "s3": _Service(
        "bucket",
        "AWS_REGION and AWS_ENDPOINT_URL",
        credentials.NAMES,
        "`aws sso login`, or a new AWS_SESSION_TOKEN",
    ),
    "gs": _Service(
        "bucket",
        "your project",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "`gcloud auth application-default login`",
    ),
    "az": _Service(
        "container",
        "AZURE_STORAGE_ACCOUNT_NAME",
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        "`az login`, or a new AZURE_STORAGE_SAS_TOKEN",
    ),
}


def place_error(
    error: BaseException, place: str, endpoint: str | None = None, /
) -> ObjectStorageError:
    """Return what an error of a service means for who keeps a collection there."""
    fault, where = fault_of(error), f" at {endpoint}" if endpoint else ""
    service = _SERVICES.get(place.partition(":")[0], _SERVICES["s3"])
    message, hint = {
        "no_bucket": (
            f"there is no such {service.bucket}{where}.",
            f"Check the name of the {service.bucket}, and {service.place}.",
        ),
        "expired": (
            f"the credentials have expired{fault.words}",
            f"Get new ones ({service.renewed}) and {_AGAIN}",
        ),
        "refused": (
            f"these credentials may not do this there{fault.words}",
            f"Check {service.names}, and what they may do: {_RIGHTS}",
        ),
        "elsewhere": (
            f"the bucket is in another region{fault.words}",
            "Set AWS_REGION to that of the bucket.",
        ),
        "busy": (
            f"the service{where} is too busy to answer, also after more tries{fault.words}",
            f"Wait a while, and {_AGAIN}",
        ),
        "unreachable": (
            f"the service{where} cannot be reached, or broke off.",
            f"Check the network and {service.place}, and {_AGAIN}",
        ),
        "other": (
            "the service answered with an error: "
            + (f"{fault.code}{fault.words}" if fault.code else _first_line(error)),
            "Run the command again; if it stays, ask who runs the service.",
        ),
    }[fault.kind]
    return ObjectStorageError(f"{place}: {message}", hint=hint)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:SHOWN] if lines else type(error).__name__
