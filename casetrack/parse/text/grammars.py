"""Finds functions and classes by the language's grammar, with tree-sitter where it is installed.

``pip install 'casetrack[code]'`` brings the grammars: a library and one small package per language,
each loaded when the first file of its language is read.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTS = WordLists(__file__)

_PACKAGES = _LISTS.groups("packages")
_DEFINITIONS = frozenset(_LISTS.words("definitions"))
_HOLDERS = {
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
    "pair": ("key", "value"),
    "public_field_definition": ("name", "value"),
    "variable_declarator": ("name", "value"),
}
"""What gives its name to a function without one, and where both stand."""
_FUNCTIONS = frozenset(("arrow_function", "class", "function_expression", "generator_function"))
_AROUND = frozenset(
    """
    ambient_declaration decorated_definition export_statement expression_statement
    lexical_declaration template_declaration type_declaration variable_declaration
    """.split()
)
"""What a definition stands in that begins with it."""


def parsed(text: str, language: str, /) -> list[tuple[str, int, int]] | None:
    """Return the name, first and last line (from 0) of every function, class and the like.

    ``None`` where there is no grammar of the language, or it does not fit the installed library.
    """
    parser = _parser(language)
    if parser is None:
        return None
    return list(_definitions(parser.parse(text.encode()).root_node))


@functools.cache
def _parser(language: str) -> Any:
    if language not in _PACKAGES:
        return None
    package, function = _PACKAGES[language]
    try:
        import tree_sitter

        grammar = importlib.import_module(package)
        return tree_sitter.Parser(tree_sitter.Language(getattr(grammar, function)()))
    except (ImportError, AttributeError, ValueError):
        # Not installed, or of another age than the library: the layout tells as well.
        return None


def _definitions(root: Any) -> Iterator[tuple[str, int, int]]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.named_children)
        name = _name(node)
        if name is None:
            continue
        outer = node
        while outer.parent is not None and outer.parent.type in _AROUND:
            outer = outer.parent
        yield name, outer.start_point[0], node.end_point[0]


def _name(node: Any) -> str | None:
    found = None
    if node.type in _HOLDERS:
        name, value = _HOLDERS[node.type]
        inside = node.child_by_field_name(value)
        if inside is not None and inside.type in _FUNCTIONS:
            found = node.child_by_field_name(name)
    elif node.type in _DEFINITIONS:
        found = node.child_by_field_name("name") or node.child_by_field_name("type")
        if node.type == "function_definition" and node.child_by_field_name("name") is None:
            found = _declared(node)
    return None if found is None else found.text.decode(errors="replace")


def _declared(node: Any) -> Any:
    """Return the name that a function of C stands under, below pointers and parameters."""
    inside = node.child_by_field_name("declarator")
    while inside is not None:
        below = inside.child_by_field_name("declarator")
        if below is None:
            return inside
        inside = below
    return None
