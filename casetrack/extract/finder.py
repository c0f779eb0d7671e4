"""Who looks for names: a tagger of the profile's own states, or a model of its own."""

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
        """Text that changes whenever what it finds could."""

    @property
    def layers(self) -> tuple[int, ...] | None:
        """Earlier layers that it wants of the profile's own pass; ``None``: it needs no pass."""

    def tag(
        self, text: str, encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """Return the names in ``text[start:]``, with offsets that count from *start*.

        Parameters
        ----------
        text
            What was encoded: the context of a chunk, then its own text.
        encoding
            What the profile's pass said of it, where *layers* asks for one.
        start
            Where the own text begins.
        """


@dataclass(frozen=True, slots=True)
class OwnPass:
    """A tagger with the encoder that it was trained for, beside a profile of other models.

    A text in letters that its encoder does not read is not looked at, and costs no pass.
    """

    tagger: StateTagger
    encoder: ProfileEncoder

    @property
    def fingerprint(self) -> str:
        """That of the tagger and of its encoder, and in which script it looks."""
        return f"{self.tagger.fingerprint} {self.encoder.fingerprint} {_SCRIPT}"

    @property
    def layers(self) -> None:
        """It needs nothing of the profile's pass."""
        return

    def tag(
        self, text: str, _encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """See :class:`NameFinder`."""
        own = text[start:]
        if script_of(own) != _SCRIPT:
            return ()
        found = next(iter(self.encoder.encode_documents([own], layers=self.tagger.layers)))
        return self.tagger.tag(own, found)
