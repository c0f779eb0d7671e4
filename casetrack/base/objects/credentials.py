"""Credentials of object storage, from the standard locations.

In this order: the environment, the files in ``~/.aws`` (with ``AWS_PROFILE``), and the role of an
Amazon machine. They are passed to the library and never stored or shown. Google's and Azure's
libraries find their credentials themselves.
"""

from __future__ import annotations

import configparser
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from casetrack.base.dataclass import dataclass

KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
SESSION = "AWS_SESSION_TOKEN"
NAMES = ", ".join((*KEYS, SESSION))
_ROLES = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
_MAKERS = ("/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/board_vendor")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """Credentials of S3, hidden in ``repr``; empty if the library gets them from the machine."""

    key: str = ""
    secret: str = ""
    token: str = ""

    def options(self) -> dict[str, str]:
        """Return them as options of the library."""
        named = {
            "access_key_id": self.key,
            "secret_access_key": self.secret,
            "session_token": self.token,
        }
        return {name: value for name, value in named.items() if value}


class CredentialsMissing(LookupError):
    """No credentials in the standard locations; *missing* has the unset environment variables."""

    def __init__(self) -> None:
        self.missing = [name for name in KEYS if not os.environ.get(name)]
        verb = "is" if len(self.missing) == 1 else "are"
        super().__init__(f"{' and '.join(self.missing)} {verb} not set in the environment")


def of_s3() -> Credentials:
    """Return the credentials for S3, or raise ``CredentialsMissing``."""
    key, secret = (os.environ.get(name, "") for name in KEYS)
    if key and secret:
        return Credentials(key, secret, os.environ.get(SESSION, ""))
    if not key and not secret:
        kept = _section("AWS_SHARED_CREDENTIALS_FILE", "credentials", "{}")
        kept = {**_section("AWS_CONFIG_FILE", "config", "profile {}"), **kept}
        if kept.get("aws_access_key_id") and kept.get("aws_secret_access_key"):
            return Credentials(
                kept["aws_access_key_id"],
                kept["aws_secret_access_key"],
                kept.get("aws_session_token", ""),
            )
    if any(os.environ.get(name) for name in _ROLES) or _is_amazon_machine():
        return Credentials()
    raise CredentialsMissing


def region_of_s3() -> str | None:
    """Return the region that the environment or ``~/.aws/config`` names."""
    return _setting(_REGIONS, "region")


def endpoint_of_s3() -> str | None:
    """Return the address of an S3-compatible service, or ``None`` for Amazon's."""
    return _setting(_ENDPOINTS, "endpoint_url")


def _setting(variables: Iterable[str], key: str) -> str | None:
    own = next(filter(None, map(os.environ.get, variables)), None)
    return own or _section("AWS_CONFIG_FILE", "config", "profile {}").get(key)


def _section(variable: str, name: str, form: str) -> Mapping[str, str]:
    """Return the chosen profile of a file in ``~/.aws``, or an empty mapping."""
    try:
        path = Path(os.environ.get(variable) or Path.home() / ".aws" / name)
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(path.read_text("utf-8"))
    except (OSError, RuntimeError, ValueError, configparser.Error):
        return {}
    profile = os.environ.get("AWS_PROFILE") or "default"
    title = profile if profile == "default" else form.format(profile)
    return parser[title] if parser.has_section(title) else {}


def _is_amazon_machine() -> bool:
    """Return whether this machine runs at Amazon and may have the credentials of a role."""
    for name in _MAKERS:
        try:
            if "amazon ec2" in Path(name).read_text("ascii", "replace").lower():
                return True
        except OSError:
            continue
    return False
