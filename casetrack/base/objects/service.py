"""Operations on objects below one address: conditional writes, reads, lists, removal.

The objects are in one of two places: a service (S3, Google, Azure) through ``obstore``, and a local
folder.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import secrets
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import ObjectStorageError, PackageMissing
from casetrack.base.objects import credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from casetrack.base.objects.address import Address

    Objects: TypeAlias = "ServiceObjects | FolderObjects"

# Classification of service errors. Error texts of the libraries contain the whole answer of the
# service, which may repeat keys and signatures; only its code and message are shown.

Kind = Literal["no_bucket", "expired", "refused", "elsewhere", "busy", "unreachable", "other"]
SHOWN = 300
_AGAIN = "run the command again; finished work is kept."
_RIGHTS = "list the bucket, and get, put and delete its objects."
_CODE = re.compile(r"<Code>([^<]+)</Code>|\bcode: \"?([A-Za-z]+)\"?")
_MESSAGE = re.compile(r"<Message>([^<]+)</Message>|\bmessage: \"([^\"]+)\"")
_GONE = {"NoSuchBucket", "ContainerNotFound"}
_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"}
_REFUSED = frozenset(
    "AccessDenied InvalidAccessKeyId SignatureDoesNotMatch InvalidToken AuthenticationFailed"
    " AuthorizationFailure".split()
)
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
    """An error of a service."""

    kind: Kind
    words: str  # the service's message as the end of a sentence: `": ..."` or a full stop
    code: str  # the service's code, or empty


def fault_of(error: BaseException | str, /) -> Fault:
    """Classify an error of a library."""
    text = str(error)
    code, message = _first(_CODE, text), _first(_MESSAGE, text)
    words = f": {message[:SHOWN]}" if message else "."
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
    match = pattern.search(text)
    return next(filter(None, match.groups()), "") if match else ""


@dataclass(frozen=True, slots=True)
class _Service:
    """A service's terms: bucket, settings for the location and the credentials, renewal command."""

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
    """Convert a service's error to one with a next step for the user."""
    fault, where = fault_of(error), f" at {endpoint}" if endpoint else ""
    service = _SERVICES.get(place.partition(":")[0], _SERVICES["s3"])
    message, hint = {
        "no_bucket": (
            f"the {service.bucket} does not exist{where}.",
            f"Check the name of the {service.bucket}, and {service.place}.",
        ),
        "expired": (
            f"the credentials have expired{fault.words}",
            f"Get new ones ({service.renewed}) and {_AGAIN}",
        ),
        "refused": (
            f"the credentials do not permit this{fault.words}",
            f"Check {service.names} and the permissions: {_RIGHTS}",
        ),
        "elsewhere": (
            f"the bucket is in another region{fault.words}",
            "Set AWS_REGION to that of the bucket.",
        ),
        "busy": (
            f"the service{where} is too busy, even after retries{fault.words}",
            f"Wait a while, and {_AGAIN}",
        ),
        "unreachable": (
            f"the service{where} cannot be reached, or closed the connection.",
            f"Check the network and {service.place}, and {_AGAIN}",
        ),
        "other": (
            "the service answered with an error: "
            + (f"{fault.code}{fault.words}" if fault.code else _first_line(error)),
            "Run the command again; if it fails again, ask the operator of the service.",
        ),
    }[fault.kind]
    return ObjectStorageError(f"{place}: {message}", hint=hint)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:SHOWN] if lines else type(error).__name__


