"""Vectors from a service: ``openai`` and ``ollama``, as profiles of a collection.

``openai`` sends the text of every document and search of the collection to the service. ``ollama``
sends it to its server, which may be on this machine, and to Ollama's service for cloud models. No
other part of CaseTrack sends text, and only the profile of a collection selects a provider, never a
key in the environment or settings in ``config.toml``.

Services have dense vectors only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from casetrack.base.config import Settings
    from casetrack.models.providers.encoder import ServiceEncoder
    from casetrack.models.providers.transport import Backoff, Service, Timeouts

PROVIDERS = ("openai", "ollama")
"""Profiles whose vectors a service makes."""

NOTICE = (
    "Notice: the text of every document and every search in this collection is sent to {host} "
    "and leaves this machine."
)
"""Notice at the creation of a collection whose texts leave the machine."""


def make(
    name: str,
    settings: Settings,
    /,
    *,
    chosen_as: str | None = None,
    dimension: int | None = None,
    timeouts: Timeouts | None = None,
    backoff: Backoff | None = None,
) -> ServiceEncoder:
    """Return the encoder of a provider; sends no request.

    Parameters
    ----------
    chosen_as
        Profile of the collection; a provider outside this machine requires its own name here.
    dimension
        Length of the collection's vectors, or ``None``.
    timeouts, backoff
        Limits and retries of requests; by default the provider's.

    Raises ``UsageError``: the provider or its address is invalid, or it was not chosen;
    ``ProviderError``: its model has vectors of another length.
    """
    from casetrack.models.providers import transport
    from casetrack.models.providers.encoder import ServiceEncoder

    service = _service(name, settings)
    if chosen_as != name and not (name == "ollama" and service.stays_here):
        raise UsageError(
            f"The provider {name} sends texts to {service.address}, and it was not chosen for "
            "this collection.",
            hint=f"Nothing was sent. Create a collection with the profile {name} if its texts "
            "may go there.",
        )
    own = getattr(settings.providers, name)
    retries = {} if own.max_retries is None else {"tries": own.max_retries + 1}
    return ServiceEncoder(
        service,
        timeouts=timeouts or transport.Timeouts(read=own.timeout_seconds or service.read_timeout),
        backoff=backoff or transport.Backoff(**retries),
        most_texts=own.batch_size,
        dimension=dimension,
    )


def notice(name: str, settings: Settings, /) -> str | None:
    """Return the notice for a profile at a collection's creation; ``None`` for local profiles."""
    if name not in PROVIDERS:
        return None
    service = _service(name, settings)
    return None if service.stays_here else NOTICE.format(host=_destination(service))


def describe(name: str, settings: Settings, /) -> str:
    """Return two sentences about a provider and the destination of texts.

    Raises ``UsageError``: the provider or its address is invalid.
    """
    service = _service(name, settings)
    what = f"{name}: vectors by the model {service.model} at {service.address}."
    if service.stays_here:
        return f"{what} That is on this machine; no text leaves it."
    clear = " The connection is not encrypted." if service.address.scheme == "http" else ""
    return (
        f"{what} The text of every document and every search in the collection is sent to "
        f"{_destination(service)} and leaves this machine.{clear}"
    )


def _destination(service: Service) -> str:
    return "ollama.com" if service.address.is_loopback else service.address.authority


def _service(name: str, settings: Settings) -> Service:
    if name == "openai":
        from casetrack.models.providers.openai import OpenAI

        return OpenAI.of(settings.providers.openai)
    if name == "ollama":
        from casetrack.models.providers.ollama import Ollama

        return Ollama.of(settings.providers.ollama)
    raise UsageError(
        f"Unknown provider {name!r}.", hint=f"Known providers: {', '.join(PROVIDERS)}."
    )
