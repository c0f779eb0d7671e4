"""The formats of clients' settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.faces.setup import json_entry
from casetrack.faces.setup.jsonc import scan
from casetrack.faces.setup.texts import nested
from casetrack.faces.setup.toml_entry import TomlText
from casetrack.faces.setup.yaml_entry import YamlText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.faces.setup.texts import Format


class JsonText:
    """JSON, with comments and trailing commas."""

    name = "JSON"
    begins = ""

    def put(self, text: str, path: Sequence[str], value: Any, /) -> str:
        """Return *text* with *value* at *path*; objects on the way are made."""
        return json_entry.put(text, path, value)

    def drop(self, text: str, path: Sequence[str], /) -> str:
        """Return *text* without what stands at *path*."""
        return json_entry.drop(text, path)

    def value_at(self, text: str, path: Sequence[str], /) -> Any:
        """Return the value at *path*."""
        return json_entry.value_at(text, path)

    def is_extended(self, text: str, /) -> bool:
        """Return whether the text has comments or trailing commas."""
        return scan(text).extended

    def shown(self, path: Sequence[str], value: Any, /) -> str:
        """Return a text that holds nothing but *value* at *path*."""
        import json

        return json.dumps(nested(path, value), indent=2, ensure_ascii=False) + "\n"


JSON: Format = JsonText()
TOML: Format = TomlText()
YAML: Format = YamlText()
CONTINUE: Format = YamlText(listed=True, begins="name: My settings\nversion: 1.0.0\nschema: v1\n")
"""YAML with a list of servers, and the three keys that Continue asks of every file."""
