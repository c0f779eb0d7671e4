"""What an AI program is told on the Free tier, and when a key comes in while the server runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from casetrack.library import Library
from casetrack.license.manage import LicenseManager

if TYPE_CHECKING:
    import pytest

    from casetrack.config import Settings
    from tests.conftest import Signer

PRO_TOOLS = {
    "find_entity": {"entity": "Anna"},
    "search_entity_relationships": {"entities": ["Anna", "Ben"]},
    "get_entity_graph": {},
    "compare_documents": {"document_a": "a", "document_b": "b", "topic": "rent"},
    "find_document_clusters": {},
}


def test_a_server_sees_the_tier_of_the_moment(
    settings: Settings, signer: Signer, free_tier: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcp.client import Client

    from casetrack.mcp.server import build_server

    library = Library(settings)
    for name in "ABC":
        library.create(name)

    async def main() -> None:
        async with Client(build_server(library)) as client:

            async def call(tool: str, **arguments: Any) -> Any:
                return await client.call_tool(tool, arguments)

            listed = {tool.name for tool in (await client.list_tools()).tools}
            assert set(PRO_TOOLS) <= listed
            for tool, arguments in PRO_TOOLS.items():
                refused = await call(tool, collection="A", **arguments)
                assert refused.is_error
                assert refused.content[0].text.startswith("Free tier does not include ")
                assert " It can " in refused.content[0].text
            fourth = await call("create_collection", name="D")
            assert fourth.is_error
            assert fourth.content[0].text == (
                "Free tier allows 3 collections (you have 3). Delete a collection or upgrade to "
                "Pro for unlimited collections: https://casetrack.dev/upgrade"
            )
            status = (await call("get_status")).structured_content
            assert (status["tier"], status["license_notes"]) == ("free", [])

            LicenseManager(settings).activate(signer.key())  # as another process would
            assert (await call("get_status")).structured_content["tier"] == "pro"
            assert not (await call("create_collection", name="D")).is_error
            assert not (await call("get_entity_graph", collection="A")).is_error

            LicenseManager(settings).deactivate()
            monkeypatch.setenv("CASETRACK_LICENSE", "PRO-OLD")
            shown = await call("get_status")
            assert shown.structured_content["tier"] == "free"
            assert "is not a license key" in shown.structured_content["license_notes"][0]
            assert "is not a license key" in shown.content[0].text

    anyio.run(main)
