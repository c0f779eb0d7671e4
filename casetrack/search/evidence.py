"""Whether what was found answers the question, or the answer is not in these documents.

The best of many passages always looks good beside the others, so its rank tells nothing. What
tells is absolute: the share of the question's words that a passage holds, by their rarity; the
cosine of the two; and how near each token of the question has a token of the passage, by the rarity
of its word. A logistic model joins them. It has one fit for words alone, one with vectors and one
with token matrices, made on open data over collections of 20 to 13,000 passages (see
``tools/training/evidence`` and docs/evaluation.md); a model without a fit is judged by the words.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib import resources
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.search import Evidence
    from casetrack.search.asked_words import AskedWords
    from casetrack.search.candidates import Ranked
    from casetrack.search.missing import Missing

LOOKED_AT = 3
"""How many of the best results are judged together: one may hold the words, another the meaning."""
FEWEST = 3
"""A question with fewer words that carry meaning may be answered in other words."""
JUDGED = 10
"""How many results are judged at least, so that the verdict is the same for any smaller limit."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One fit of the model.

    Attributes
    ----------
    features
        Names of what it looks at, of :func:`features_of`.
    weights
        One per feature, none below zero: more of anything never makes a passage less relevant.
    bias
        What they are added to.
    none_below, strong_from
        The relevance below which there is no evidence, and from which it is strong.
    """

    features: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float
    none_below: float
    strong_from: float

    def relevance(self, features: Mapping[str, NDArray[np.float64]], /) -> NDArray[np.float64]:
        """Return the relevance of passages, 0 to 1, from their features."""
        joined = sum(w * features[n] for n, w in zip(self.features, self.weights, strict=True))
        logit = joined + self.bias
        relevance: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
        return relevance

    def evidence(self, relevance: float, /, *, by_words: float = 0.0) -> Evidence:
        """Return what a relevance means in a word.

        Nothing is *none* where the words alone say otherwise: models read names and terms of a
        trade badly, and words miss what is said in others, but seldom do both miss an answer.
        """
        if relevance < self.none_below and by_words < words_fit().none_below:
            return "none"
        return "strong" if relevance >= self.strong_from else "weak"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is thought of a search.

    Attributes
    ----------
    relevance, evidence
        Of the search: how sure it is that what was searched holds an answer.
    results
        Relevance and evidence of each result.
    """

    relevance: float
    evidence: Evidence
    results: tuple[tuple[float, Evidence], ...]


def judged(
    words: AskedWords,
    ranked: Sequence[Ranked],
    nearest: Sequence[float | None],
    missing: Sequence[Missing],
    /,
    *,
    profile: str | None,
    never_none: bool = False,
) -> Verdict:
    """Judge what a search found.

    Parameters
    ----------
    words
        The question's.
    ranked
        The results, best first. The search is as relevant as the best of them, or as the first
        three together.
    nearest
        For each result the mean nearness of the question's tokens by the rarity of their words,
        ``None`` where its token matrix was not looked at.
    missing
        What the question names and no passage holds.
    profile
        Name of the models that took part; ``None`` for none.
    never_none
        The search is not said to have found nothing: every document has what is asked for, such as
        its title, or the models find what the fit cannot judge.
    """
    if not ranked:
        return Verdict(0.0, "none", ())
    features = features_of(words, ranked, nearest, missing)
    fit = _fit(profile, features)
    each, by_words = fit.relevance(features), words_fit().relevance(features)
    best = {name: values[:LOOKED_AT].max(keepdims=True) for name, values in features.items()}
    whole = max(float(fit.relevance(best)[0]), float(each.max()))
    results = tuple(
        (float(r), fit.evidence(float(r), by_words=float(w)))
        for r, w in zip(each, by_words, strict=True)
    )
    evidence = fit.evidence(whole, by_words=float(by_words.max()))
    lost = any(features[name].any() for name in ("exact", "names"))
    never_none = never_none or (len(words.weights) < FEWEST and not lost)
    return Verdict(whole, "weak" if never_none and evidence == "none" else evidence, results)


def features_of(
    words: AskedWords,
    ranked: Sequence[Ranked],
    nearest: Sequence[float | None],
    missing: Sequence[Missing],
    /,
) -> dict[str, NDArray[np.float64]]:
    """Return what is known of each result, float64 [n] each.

    ``coverage`` and ``few`` always, and ``exact`` and ``names``: 0, or -1 where no passage holds
    something that the question names; what an abbreviation is short for may stand there in full.
    ``cosine`` where vectors took part; ``nearest`` where all of the best three were read token by
    token.
    """
    lost = [m for m in missing if m.meant is None]
    features = {
        "coverage": words.coverage([r.place for r in ranked]),
        "exact": np.full(len(ranked), -float(any(m.is_exact for m in lost))),
        "names": np.full(len(ranked), -float(any(m.is_name for m in lost))),
        "few": few(words.scope.chunk_count, len(ranked)),
    }
    cosines = [r.signals["semantic"].score for r in ranked if "semantic" in r.signals]
    if len(cosines) == len(ranked):
        features["cosine"] = np.array([0.0 if c is None else c for c in cosines])
    if all(value is not None for value in nearest[:LOOKED_AT]):
        # What was not read is thought no nearer than the farthest that was.
        known = [value for value in nearest if value is not None]
        if known:
            low = min(known)
            features["nearest"] = np.array([low if v is None else v for v in nearest])
    return features


def few(passages: int, results: int, /) -> NDArray[np.float64]:
    """Return how few passages were searched, float64 [results], by their order of magnitude.

    Among more passages the best one looks better by chance.
    """
    return np.full(results, -np.log10(max(passages, 1)))


def _fit(profile: str | None, features: dict[str, NDArray[np.float64]]) -> Fit:
    """Return the fit that knows most of these features."""
    fits = fits_of(profile)
    known = [fit for fit in fits if set(fit.features) <= features.keys()]
    return max(known, key=lambda fit: len(fit.features))


def has_fit(profile: str | None, /) -> bool:
    """Return whether what a profile's models find can be judged by more than the words."""
    return len(fits_of(profile)) > len(fits_of(None))


def words_fit() -> Fit:
    """Return the fit of words alone, which takes part in every denial."""
    return fits_of(None)[0]


@functools.cache
def fits_of(profile: str | None, /) -> tuple[Fit, ...]:
    """Return the fits for a profile; for one without its own those of words alone."""
    text = resources.files("casetrack.search").joinpath("evidence.json").read_text("utf-8")
    stored = json.loads(text)["fits"]
    entries = [*stored["words"], *stored.get(profile or "", [])]
    return tuple(
        Fit(**{**entry, "features": tuple(entry["features"]), "weights": tuple(entry["weights"])})
        for entry in entries
    )


def check_relevance(least: object, /) -> None:
    """Refuse what is no relevance.

    Raises
    ------
    UsageError
        It is no number from 0 to 1.
    """
    if least is None:
        return
    if isinstance(least, bool) or not isinstance(least, Real) or not 0 <= float(least) <= 1:
        raise UsageError(
            f"The least relevance is a number from 0 to 1, not {least!r}.",
            hint="Such as min_relevance=0.3.",
        )


def left_out(count: int, least: float | None, /) -> str:
    """Return in words how many results were left out."""
    passages = "1 passage was" if count == 1 else f"{count} passages were"
    return f"{passages} left out, with a relevance below {least or 0.0:g}."
