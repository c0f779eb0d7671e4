"""Messages to an AI program on the Free tier, and a key that is added while the server runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from casetrack.api.library import Library
from casetrack.base.errors import UPGRADE_URL
from casetrack.base.license.manage import LicenseManager

if TYPE_CHECKING:
    from casetrack.base.config import Settings
    from tests.conftest import Signer


def test_a_server_sees_the_tier_of_the_moment(
    settings: Settings, signer: Signer, free_tier: None
) -> None:
    from mcp.client import Client

    from casetrack.faces.mcp.server import build_server

    library = Library(settings)
    for name in "ABC":
        library.create(name)

    async def main() -> None:
        async with Client(build_server(library)) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                return await client.call_tool(tool, arguments)

            refused = await call("find_entity", collection="A", entity="Anna")
            fourth = await call("create_collection", name="D")
            for answer in (refused, fourth):
                assert answer.is_error
                assert UPGRADE_URL in answer.content[0].text
            status = (await call("get_status")).structured_content
            assert (status["tier"], status["license_notes"]) == ("free", [])

            LicenseManager(settings).activate(signer.key())  # as another process would
            assert (await call("get_status")).structured_content["tier"] == "pro"
            assert not (await call("create_collection", name="D")).is_error
            assert not (await call("get_entity_graph", collection="A")).is_error

            LicenseManager(settings).deactivate()
            assert (await call("get_status")).structured_content["tier"] == "free"

    anyio.run(main)
