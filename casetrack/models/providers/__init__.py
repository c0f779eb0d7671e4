"""Vectors from a service: ``openai`` and ``ollama``, as profiles of a collection.

**What leaves this machine.** With ``openai`` the text of every document and of every search of
the collection is sent to the service. With ``ollama`` nothing leaves, as long as its server runs on
this machine and the model is not one of Ollama's cloud models; with a server elsewhere the same
texts are sent there. Nothing else in CaseTrack sends any text anywhere, and neither provider is
ever used unless a collection was created with its profile: a key in the environment, or settings
in ``config.toml``, choose nothing.

Services give dense vectors only: no sparse vectors, and no token matrices for reranking.
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
"""One line to show where a collection is created with a provider whose texts leave the machine."""


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
    """Return the encoder of a provider; nothing is sent yet.

    Parameters
    ----------
    name
        One of :data:`PROVIDERS`.
    settings
        Hold address, model and dimensions.
    chosen_as
        Profile that was chosen for the collection. A provider that texts leave the machine for
        refuses to work unless it is this one.
    dimension
        Length of the vectors that the collection already holds, or ``None``.
    timeouts, backoff
        Limits of a request, and what happens after a failure; by default the provider's.

    Raises
    ------
    UsageError
        There is no such provider, its address is none, or it was not chosen.
    ProviderError
        Its model is known to make vectors of another length than *dimension*.
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
    own = getattr(settings.providers, name).timeout_seconds or service.read_timeout
    return ServiceEncoder(
        service,
        timeouts=timeouts or transport.Timeouts(read=own),
        backoff=backoff or transport.Backoff(),
        dimension=dimension,
    )


def notice(name: str, settings: Settings, /) -> str | None:
    """Return the line to show at a collection's creation; ``None`` where no text leaves.

    Any profile may be asked about; those of embedded models send nothing.
    """
    if name not in PROVIDERS:
        return None
    service = _service(name, settings)
    return None if service.stays_here else NOTICE.format(host=_destination(service))


def describe(name: str, settings: Settings, /) -> str:
    """Return what a provider is and where texts go, in two sentences.

    Raises
    ------
    UsageError
        There is no such provider, or its address is none.
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
