"""Models of an Ollama server.

``POST /api/embed`` with a list of texts and ``truncate: false``, because the server would otherwise
drop the end of a long text silently.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from casetrack.base.errors import ProviderError
from casetrack.models.providers.transport import Address, Answer, Service

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.config import ProviderSettings

ENV_HOST = "OLLAMA_HOST"
DEFAULT_HOST = "http://127.0.0.1:11434"
DEFAULT_MODEL = "nomic-embed-text"
_PORT = 11434
_MAX_TOKENS = 2048
_NO_EMBEDDINGS = "not support embedding"
_NOMIC = "nomic-embed-text"


@dataclass(frozen=True, slots=True)
class Ollama(Service):
    """A model of an Ollama server."""

    name: ClassVar[str] = "ollama"
    path: ClassVar[str] = "/api/embed"
    most_texts: ClassVar[int] = 16
    most_tokens: ClassVar[int] = 16_000
    read_timeout: ClassVar[float] = 300.0

    @classmethod
    def of(cls, settings: ProviderSettings, /) -> Ollama:
        """Return the configured service; raise ``UsageError`` for an invalid address."""
        url, source = os.environ.get(ENV_HOST, "").strip("\"' "), ENV_HOST
        if not url:
            url = settings.url or DEFAULT_HOST
            source = "host of [providers.ollama] in config.toml"
        model = settings.model or DEFAULT_MODEL
        return cls(
            address=Address.parse(url, source, bare_port=_PORT),
            model=model.removesuffix(":latest"),
            dimensions=settings.dimensions,
            max_tokens=settings.max_tokens or _MAX_TOKENS,
        )

    @property
    def stays_here(self) -> bool:
        """Whether texts stay here: not with a server elsewhere or a cloud model."""
        return self.address.is_loopback and not self.is_cloud

    @property
    def is_cloud(self) -> bool:
        """Whether the model runs at Ollama's own service: its tag is ``cloud`` or ``...-cloud``."""
        tag = self.model.rpartition(":")[2].lower()
        return tag == "cloud" or tag.endswith("-cloud")

    @property
    def native_dimension(self) -> int | None:
        """Known for the default model."""
        return 768 if self._is_nomic else None

    @property
    def prefixes(self) -> tuple[str, str]:
        """Nomic's models require a task prefix for every text (model card)."""
        return ("search_query: ", "search_document: ") if self._is_nomic else ("", "")

    @property
    def _is_nomic(self) -> bool:
        return self.model.partition(":")[0].rpartition("/")[2] == _NOMIC

    def body(self, texts: Sequence[str], /) -> Mapping[str, Any]:
        """Return the body of a request."""
        body = {"model": self.model, "input": list(texts), "truncate": False}
        return body if self.dimensions is None else {**body, "dimensions": self.dimensions}

    def listed(self, raw: Any, /) -> list[Any]:
        """Return the raw vectors in the order of the texts."""
        vectors = raw["embeddings"]
        if not isinstance(vectors, list):
            raise TypeError("embeddings is no list")
        return vectors

    def is_final(self, answer: Answer, /) -> bool:
        """Return whether retrying is useless; some versions have a server error for a bad model."""
        return _NO_EMBEDDINGS in answer.reason or Service.is_final(self, answer)

    def refusal(self, answer: Answer, /) -> ProviderError:
        """Return the error."""
        at = f"Ollama at {self.address}"
        if answer.status == 404 and answer.reason:
            message = f"{at} has no model {self.model!r}."
            hint = f"Fetch it once with `ollama pull {self.model}`."
        elif answer.status == 404:
            message = f"{at} does not know {self.path}."
            hint = "Update Ollama, and check that the address is that of Ollama."
        elif _NO_EMBEDDINGS in answer.reason:
            message = f"The model {self.model!r} of {at} makes no vectors of texts."
            hint = f"Choose an embedding model, such as {DEFAULT_MODEL}."
        else:
            return self.unclear(answer)
        return ProviderError(message, hint=hint)
