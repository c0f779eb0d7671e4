"""The tool that says how the server is."""

from typing import Annotated, TypedDict

from mcp.types import CallToolResult

from casetrack import __version__
from casetrack.base.errors import CaseTrackError
from casetrack.faces.mcp import outputs, render
from casetrack.faces.mcp.failures import reason
from casetrack.faces.mcp.results import answer, cut
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.specs import READS, tool

_DAMAGED = 10
_REASON_CHARS = 300


class ProfileStatus(TypedDict):
    """A profile: whether its models' files are there, and whether they are in memory."""

    name: str
    purpose: str
    installed: bool
    loaded: bool
    dimension: int | None
    licences: list[str]


class StatusOutput(TypedDict):
    """The state of the server."""

    version: str
    tier: str
    license_notes: list[str]
    data_dir: str
    models_dir: str
    profiles: list[ProfileStatus]
    active_collection: str | None
    active_collection_id: str | None
    collections: int
    damaged: list[outputs.Damaged]
    damaged_count: int
    storage_bytes: int


class StatusTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Server status",
        READS,
        description="Returns version, license tier, models, storage, active and damaged "
        "collections.",
        sets=("legal",),
    )
    async def get_status(self) -> Annotated[CallToolResult, StatusOutput]:
        """Describe the server."""
        status = await in_thread(self.status)
        return answer(_text(status), status)

    def status(self) -> StatusOutput:
        """Return the state of the server and of the collections that it is about."""
        library, active = self._session.library, self._session.active
        license_status = library.entitlements.status()
        infos = self._session.infos()
        damaged: list[outputs.Damaged] = [
            {"path": str(path), "reason": str(why)} for path, why in library.damaged()
        ]
        stored = 0
        for info in infos:
            try:
                stored += library.stats(info).storage_bytes
            except CaseTrackError as error:
                # A collection that was deleted or broke meanwhile must not hide the status.
                damaged.append({"path": info.name, "reason": reason(error)})
        return {
            "version": __version__,
            "tier": license_status.tier.name,
            "license_notes": list(license_status.notes),
            "data_dir": str(library.settings.data_dir),
            "models_dir": str(library.settings.models_dir),
            "profiles": self._profiles(),
            "active_collection": active.name if active else None,
            "active_collection_id": active.id if active else None,
            "collections": len(infos),
            "damaged": [
                {"path": each["path"], "reason": cut(each["reason"], _REASON_CHARS)}
                for each in damaged[:_DAMAGED]
            ],
            "damaged_count": len(damaged),
            "storage_bytes": stored,
        }

    def _profiles(self) -> list[ProfileStatus]:
        """Return the profiles whose models run on this machine."""
        from casetrack.base.models.profiles import PROFILES

        library = self._session.library
        folder = library.settings.models_dir
        return [
            {
                "name": profile.name,
                "purpose": profile.purpose,
                "installed": all(
                    (folder / spec.name / file.name).is_file()
                    for spec in profile.models
                    for file in spec.files
                ),
                "loaded": profile.name in library.encoders.loaded,
                "dimension": profile.dimension,
                "licences": sorted({spec.licence for spec in profile.models}),
            }
            for profile in PROFILES
            if profile.models
        ]


def _text(status: StatusOutput) -> str:
    unnamed = status["damaged_count"] - len(status["damaged"])
    profiles = [f"{p['name']} ({_state(p)})" for p in status["profiles"]]
    rows = [
        ("Tier", status["tier"].capitalize()),
        *(("License", note) for note in status["license_notes"]),
        ("Profiles", ", ".join(profiles)),
        ("Data folder", status["data_dir"]),
        ("Storage", render.size(status["storage_bytes"])),
        ("Collections", str(status["collections"])),
        ("Active", status["active_collection"] or "none"),
        *(("Damaged", f"{item['path']}: {item['reason']}") for item in status["damaged"]),
        *([("Damaged", f"{unnamed:,} more: see list_collections")] if unnamed else []),
    ]
    return f"CaseTrack {status['version']}\n\n{render.table(rows)}"


def _state(profile: ProfileStatus) -> str:
    if not profile["installed"]:
        return "not installed"
    return "loaded" if profile["loaded"] else "installed, loaded when first used"