RETRIES = 6
RETRY_SECONDS = 60
_CONNECT_SECONDS = 10
_TRANSFER_MINUTES = 10
_BLOCK = 1 << 20
_EXTRA = {"s3": "S3", "gs": "Google Cloud Storage", "az": "Azure"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An object in a listing: key relative to the address, bytes, time by the service's clock."""

    key: str
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class ObjectContent:
    """An object's content, and a tag that changes with it."""

    data: bytes
    tag: str


@functools.lru_cache(maxsize=64)
def open_objects(address: Address, endpoint: str | None = None, /) -> Objects:
    """Return the objects below an address; sends no request.

    *endpoint* is the address of an S3-compatible service. Raises ``PackageMissing``: the library
    for object storage is not installed.
    """
    if address.scheme == "file":
        return FolderObjects(Path(address.prefix))
    return ServiceObjects(address, endpoint)


class ServiceObjects:
    """Objects of a service below one address; thread-safe.

    Every method raises :class:`ObjectStorageError` on failure.
    """

    def __init__(self, address: Address, endpoint: str | None) -> None:
        PackageMissing.check(
            "obstore",
            f"nothing can be read from {_EXTRA[address.scheme]}",
            "Install it with `pip install 'casetrack[s3]'`.",
        )
        self._address = address
        self._endpoint = endpoint
        self._opened: tuple[tuple[str, ...], Any] | None = None

    @property
    def _library(self) -> Any:
        importlib.import_module("obstore.exceptions")
        return importlib.import_module("obstore")

    def _store(self) -> Any:
        """Return the library's store; reopen it after a change of the credentials."""
        address, options = self._address, dict[str, Any]()
        stores = importlib.import_module("obstore.store")
        if address.scheme == "s3":
            try:
                options = dict(credentials.of_s3().options())
            except credentials.CredentialsMissing as error:
                raise ObjectStorageError(
                    f"{address}: no credentials are available: {error}.",
                    hint="Set them, or run `aws configure` to write ~/.aws/credentials.",
                ) from error
            options["region"] = credentials.region_of_s3() or "us-east-1"
            if self._endpoint:
                options["endpoint"] = self._endpoint
        stamp = tuple(options.values())
        if self._opened is None or self._opened[0] != stamp:
            kind = {"s3": "S3Store", "gs": "GCSStore", "az": "AzureStore"}[address.scheme]
            # Google and Azure have another endpoint only through their own settings.
            plain = address.scheme != "s3" or (self._endpoint or "").startswith("http://")
            made = getattr(stores, kind)(
                address.bucket, prefix=address.prefix, **options, **library_options(plain=plain)
            )
            self._opened = (stamp, made)
        return self._opened[1]

    def _tag(self, facts: Mapping[str, Any]) -> str:
        """Return the tag of an object: its ETag, for Google also its version."""
        tags = [facts["e_tag"], facts["version"] if self._address.scheme == "gs" else None]
        return " ".join(filter(None, tags))

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        failures = (self._library.exceptions.BaseError, OSError, ValueError)
        try:
            yield
        except failures as error:
            raise place_error(error, str(self._address), self._endpoint) from error

    def get(self, key: str, /, *, unless: str | None = None) -> ObjectContent | None:
        """Return an object; ``None`` if it is missing or its tag equals *unless*."""
        with self._errors():
            try:
                options = {"if_none_match": _parts(unless)[0]} if unless else {}
                answer = self._library.get(self._store(), key, options=options)
                tag = self._tag(answer.meta)
                if unless and tag == unless:  # not every service knows the condition
                    return None
                return ObjectContent(bytes(answer.bytes()), tag)
            except (FileNotFoundError, self._library.exceptions.NotModifiedError) as error:
                # Google and Amazon report a missing bucket as a missing object.
                if fault_of(error).kind == "no_bucket":
                    raise place_error(error, str(self._address), self._endpoint) from error
                return None

    def put(self, key: str, data: bytes, /) -> None:
        """Write or replace an object."""
        with self._errors():
            self._library.put(self._store(), key, data)

    def swap(self, key: str, data: bytes, tag: str | None, /) -> str | None:
        """Write an object if its tag is *tag* (``None``: if it is missing); return the new tag.

        ``None`` means that another writer was first and nothing was written.
        """
        exceptions = self._library.exceptions
        with self._errors():
            try:
                mode: Any = "create"
                if tag is not None:
                    e_tag, version = _parts(tag)
                    mode = {"e_tag": e_tag} | ({"version": version} if version else {})
                made = self._library.put(self._store(), key, data, mode=mode, use_multipart=False)
                return self._tag(made)
            except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
                return None
            except FileNotFoundError as error:
                if tag is None or fault_of(error).kind == "no_bucket":
                    raise
                return None  # removed meanwhile

    def fetch(self, key: str, target: Path, /) -> bool:
        """Write an object's content to a file; return whether the object exists."""
        with self._errors():
            try:
                answer = self._library.get(self._store(), key)
            except FileNotFoundError:
                return False
            with target.open("wb") as file:
                for block in answer.stream(min_chunk_size=_BLOCK):
                    file.write(block)
            return True

    def send(self, key: str, source: Path, /) -> None:
        """Write an object from a file."""
        with self._errors():
            self._library.put(self._store(), key, source)

    def list(self, prefix: str, /) -> Iterator[Entry]:
        """Yield the objects below a folder, in the order of their keys."""
        with self._errors():
            for page in self._library.list(self._store(), prefix=prefix or None):
                for entry in page:
                    yield Entry(entry["path"], int(entry["size"]), entry["last_modified"])

    def remove(self, key: str, /) -> None:
        """Remove an object if it exists."""
        with self._errors(), contextlib.suppress(FileNotFoundError):
            self._library.delete(self._store(), key)


def _parts(tag: str) -> tuple[str, str]:
    """Return the ETag and the version in a tag of :meth:`ServiceObjects._tag`."""
    e_tag, _, version = tag.partition(" ")
    return e_tag, version


def library_options(*, plain: bool) -> dict[str, Any]:
    """Return timeouts and retries of the library."""
    return {
        "client_options": {
            "allow_http": plain,
            "connect_timeout": timedelta(seconds=_CONNECT_SECONDS),
            "timeout": timedelta(minutes=_TRANSFER_MINUTES),
        },
        "retry_config": {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)},
    }


