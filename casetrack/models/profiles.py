"""The profiles: which models make a collection's vectors, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.errors import UsageError
from casetrack.models.catalog import find_model

if TYPE_CHECKING:
    from casetrack.models.spec import ModelSpec

Provider = Literal["", "openai", "ollama"]


@dataclass(frozen=True, slots=True)
class Profile:
    """Which models make the outputs of a collection.

    Attributes
    ----------
    name
        What a collection and the command line call it.
    purpose
        One line for a person who chooses.
    dense
        Model of the dense vector; empty where a provider makes it.
    sparse
        Model of the learned term weights, or empty.
    tokens
        Model of the token matrices, or empty. The same as *dense* means that they come from the
        same pass.
    provider
        Service outside this program that makes the dense vectors, or empty.
    """

    name: str
    purpose: str
    dense: str = ""
    sparse: str = ""
    tokens: str = ""
    provider: Provider = ""

    @property
    def model_names(self) -> tuple[str, ...]:
        """Names of its models in this program, each once; empty for a provider's."""
        named = (self.dense, self.sparse, self.tokens)
        return tuple(dict.fromkeys(name for name in named if name))

    @property
    def models(self) -> tuple[ModelSpec, ...]:
        """Records of its models; empty for a provider's."""
        return tuple(find_model(name) for name in self.model_names)

    @property
    def dimension(self) -> int | None:
        """Length of the dense vector; ``None`` where the provider's model decides."""
        return find_model(self.dense).dimension if self.dense else None

    @property
    def token_width(self) -> int | None:
        """Length of a token's state; ``None`` without token matrices."""
        return find_model(self.tokens).dimension if self.tokens else None


PROFILES: tuple[Profile, ...] = (
    Profile(
        "mini",
        "small and quick: one pass gives the dense vector and the token matrix",
        dense="mini",
        tokens="mini",
    ),
    Profile(
        "standard",
        "three models trained for search in English",
        dense="bge-small",
        sparse="splade",
        tokens="colbert-small",
    ),
    Profile(
        "legal",
        "large models, the dense one trained on legislation, judgments and contracts",
        dense="legal-bert",
        sparse="splade",
        tokens="colbertv2",
    ),
    Profile(
        "openai", "dense vectors from OpenAI's service; texts leave this machine", provider="openai"
    ),
    Profile("ollama", "dense vectors from an Ollama server", provider="ollama"),
)


def find_profile(name: str, /) -> Profile:
    """Return the profile *name*.

    Raises
    ------
    UsageError
        There is no such profile; the text lists the known ones.
    """
    for profile in PROFILES:
        if profile.name == name:
            return profile
    known = ", ".join(profile.name for profile in PROFILES)
    raise UsageError(f"Unknown profile {name!r}; known: {known}.", hint="Choose one of the known.")
