"""The protocol of name taggers, and a tagger with its own encoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from casetrack.extract.language import script_of

if TYPE_CHECKING:
    from casetrack.extract.names import StateTagger
    from casetrack.extract.spans import NameSpan
    from casetrack.models.base import Encoding, ProfileEncoder


_SCRIPT = "Latin"


class NameFinder(Protocol):
    """Finds names in texts; safe to use from several threads."""

    @property
    def fingerprint(self) -> str:
        """A text that changes with every possible output."""

    @property
    def layers(self) -> tuple[int, ...] | None:
        """Requested earlier layers of the profile's pass; ``None``: it needs no pass."""

    def tag(
        self, text: str, encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """Return the names in ``text[start:]``, with offsets relative to *start*.

        *text* is the encoded text: the context of a chunk, then the chunk from *start*. *encoding*
        is the profile's, if *layers* requests any.
        """


@dataclass(frozen=True, slots=True)
class OwnPass:
    """A tagger with its own encoder, for profiles of other models and scripts that it supports."""

    tagger: StateTagger
    encoder: ProfileEncoder

    @property
    def fingerprint(self) -> str:
        """That of the tagger and of its encoder, and in which script it looks."""
        return f"{self.tagger.fingerprint} {self.encoder.fingerprint} {_SCRIPT}"

    @property
    def layers(self) -> None:
        """The tagger needs no output of the profile's pass."""
        return

    def tag(
        self, text: str, _encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """See :class:`NameFinder`."""
        own = text[start:]
        if script_of(own) != _SCRIPT:
            return ()
        encoded = next(iter(self.encoder.encode_documents([own], layers=self.tagger.layers)))
        return self.tagger.tag(own, encoded)
