"""What the providers have in common: settings of one service, and how its answers are read."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from casetrack.base.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.models.providers.address import Address
    from casetrack.models.providers.transport import Answer

_TOO_LONG = re.compile(
    r"context (?:length|window|size)|too (?:long|large to process|many tokens)"
    r"|max(?:imum)? (?:\w+ ){0,3}tokens|max_tokens_per_request",
    re.IGNORECASE,
)


class TooLong(Exception):
    """The service refuses the texts of a request for their length; never leaves this package."""


@dataclass(frozen=True, slots=True)
class Service(ABC):
    """One model at one service; a subclass speaks the protocol.

    Attributes
    ----------
    address
        Where the service is.
    model
        The model's name there.
    dimensions
        Length of vectors that is asked for, or ``None`` for the model's own.
    max_tokens
        Longest input in tokens.
    """

    address: Address
    model: str
    dimensions: int | None
    max_tokens: int

    name: ClassVar[str]
    path: ClassVar[str]
    most_texts: ClassVar[int]
    most_tokens: ClassVar[int]
    read_timeout: ClassVar[float]

    @property
    @abstractmethod
    def stays_here(self) -> bool:
        """Whether texts do not leave this machine."""

    @property
    def native_dimension(self) -> int | None:
        """Length of the model's own vectors, where it is known without asking."""
        return None

    @property
    def prefixes(self) -> tuple[str, str]:
        """What the model wants in front of a query and of a document."""
        return "", ""

    def headers(self) -> Mapping[str, str]:
        """Return the headers of a request, made anew for each.

        Raises
        ------
        ProviderError
            The key is missing.
        """
        return {}

    @abstractmethod
    def body(self, texts: Sequence[str], /) -> Mapping[str, Any]:
        """Return the body of a request."""

    @abstractmethod
    def listed(self, raw: Any, /) -> list[Any]:
        """Return the raw vectors of an answer in the order of the texts.

        Raises
        ------
        LookupError, TypeError
            It has not the form that the protocol prescribes.
        """

    @abstractmethod
    def refusal(self, answer: Answer, /) -> ProviderError:
        """Return the error for an answer that is no success."""

    def is_final(self, answer: Answer, /) -> bool:
        """Whether asking again cannot change an answer that looks passing."""
        return self.too_long(answer)

    def too_long(self, answer: Answer, /) -> bool:
        """Whether the request was refused for the length of its texts."""
        return answer.status in {400, 413, 422, 500} and bool(
            answer.status == 413 or _TOO_LONG.search(answer.reason)
        )

    def read(self, answer: Answer, count: int, /) -> list[Any]:
        """Return the raw vectors of an answer, *count* of them, in the order of the texts.

        Raises
        ------
        TooLong
            The texts have to be shorter.
        ProviderError
            The request was refused, or the answer has another form.
        """
        if answer.status != 200:
            if self.too_long(answer):
                raise TooLong
            raise self.refusal(answer)
        try:
            found = self.listed(answer.json())
        except (ValueError, LookupError, TypeError) as error:
            raise ProviderError(
                f"The answer of {self.name} at {self.address} cannot be read: it is not what its "
                "protocol prescribes.",
                hint="Check that the address is that of the service and not of a web page before "
                "it, such as a sign-in.",
            ) from error
        if len(found) != count:
            raise ProviderError(
                f"{self.name} at {self.address} sent {len(found)} vectors for {count} texts.",
                hint="Nothing of it was stored. This is a fault of the service; update or "
                "restart it.",
            )
        return found

    def unclear(self, answer: Answer, /) -> ProviderError:
        """Return the error for a refusal that no protocol explains."""
        said = f": {answer.reason}" if answer.reason else "."
        moved = 300 <= answer.status < 400
        hint = (
            "It points to another address; set that one. Nothing was sent there."
            if moved
            else "Check the provider's settings in config.toml and the environment."
        )
        return ProviderError(
            f"{self.name} at {self.address} refused the request ({answer.status}){said}", hint=hint
        )
