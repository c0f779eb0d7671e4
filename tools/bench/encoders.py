"""The profile's models for a made-up collection: real cost, made-up output.

A real encoder knows nothing of made-up words, and its vectors would lie far from all that is
stored. So a question is encoded by the real models, which takes the time that it takes, and then
gets the vector that :class:`bench.vectors.Space` has for it.
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
    """Stands in for a profile's models; all but the encoding of questions is theirs.

    Parameters
    ----------
    real
        The installed models.
    space
        Gives the vectors.
    given
        Whether a question that was seen before costs nothing, as where a caller of another engine
        brings the vector along.
    """

    def __init__(self, real: ProfileEncoder, space: Space, /, *, given: bool) -> None:
        self._real, self._space, self._given = real, space, given
        self._seen: dict[str, Encoding] = {}

    def encode_query(self, text: str, /) -> Encoding:
        """Return the made-up encoding of a question."""
        if text in self._seen:
            return self._seen[text]
        found = self._real.encode_query(text)
        tokens = found.tokens
        if tokens is not None:
            tokens = self._space.query_states(text, max(_FEWEST_TOKENS, len(tokens)))
        made = replace(found, dense=self._space.query(text), tokens=tokens)
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
        """Return the profile's stand-in; *options* are those of the real one."""
        if name not in self._made:
            real = self._real.get(name, **options)
            self._made[name] = SpaceEncoder(real, self._space, given=self._given)
        return self._made[name]

    def get_installed(self, name: str, /, **options: Any) -> SpaceEncoder:
        """Return the profile's stand-in; the models are there, or the run had ended before."""
        return self.get(name, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
