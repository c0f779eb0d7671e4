"""Signatures of released files in the format of minisign, checked before an update.

::

    python -m release.signing FILE    # the public half of the private key in FILE
"""

from __future__ import annotations

import base64
import hashlib
import sys
from pathlib import Path

from nacl.signing import SigningKey

from casetrack.faces.setup.signature import HASHED, ID_BYTES, TRUSTED, UNTRUSTED, PublicKey
from release.license_keys import read_private_key


class Signer:
    """Holder of the private half of a key.

    *seed* has 32 bytes, as ``python -m release.license_keys keypair`` writes them to a
    file.
    """

    def __init__(self, seed: bytes, /) -> None:
        self._key = SigningKey(seed)
        public = self._key.verify_key.encode()
        # minisign draws the number by lot; here the same key always has the same.
        self.public = PublicKey(hashlib.blake2b(public, digest_size=ID_BYTES).digest(), public)

    @classmethod
    def read(cls, path: Path, /) -> Signer:
        """Return the signer whose private key is in a file.

        Raises
        ------
        VendorError, OSError
            The file has no key or cannot be read.
        """
        return cls(read_private_key(path))

    def signed(self, data: bytes, comment: str, /) -> str:
        """Return the text of the ``.minisig`` file for *data*; the comment is signed, too."""
        made = self._key.sign(hashlib.blake2b(data).digest()).signature
        again = self._key.sign(made + comment.encode()).signature
        first = base64.b64encode(HASHED + self.public.id + made).decode()
        rows = (f"{UNTRUSTED}signature of CaseTrack", first)
        return "\n".join((*rows, f"{TRUSTED}{comment}", base64.b64encode(again).decode())) + "\n"


if __name__ == "__main__":
    sys.stdout.write(f"{Signer.read(Path(sys.argv[1])).public.text()}\n")
