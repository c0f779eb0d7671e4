"""Models of a profile for a generated collection: real cost, generated output.

A real encoder does not know generated words, and its vectors would be far from all stored ones.
The real models encode each question, which takes realistic time; the result is then replaced by
the vector of :class:`bench.vectors.Space`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.vectors import Space
    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.models.encoders import Encoders

_FEWEST_TOKENS = 2


class SpaceEncoder:
    """Encoder with the models of a profile, except that vectors of questions come from a space.

    With *given*, a repeated question costs nothing, as in an engine whose caller supplies vectors.
    """

    def __init__(self, real: ProfileEncoder, space: Space, /, *, given: bool) -> None:
        self._real, self._space, self._given = real, space, given
        self._seen: dict[str, Encoding] = {}

    def encode_query(self, text: str, /) -> Encoding:
        """Return the made-up encoding of a question."""
        if text in self._seen:
            return self._seen[text]
        encoding = self._real.encode_query(text)
        tokens = encoding.tokens
        if tokens is not None:
            tokens = self._space.query_states(text, max(_FEWEST_TOKENS, len(tokens)))
        made = replace(encoding, dense=self._space.query(text), tokens=tokens)
        if self._given:
            self._seen[text] = made
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class SpaceEncoders:
    """Gives a :class:`SpaceEncoder` for every profile; takes the place of a library's encoders."""

    def __init__(self, real: Encoders, space: Space, /, *, given: bool) -> None:
        self._real, self._space, self._given = real, space, given
        self._made: dict[str, SpaceEncoder] = {}

    def get(self, name: str, /, **options: Any) -> SpaceEncoder:
        """Return the replacement encoder of a profile; *options* are those of the real registry."""
        if name not in self._made:
            real = self._real.get(name, **options)
            self._made[name] = SpaceEncoder(real, self._space, given=self._given)
        return self._made[name]

    def get_installed(self, name: str, /, **options: Any) -> SpaceEncoder:
        """Return the replacement encoder of a profile, whose models are installed."""
        return self.get(name, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
