"""Addresses of folders in object storage."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import UsageError

SCHEMES = ("s3", "gs", "az", "file")
"""Supported schemes; ``file`` is a local folder used as a bucket."""
_OTHER_NAMES = {"s3a": "s3", "gcs": "gs", "azure": "az", "adl": "az"}
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_HINT = "Write it as s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or az://CONTAINER/FOLDER."


def is_address(text: object, /) -> bool:
    """Return whether a text is an address rather than a path or a name."""
    return isinstance(text, str) and _SCHEME.match(text.strip()) is not None


@dataclass(frozen=True, slots=True)
class Address:
    """A folder in object storage."""

    scheme: str
    bucket: str  # the bucket or container; empty for `file`
    prefix: str  # the folder without outer slashes; for `file` the local path

    @classmethod
    def of(cls, text: str, /) -> Address:
        """Parse an address.

        Raises ``UsageError``: the text is not an address, or has forbidden parts such as a
        password.
        """
        match = _SCHEME.match(text.strip())
        scheme = match[1].lower() if match else ""
        scheme = _OTHER_NAMES.get(scheme, scheme)
        if scheme not in SCHEMES:
            raise UsageError(f"{text!r} is not an address in object storage.", hint=_HINT)
        parts = urlsplit(text.strip())
        if "@" in parts.netloc or parts.query or parts.fragment:
            # Not repeated: it may hold a secret.
            raise UsageError(
                "The address must be a bucket and a folder, without keys, '@', '?' or '#'.",
                hint=f"{_HINT} Credentials come from the environment or from ~/.aws.",
            )
        if scheme == "file":
            path = unquote(parts.path)
            if parts.netloc or not path.strip("/"):
                raise UsageError(f"{text!r} has no folder.", hint="Write file:///PATH/OF/FOLDER.")
            if re.match(r"/[A-Za-z]:", path):
                path = path[1:]  # a drive of Windows
            return cls(scheme, "", str(Path(path).absolute()))
        prefix = parts.path.strip("/")
        if not _BUCKET.fullmatch(parts.netloc):
            raise UsageError(f"{parts.netloc!r} cannot be the name of a bucket.", hint=_HINT)
        if not prefix:
            raise UsageError(
                f"{text!r} names a whole bucket, but a collection needs a folder in it.", hint=_HINT
            )
        if any(part in {"", ".", ".."} for part in prefix.split("/")):
            raise UsageError(f"{text!r} has an empty part, '.' or '..' in it.", hint=_HINT)
        return cls(scheme, parts.netloc, prefix)

    def __str__(self) -> str:
        """Return the address as text."""
        if self.scheme == "file":
            return Path(self.prefix).as_uri()
        return f"{self.scheme}://{self.bucket}/{self.prefix}"
