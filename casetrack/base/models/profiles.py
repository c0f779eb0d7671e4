"""The profiles: which models make a collection's vectors, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.base.errors import UsageError
from casetrack.base.models.catalog import find_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.models.spec import ModelSpec

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
    languages
        Languages that its models were trained in, as ISO 639-1 codes; empty: any.
    scripts
        Scripts in which they still find more than the words alone do; empty: any. Measured with
        ``mini`` on XQuAD, nDCG@10 of words alone and of all signals together: English .965, .984;
        German .930, .940; Russian .872, .599; Chinese .963, .752. Half of the models' signals are
        no better there: with the dense vector alone beside the words Russian .852, Chinese .970
        (of .875 and .978 by words, 300 questions).
    """

    name: str
    purpose: str
    dense: str = ""
    sparse: str = ""
    tokens: str = ""
    provider: Provider = ""
    languages: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()

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
        languages=("en",),
        scripts=("Latin",),
    ),
    Profile(
        "standard",
        "three models trained for search in English",
        dense="bge-small",
        sparse="splade",
        tokens="colbert-small",
        languages=("en",),
        scripts=("Latin",),
    ),
    Profile(
        "legal",
        "large models, the dense one trained on legislation, judgments and contracts",
        dense="legal-bert",
        sparse="splade",
        tokens="colbertv2",
        languages=("en",),
        scripts=("Latin",),
    ),
    Profile(
        "mini-sparse",
        "mini, and beside it learned weights of words that may be used commercially",
        dense="mini",
        sparse="splade-tiny",
        tokens="mini",
        languages=("en",),
        scripts=("Latin",),
    ),
    Profile(
        "multilingual",
        "reads some 100 languages; a question may be in another than the text",
        dense="multilingual",
        tokens="multilingual",
    ),
    Profile(
        "multilingual-full",
        "the same with the weights as they were published, four times as large",
        dense="multilingual-full",
        tokens="multilingual-full",
    ),
    Profile(
        "openai", "dense vectors from OpenAI's service; texts leave this machine", provider="openai"
    ),
    Profile("ollama", "dense vectors from an Ollama server", provider="ollama"),
)


def reads_script(profile: str, script: str, /) -> bool:
    """Say whether the models of a profile read what is written in a script.

    Of a profile that is not known here, such as a later version's, it is taken that they do.
    """
    found = next((p for p in PROFILES if p.name == profile), None)
    return found is None or not found.scripts or script in found.scripts


def was_made_for(profile: str, language: str, /) -> bool:
    """Say whether the models of a profile were made for a language, by its ISO 639-1 code.

    Of a profile that is not known here it is taken that they were.
    """
    found = next((p for p in PROFILES if p.name == profile), None)
    return found is None or not found.languages or language in found.languages


def profile_for_script(script: str, /) -> str | None:
    """Return the first profile that runs on this machine and reads a script, if there is one."""
    return next((p.name for p in PROFILES if p.dense and reads_script(p.name, script)), None)


def profile_for_languages(counts: Mapping[str, int], /, *, usual: str) -> str:
    """Return the profile that fits documents of some languages.

    Parameters
    ----------
    counts
        How many documents there are of each language, by ISO 639-1 code.
    usual
        The profile that is taken where a quarter or less is in languages that it was not made for.
        A profile that reads more costs more time, and finds no less in English.
    """
    known = find_profile(usual).languages
    others = sum(count for language, count in counts.items() if known and language not in known)
    if others * 4 <= sum(counts.values()):
        return usual
    return next((p.name for p in PROFILES if p.dense and not p.languages), usual)


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
