"""The profiles: sets of models for a collection's vectors, described in ``profiles.toml``."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import UsageError
from casetrack.base.models.catalog import find_model
from casetrack.base.models.spec import ModelSpec

Provider = Literal["", "openai", "ollama"]


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of models for the vectors of a collection."""

    name: str
    purpose: str  # one line for the user
    dense: str = ""  # model of the dense vector; empty if a provider computes it
    sparse: str = ""  # model of the learned term weights, or empty
    # Model of the token matrices, or empty. If it equals *dense*, one pass computes both.
    tokens: str = ""
    rerank: str = ""  # model that reads the best passages together with the question, or empty
    provider: Provider = ""  # external service for the dense vectors, or empty
    languages: tuple[str, ...] = ()  # training languages as ISO 639-1 codes; empty means any
    # Scripts in which the models improve on keywords; empty means any. Measured with `mini` on
    # XQuAD, nDCG@10 of keywords and of all signals: English .965, .984; German .930, .940; Russian
    # .872, .599; Chinese .963, .752. Keywords with the dense vector only: Russian .852, Chinese
    # .970 (keywords .875 and .978, 300 questions).
    scripts: tuple[str, ...] = ()

    @property
    def model_names(self) -> tuple[str, ...]:
        """Names of its models in this program, each once; empty for a provider's."""
        named = (self.dense, self.sparse, self.tokens, self.rerank)
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


def _profile(name: str, **table: Any) -> Profile:
    table |= {key: tuple(table.get(key, ())) for key in ("languages", "scripts")}
    return Profile(name, **table)


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PROFILES = tuple(_profile(name, **table) for name, table in _TABLES.items())
PROFILE_NAMES = tuple(profile.name for profile in PROFILES)


@functools.cache
def vectors_of(profile: str, /) -> str:
    """Return the first profile with the same vectors: one with a reranker has those of another."""
    known = {p.name: (p.dense, p.sparse, p.tokens) for p in PROFILES if p.dense}
    return next((name for name in known if known[name] == known.get(profile)), profile)


@functools.cache
def supports_script(profile: str, script: str, /) -> bool:
    """Return whether a profile's models can read a script; true for unknown profiles."""
    known = next((p for p in PROFILES if p.name == profile), None)
    return known is None or not known.scripts or script in known.scripts


@functools.cache
def supports_language(profile: str, language: str, /) -> bool:
    """Return whether a profile's models were trained in a language (ISO 639-1); true if unknown."""
    known = next((p for p in PROFILES if p.name == profile), None)
    return known is None or not known.languages or language in known.languages


def profile_for_script(script: str, /) -> str | None:
    """Return the first local profile that reads a script, or ``None``."""
    return next((p.name for p in PROFILES if p.dense and supports_script(p.name, script)), None)


def profile_for_languages(counts: Mapping[str, int], /, *, usual: str) -> str:
    """Return the profile for documents with these *counts* per language (ISO 639-1).

    It is *usual* unless more than a quarter are in languages outside its training. Multilingual
    profiles take more time and are not better in English.
    """
    known = find_profile(usual).languages
    others = sum(count for language, count in counts.items() if known and language not in known)
    if others * 4 <= sum(counts.values()):
        return usual
    return next((p.name for p in PROFILES if p.dense and not p.languages), usual)


def find_profile(name: str, /) -> Profile:
    """Return the profile *name*.

    Raises ``UsageError``: the profile is unknown; the text lists the known ones.
    """
    for profile in PROFILES:
        if profile.name == name:
            return profile
    known = ", ".join(profile.name for profile in PROFILES)
    raise UsageError(f"Unknown profile {name!r}; known: {known}.", hint="Choose one of the known.")
