"""What a config may say: each section with its keys, defaults and meanings, said once.

Checking a config, writing one (``ctx init``) and the page of the docs are made of this, and of
:data:`casetrack.keep.sources.KINDS` for the sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import See
from casetrack.keep.sources.kinds import Key, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

PROVIDERS = ("disabled", "local", "openai", "ollama")

_DB = Kind(
    "db",
    "Where the collection lies.",
    (
        Key(
            "path",
            "path",
            ".ctx/data/ctx.sqlite",
            False,
            "The folder of this name without its ending: one folder to copy or to back up.",
        ),
    ),
)
_CHUNKING = Kind(
    "chunking",
    "How texts are cut into passages.",
    (
        Key("max_tokens", "number", 550, False, "Most tokens of a passage, of four characters."),
        Key(
            "overlap_tokens",
            "count",
            None,
            False,
            "Tokens repeated of the passage before; without it a tenth of a passage.",
        ),
    ),
)
_EMBEDDING = Kind(
    "embedding",
    "What makes vectors, for questions by meaning.",
    (
        Key(
            "provider",
            "text",
            "disabled",
            False,
            "disabled: words only; local: a model on this machine; openai or ollama: a service.",
        ),
        Key(
            "model",
            "text",
            None,
            False,
            "The service's name of its model; of local without it, what fits the language.",
        ),
        Key("dims", "number", None, False, "Length of a service's vectors; else it decides."),
        Key("url", "text", None, False, "Address of the service, where it is not the usual one."),
        Key("timeout_secs", "number", 30, False, "Longest silence of a service, in seconds."),
        Key("batch_size", "number", 64, False, "Has no effect: batches are what a service takes."),
        Key("max_retries", "count", 5, False, "Has no effect: a request is tried six times."),
    ),
)
_RETRIEVAL = Kind(
    "retrieval",
    "How answers are ranked.",
    (
        Key("hybrid_alpha", "share", 0.6, False, "Weight of meaning: 0 is words, 1 is meaning."),
        Key("candidate_k_keyword", "number", 80, False, "Passages by words that are ranked."),
        Key("candidate_k_vector", "number", 80, False, "Passages by meaning that are ranked."),
        Key("final_limit", "number", 12, False, "Documents of an answer, at most."),
        Key("max_chunks_per_doc", "number", 3, False, "Passages shown of a document, at most."),
        Key("group_by", "text", "document", False, "Nothing else: an answer lists documents."),
        Key("doc_agg", "text", "max", False, "Nothing else: a document is its best passage."),
    ),
)
_SERVER = Kind(
    "server",
    f"Where {See('ctx serve mcp')} listens.",
    (Key("bind", "text", "127.0.0.1:7331", False, "Address and port of MCP and REST."),),
)

SECTIONS: Mapping[str, Kind] = {
    kind.name: kind for kind in (_DB, _CHUNKING, _EMBEDDING, _RETRIEVAL, _SERVER)
}
"""The sections of settings, in the order in which they are told."""
ONLY: Mapping[str, tuple[str, ...]] = {
    "embedding.provider": PROVIDERS,
    "retrieval.group_by": ("document",),
    "retrieval.doc_agg": ("max",),
}
"""Keys that take one of few words."""
WITHOUT_EFFECT: Mapping[str, str] = {
    "vector_index": "vectors are compared with all others, exactly",
    "tools": "tools in Lua are not run",
    "models": "no language model is run",
    "registries": "nothing is installed; a source of your own is a script",
}
"""Sections of ctx that mean nothing here, and why: they may stand in a file, and are named."""
