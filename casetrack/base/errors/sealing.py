"""Errors of what is encrypted: sealed collections and encrypted exports."""

from __future__ import annotations

from casetrack.base.errors.base import CaseTrackError, UsageError


class CollectionSealed(UsageError):
    """The collection is one encrypted file now: nothing of it can be read until it is unsealed.

    Parameters
    ----------
    name
        The collection, or its id where its name is hidden.
    """

    code = "collection_sealed"

    def __init__(self, name: str) -> None:
        self.facts = {"name": name}
        super().__init__(
            f'The collection "{name}" is sealed: it is one encrypted file, and nothing in it can '
            "be searched, read or changed.",
            hint=f"Open it with `casetrack collection unseal {name!r}`; it asks for the passphrase "
            "or takes the key file.",
        )


class PassphraseMissing(UsageError):
    """Something is encrypted, and nobody said how to open it."""

    code = "passphrase_missing"


class PassphraseWrong(CaseTrackError):
    """An encrypted file cannot be opened with this passphrase or key file.

    Parameters
    ----------
    source
        The name of the file.
    """

    code = "passphrase_wrong"

    def __init__(self, source: str) -> None:
        super().__init__(
            f"{source} cannot be opened: this is not the passphrase, or not the key file, that it "
            "was encrypted with. Nothing was changed.",
            hint="Try once more; letter case, spaces and the layout of the keyboard count. Without "
            "the right one nobody can open the file, and nothing takes its place.",
        )


class EncryptedFileDamaged(CaseTrackError):
    """An encrypted file is not as it was written: cut short, changed, or put together anew.

    Parameters
    ----------
    source
        The name of the file.
    what
        What is wrong with it, as in "it is cut short".
    """

    code = "encrypted_file_damaged"

    def __init__(self, source: str, what: str) -> None:
        super().__init__(
            f"{source} cannot be opened: {what}. Nothing was opened or changed.",
            hint="Take another copy of this file, from a backup or from where it came from. Not "
            "even a part of it is used, since it may have been tampered with.",
        )
