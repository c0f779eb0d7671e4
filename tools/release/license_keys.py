"""Key pairs and license keys, for the seller.

::

    python -m release.license_keys keypair --private FILE
    python -m release.license_keys issue --private FILE --tier pro --days 365
    python -m release.license_keys show KEY

The public key belongs in ``base/license/public_keys.txt`` or, for tests in a checkout, in a file
that ``CASETRACK_LICENSE_PUBLIC_KEYS`` names. Never store the private key in a checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from casetrack.base.license.key import (
    SIGNATURE_BYTES,
    Claims,
    LicenseKey,
    MalformedKey,
    base32_bytes,
    base32_text,
    parse_key,
)
from casetrack.base.license.signature import CannotVerify, is_genuine
from casetrack.base.license.tiers import FREE, TIERS

_SEED_BYTES = 32
_SERIAL_BITS = 40


class VendorError(Exception):
    """A command cannot be run; the text is the reason."""


def new_key_pair() -> tuple[bytes, bytes]:
    """Return a new Ed25519 key pair: the private seed and the public key, 32 bytes each."""
    from nacl.signing import SigningKey

    signing = SigningKey.generate()
    return signing.encode(), signing.verify_key.encode()


def sign(claims: Claims, seed: bytes, /) -> LicenseKey:
    """Return the signed key of *claims*; *seed* is the private key, 32 bytes.

    Raises ``ValueError``: a value exceeds its field.
    """
    from nacl.signing import SigningKey

    signed = SigningKey(seed).sign(claims.signed_text().encode("ascii"))
    return LicenseKey(claims, signed[:SIGNATURE_BYTES])


def write_private_key(path: Path, seed: bytes, /) -> None:
    """Write a private key to a new file that only its owner may read.

    Raises ``VendorError``: the file exists, or is in a git checkout.
    """
    path = path.expanduser().resolve()
    for folder in path.parents:
        if (folder / ".git").exists():
            raise VendorError(
                f"{path} lies in the git checkout {folder}. A private key must never be committed: "
                "write it outside."
            )
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise VendorError(f"{path} already exists; keys are not overwritten.") from error
    with os.fdopen(number, "w") as file:
        file.write(
            "# Private key of CaseTrack. It signs as the maker of CaseTrack: keep it secret.\n"
            f"{base32_text(seed)}\n"
        )


def read_private_key(path: Path, /) -> bytes:
    """Read a private key.

    Raises ``VendorError``: the file does not contain a private key.
    """
    lines = path.expanduser().read_text(encoding="utf-8").splitlines()
    words = [word for line in lines if (word := line.partition("#")[0].strip())]
    try:
        seed = base32_bytes(words[0]) if len(words) == 1 else b""
    except MalformedKey as error:
        raise VendorError(f"{path} holds no private key: {error}.") from error
    if len(seed) != _SEED_BYTES:
        raise VendorError(f"{path} holds no private key.")
    return seed


def main(argv: Sequence[str] | None = None, /) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(argv)
    try:
        return int(options.run(options))
    except (VendorError, MalformedKey, ValueError) as error:
        sys.stderr.write(f"Error: {error}\n")
    except OSError as error:
        sys.stderr.write(f"Error: {error.filename}: {error.strerror}\n")
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m release.license_keys", description="Make and issue license keys."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    pair = commands.add_parser("keypair", help="make a key pair; prints the public key")
    pair.add_argument("--private", type=Path, required=True, help="new file of the private key")
    pair.set_defaults(run=_make_pair)
    issue = commands.add_parser("issue", help="print new license keys, one per line")
    issue.add_argument("--private", type=Path, required=True, help="file of the private key")
    sold = sorted(set(TIERS) - {FREE.name})
    issue.add_argument("--tier", choices=sold, required=True, help="what the key is for")
    issue.add_argument("--seats", type=int, default=1, help="on how many machines (default 1)")
    issue.add_argument("--days", type=int, help="valid for so many days (default: no end)")
    issue.add_argument(
        "--offline", action="store_true", help="never to be confirmed by the license server"
    )
    issue.add_argument("--count", type=int, default=1, help="how many keys (default 1)")
    issue.set_defaults(run=_issue)
    show = commands.add_parser("show", help="print what a key says")
    show.add_argument("key", metavar="KEY")
    show.set_defaults(run=_show)
    return parser


def _make_pair(options: argparse.Namespace) -> int:
    seed, public = new_key_pair()
    write_private_key(options.private, seed)
    sys.stdout.write(f"{public.hex()}\n")
    return 0


def _issue(options: argparse.Namespace) -> int:
    seed = read_private_key(options.private)
    today = datetime.now(UTC).date()
    if options.days is not None and options.days < 1:
        raise VendorError("--days must be 1 or more.")
    expires = None if options.days is None else today + timedelta(days=options.days)
    for _ in range(options.count):
        claims = Claims(
            tier=options.tier.upper(),
            serial=secrets.randbits(_SERIAL_BITS),
            seats=options.seats,
            issued=today,
            expires=expires,
            offline=options.offline,
        )
        sys.stdout.write(f"{sign(claims, seed).text()}\n")
    return 0


def _show(options: argparse.Namespace) -> int:
    key = parse_key(options.key)
    try:
        genuine: bool | str = is_genuine(key)
    except CannotVerify as error:
        genuine = f"cannot be checked: {error}"
    says = asdict(key.claims) | {"genuine": genuine}
    sys.stdout.write(json.dumps(says, indent=2, default=str) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
