"""OpenAI's embeddings, and compatible services.

``POST /embeddings`` with at most 2,048 non-empty texts and 300,000 tokens (OpenAI's API reference,
"Create embeddings"). Vectors are base64 of float32, a third of the size of text.

The key comes from ``OPENAI_API_KEY`` at each request and is never stored.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from casetrack.base.errors import ProviderError
from casetrack.models.providers.transport import Address, Answer, Service

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.config import ProviderSettings

ENV_KEY = "OPENAI_API_KEY"
ENV_URL = "OPENAI_BASE_URL"
DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "text-embedding-3-small"
_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_MAX_TOKENS = 8191
_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class OpenAI(Service):
    """A model behind the API of OpenAI."""

    name: ClassVar[str] = "openai"
    path: ClassVar[str] = "/embeddings"
    most_texts: ClassVar[int] = 64
    most_tokens: ClassVar[int] = 100_000
    read_timeout: ClassVar[float] = 60.0

    @classmethod
    def of(cls, settings: ProviderSettings, /) -> OpenAI:
        """Return the configured service; raise ``UsageError`` for an invalid address."""
        url, source = os.environ.get(ENV_URL, "").strip(), ENV_URL
        if not url:
            url = settings.url or DEFAULT_URL
            source = "base_url of [providers.openai] in config.toml"
        return cls(
            address=Address.parse(url, source),
            model=settings.model or DEFAULT_MODEL,
            dimensions=settings.dimensions,
            max_tokens=settings.max_tokens or _MAX_TOKENS,
        )

    @property
    def stays_here(self) -> bool:
        """Whether the address is on this machine."""
        return self.address.is_loopback

    @property
    def native_dimension(self) -> int | None:
        """Known for OpenAI's own models."""
        return _DIMENSIONS.get(self.model)

    def headers(self) -> Mapping[str, str]:
        """Return the authorisation; raise ``ProviderError`` for a missing or malformed key."""
        key = os.environ.get(ENV_KEY, "").strip()
        if not key:
            if str(self.address) != DEFAULT_URL:
                return {}
            raise ProviderError(
                f"openai needs a key, and {ENV_KEY} is not set.",
                hint=f"Set the environment variable {ENV_KEY} for this program (in the settings "
                "of the client that starts it, if one does). It is not read from any file.",
            )
        # http.client would quote a header that it refuses, key and all.
        if not _KEY.fullmatch(key):
            raise ProviderError(
                f"{ENV_KEY} is not a valid key: it contains spaces or invalid characters.",
                hint="Set it without quotation marks and line breaks.",
            )
        return {"Authorization": f"Bearer {key}"}

    def body(self, texts: Sequence[str], /) -> Mapping[str, Any]:
        """Return the body of a request."""
        body = {"model": self.model, "input": list(texts), "encoding_format": "base64"}
        return body if self.dimensions is None else {**body, "dimensions": self.dimensions}

    def listed(self, raw: Any, /) -> list[Any]:
        """Return the raw vectors in the order of their ``index``."""
        places = {entry["index"]: entry["embedding"] for entry in raw["data"]}
        if len(places) != len(raw["data"]):
            raise LookupError("an index comes twice")
        return [places[index] for index in range(len(places))]

    def is_final(self, answer: Answer, /) -> bool:
        """Return whether retrying is useless; an exhausted quota also has status 429."""
        return self._quota_spent(answer) or Service.is_final(self, answer)

    @staticmethod
    def _quota_spent(answer: Answer) -> bool:
        return "insufficient_quota" in {answer.error.get("code"), answer.error.get("type")}

    def refusal(self, answer: Answer, /) -> ProviderError:
        """Return the error without the server's text about the key."""
        at = f"openai at {self.address}"
        if answer.status == 401:
            message = f"{at} does not accept the key in {ENV_KEY}."
            hint = f"Set {ENV_KEY} to a valid key. Nothing was stored."
        elif answer.status == 403:
            message = f"{at} does not let this key use the model {self.model!r}."
            hint = "Ask the owner of the account for access, or use another key."
        elif answer.status == 404:
            message = f"{at} has no model {self.model!r}, or the key has no access to it."
            hint = (
                "Correct model in [providers.openai] of config.toml, or the address "
                f"(base_url, {ENV_URL}); it usually ends in /v1."
            )
        elif self._quota_spent(answer):
            message = f"The quota of the account at {at} is used up."
            hint = "Check the account's plan and billing; finished work is kept."
        else:
            return self.unclear(answer)
        return ProviderError(message, hint=hint)