class FolderObjects:
    """Objects that are files of a local or shared folder, used like :class:`ServiceObjects`.

    The tag changes with the file; a swap holds a lock of the operating system.
    """

    def __init__(self, home: Path) -> None:
        self._home = home

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ObjectStorageError(
                f"{self._home.as_uri()}: {error.strerror or error}.",
                hint="Check that the folder exists and is readable and writable.",
            ) from error

    def get(self, key: str, /, *, unless: str | None = None) -> ObjectContent | None:
        """See :meth:`ServiceObjects.get`."""
        with self._errors():
            try:
                with (self._home / key).open("rb") as file:
                    tag = _tag(os.fstat(file.fileno()))
                    return None if tag == unless else ObjectContent(file.read(), tag)
            except (FileNotFoundError, NotADirectoryError):
                return None

    def put(self, key: str, data: bytes, /) -> None:
        """See :meth:`ServiceObjects.put`."""
        with self._errors(), self._new(key) as temporary:
            temporary.write_bytes(data)

    def swap(self, key: str, data: bytes, tag: str | None, /) -> str | None:
        """See :meth:`ServiceObjects.swap`."""
        import filelock

        with self._errors():
            self._home.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(self._home / ".swap.lock", fallback_to_soft=False):
                try:
                    present = _tag((self._home / key).stat())
                except FileNotFoundError:
                    present = None
                if present != tag:
                    return None
                with self._new(key) as temporary:
                    temporary.write_bytes(data)
                return _tag((self._home / key).stat())

    def fetch(self, key: str, target: Path, /) -> bool:
        """See :meth:`ServiceObjects.fetch`."""
        with self._errors():
            try:
                shutil.copyfile(self._home / key, target)
            except FileNotFoundError:
                return False
            return True

    def send(self, key: str, source: Path, /) -> None:
        """See :meth:`ServiceObjects.send`."""
        with self._errors(), self._new(key) as temporary:
            shutil.copyfile(source, temporary)

    def list(self, prefix: str, /) -> Iterator[Entry]:
        """See :meth:`ServiceObjects.list`."""
        with self._errors():
            for path in sorted((self._home / prefix).rglob("*")):
                with contextlib.suppress(FileNotFoundError):
                    facts = path.stat()
                    if path.is_file() and not re.search(r"\.tmp$|\.lock$", path.name):
                        moment = datetime.fromtimestamp(facts.st_mtime, UTC)
                        key = path.relative_to(self._home).as_posix()
                        yield Entry(key, facts.st_size, moment)

    def remove(self, key: str, /) -> None:
        """See :meth:`ServiceObjects.remove`."""
        with self._errors():
            (self._home / key).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _new(self, key: str) -> Iterator[Path]:
        """Yield a temporary file that replaces an object atomically at the end."""
        target = self._home / key
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            yield temporary
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def _tag(facts: os.stat_result) -> str:
    return f"{facts.st_ino}-{facts.st_mtime_ns}-{facts.st_size}"
