"""Read source code, markup and settings: blank lines and definitions separate paragraphs.

Lines keep their indent and their number in the file, even if a long file has several pages. Each
paragraph has the names of its enclosing functions and classes; titles of reStructuredText are
headings.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from casetrack.base.errors import ParseFailed
from casetrack.base.words import WordLists
from casetrack.extract.language import LANGUAGES, PROSE
from casetrack.parse import base
from casetrack.parse.detect import SOURCE_CODE
from casetrack.parse.encoding import NotText, TextFormat, decode
from casetrack.parse.page_builder import PageBuilder, SourceLine

# Finds functions and classes in source code: by a grammar if one is installed, otherwise by
# indentation. A definition needs only a name and lines. In formatted code it extends over the lines
# that are indented further than its first line, and ends with a bracket or an ``end`` directly
# below them. This works without a grammar, for code that does not compile, and for all languages
# with brackets or indentation.

# Finds functions and classes by the language's grammar, with tree-sitter if it is installed. ``pip
# install 'casetrack[code]'`` installs the grammars: a library and one small package per language,
# each loaded when the first file of its language is read.

_LISTS = WordLists(__file__)

_PACKAGES = _LISTS.groups("packages")
_DEFINITIONS = frozenset(_LISTS.words("definitions"))
_VALUES = frozenset(_LISTS.words("values"))
_SCOPES = frozenset(_LISTS.words("scopes"))
_FUNCTION = re.compile(
    "func|method|constructor|destructor|closure|lambda|_block$|block_sequence|init_decl|inline_table"
)
"""Nodes whose variables are their own."""
_IDENTIFIER = re.compile(
    "(?:.*_)?(?:identifier|key|name)|constant|flow_node|pattern|variable_(?:declaration|list)"
)
_NAMES = frozenset(
    """
    bare_key dotted_key identifier object_reference quoted_key type_identifier variable_declaration
    variable_list
    """.split()
)
"""Nodes that are names without being a field."""
_WORD = re.compile(r"\w+")
_HOLDERS = {
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
    "pair": ("key", "value"),
    "public_field_definition": ("name", "value"),
    "variable_declarator": ("name", "value"),
}
"""Fields of nodes with the name and the value of an anonymous function."""
_FUNCTIONS = frozenset(("arrow_function", "class", "function_expression", "generator_function"))
_AROUND = frozenset(
    """
    ambient_declaration decorated_definition export_statement expression_statement
    lexical_declaration template_declaration type_declaration variable_declaration
    """.split()
)
"""Nodes that enclose a definition and begin with it."""


class Definition(NamedTuple):
    """A function, class or other definition: its name, first and last line from 0."""

    name: str
    first: int
    last: int
    # Whether it may enclose others, and whether its name is defined here.
    encloses: bool = True
    is_symbol: bool = True
    owner: str | None = None  # The type of a method that is outside of its type


def parsed(text: str, language: str, /) -> list[Definition] | None:
    """Return every definition, ``None`` without a grammar."""
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
        # Not installed, or incompatible with the library: indentation is sufficient.
        return None


def _definitions(root: Any) -> Iterator[Definition]:
    waiting = [(root, False)]
    while waiting:
        node, is_local = waiting.pop()
        name = _name(node)
        inside = is_local or _FUNCTION.search(node.type) is not None
        waiting += ((child, inside) for child in reversed(node.named_children))
        value = None if is_local or name else _value(node)
        if (named := name or value) is None or (is_local and node.type == "property_declaration"):
            continue
        outer = node
        while outer.parent is not None and outer.parent.type in _AROUND:
            outer = outer.parent
        # ``struct tree *root`` only uses the name.
        is_use = node.type.endswith("_specifier") and node.child_by_field_name("body") is None
        is_symbol = not is_use and node.type not in _SCOPES
        # A table of TOML ends where the next one begins.
        first, last = outer.start_point[0], node.end_point[0] - (not node.end_point[1])
        yield Definition(named, first, last, value is None, is_symbol, _receiver(node))


def _receiver(node: Any) -> str | None:
    receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
    return receiver and _WORD.findall(receiver.text.decode(errors="replace"))[-1]


def _value(node: Any) -> str | None:
    """Return the name of a constant, a type or another value."""
    if node.type not in _VALUES:
        return None
    fields = map(node.child_by_field_name, ("name", "left", "declarator", "pattern"))
    named = next(filter(None, fields), None) or _unmarked(node)
    if named is None or not _IDENTIFIER.fullmatch(named.type):
        return None
    return str(named.text.decode(errors="replace"))


def _unmarked(node: Any) -> Any:
    """Return the name of a node of a grammar that does not mark it as a field."""
    if key := node.child_by_field_name("key"):
        return key if node.type == "block_mapping_pair" else None
    parts = (n for n in node.named_children if not n.type.startswith(("keyword_", "modifiers")))
    first = next(parts, None)
    return first if first is not None and first.type in _NAMES else None


def _name(node: Any) -> str | None:
    named = None
    if node.type in _HOLDERS:
        name, value = _HOLDERS[node.type]
        inside = node.child_by_field_name(value)
        if inside is not None and inside.type in _FUNCTIONS:
            named = node.child_by_field_name(name)
    elif node.type in _DEFINITIONS:
        named = node.child_by_field_name("name") or node.child_by_field_name("type")
        value = node.child_by_field_name("value")
        if node.type == "function_definition" and node.child_by_field_name("name") is None:
            named = _declared(node)
        elif named is None and (value is None or value.type == "block_node"):
            named = _unmarked(node)
    return None if named is None else named.text.decode(errors="replace")


def _declared(node: Any) -> Any:
    """Return the name of a C function, below pointers and parameters of its declarator."""
    inside = node.child_by_field_name("declarator")
    while inside is not None:
        below = inside.child_by_field_name("declarator")
        if below is None:
            return inside
        inside = below
    return None


MOST_CHARS = 1_000_000
"""Longer files are generated by programs."""
_LONGEST_LINE = 2_000
LEAST_LINES = 3
"""Shorter definitions count as normal lines."""
_DEEPEST = 6
_NAME_CHARS = 80
_MODIFIERS = (
    "export default public private protected internal static abstract final sealed async partial "
    "unsafe extern const inline virtual override open data declare suspend local inner case "
    "implicit lazy mut fileprivate"
)
_KEYWORDS = (
    "class interface struct enum trait impl mod module namespace object record union protocol "
    "extension function fn func fun def defp defmodule defmacro sub proc package macro_rules! type"
)
_NAMED = re.compile(
    rf"\s*(?:(?:{'|'.join(_MODIFIERS.split())}|pub(?:\([^)]*\))?)\s+)*"
    rf"(?:{'|'.join(_KEYWORDS.split())})\*?(?:\s*<[^>]*>)?\s+(?:\([^)]*\)\s*)?"
    r"(?P<name>[\w$.:!?]+)"
)
"""``class Name``, ``export async function name``, ``func (r *Receiver) Name``."""
_IMPL = re.compile(r"\s*(?:unsafe\s+)?impl(?:<.*?>)?\s+(?P<name>[^{]+?)\s*(?:where\b.*)?\{?\s*$")
_ASSIGNED = re.compile(
    r"\s*(?:(?:export|const|let|var|static|public|private|readonly)\s+)*(?P<name>[\w$.#\[\]'\"]+)"
    r"(?:\s*:[^=]+)?\s*[=:]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>|class\b)"
)
"""``name = function``, ``const name = (x) =>``, ``name: function``."""
_CALLED = re.compile(r"\s*(?:[\w$<>,.:*&\[\]?@~]+\s+)*?[*&]*(?P<name>[\w$:~#]+)\s*\([^;]*$")
"""``static int name(int x``; an opening bracket must follow."""
_NO_NAMES = frozenset(
    "if for while switch catch return else do try with using lock foreach unless elif when match "
    "assert sizeof new delete throw await yield require and or not in is constructor_ fixed".split()
)
_BY_INDENT = frozenset({"Python", "Nim", "F#", "Haskell", "Elm"})
_OF_WORDS = frozenset({"Ruby", "Lua", "Elixir", "Julia", "Shell", "Perl", "R", "Tcl", "PowerShell"})
_OF_BRACES = frozenset(
    "C,C#,C++,Dart,Go,Groovy,Java,JavaScript,Kotlin,Objective-C,PHP,Rust,Scala,Solidity,Swift,"
    "TypeScript,Zig,D".split(",")
)
STRUCTURED = _BY_INDENT | _OF_WORDS | _OF_BRACES
"""Languages in which definitions are detected."""
_CLOSERS = (")", "]", "}", "{")
_ABOVE = ("@", "#", "//", "/*", "*", "--", "[", ";;", '"""')
_LOOK_AHEAD = 12


class Outline(NamedTuple):
    """The definitions in a text.

    Attributes
    ----------
    paths
        For each line the names of the enclosing definitions, outermost first.
    symbols
        Names that a line (from 0) defines, with those of the enclosing definitions.
    """

    paths: list[tuple[str, ...]]
    symbols: dict[int, list[str]]


def outline_of(lines: Sequence[str], language: str, /) -> Outline:
    """Return the definitions of source code; empty for other texts."""
    paths: list[tuple[str, ...]] = [()] * len(lines)
    symbols: dict[int, list[str]] = {}
    long = sum(map(len, lines)) > MOST_CHARS or any(len(n) > _LONGEST_LINE for n in lines)
    known = None if long else parsed("\n".join(lines), language)
    if long or (known is None and language not in STRUCTURED):
        return Outline(paths, symbols)
    definitions = list(_by_layout(lines, language)) if known is None else known
    around: list[tuple[int, str]] = []
    for each in sorted(definitions, key=lambda d: (d.first, -d.last)):
        start = each.first
        name = " ".join(each.name.split())[:_NAME_CHARS]
        while around and around[-1][0] < start:
            around.pop()
        if each.is_symbol:
            own = filter(None, (*(outer for _, outer in around), each.owner, name))
            symbols.setdefault(start, []).append(".".join(own))
        if each.encloses:
            around.append((each.last, name))
        first = _with_comments(lines, start)
        is_short = each.last - first + 1 < LEAST_LINES
        if is_short or not each.encloses or len(paths[start]) >= _DEEPEST:
            continue
        path = (*paths[start], name)
        for number in range(first, each.last + 1):
            paths[number] = path
    return Outline(paths, symbols)


def _by_layout(lines: Sequence[str], language: str) -> Iterator[Definition]:
    for number, line in enumerate(lines):
        if name := _name_of(lines, number, line, language):
            yield Definition(name, number, _last_line(lines, number, language))


def _name_of(lines: Sequence[str], number: int, line: str, language: str) -> str | None:
    stripped = line.lstrip()
    if not stripped or stripped.startswith(("#", "//", "*", "/*", "--", "'", '"')):
        return None
    if language == "Rust" and (match := _IMPL.match(line)):
        return match["name"]
    if match := _NAMED.match(line):
        opens = language not in _OF_BRACES or _opens(lines, number)
        return match["name"].rstrip(":") if opens and match["name"] not in _NO_NAMES else None
    if language not in _OF_BRACES:
        return None
    if match := _ASSIGNED.match(line):
        return match["name"] if _opens(lines, number) else None
    match = _CALLED.match(line)
    if match is None or match["name"] in _NO_NAMES or stripped.startswith(("return", "new ", "}")):
        return None
    return match["name"] if _opens(lines, number, only=True) else None


def _opens(lines: Sequence[str], number: int, *, only: bool = False) -> bool:
    """Return whether a bracket opens at the end of a line or of its continuation."""
    for line in lines[number : number + _LOOK_AHEAD]:
        text = line.split("//")[0].rstrip()
        if text.endswith("{"):
            # "call(function () {" opens another one.
            return not only or ("=>" not in text and "function" not in text)
        if text.endswith((";", "}")) or not text:
            return False
    return False


def _last_line(lines: Sequence[str], first: int, language: str) -> int:
    indent, last = _indent(lines[first]), first
    for number in range(first + 1, len(lines)):
        line = lines[number].strip()
        if not line:
            continue
        if _indent(lines[number]) > indent:
            last = number
        elif line.startswith("}") or line.split()[0].rstrip(");,") == "end":
            return number
        elif line.startswith(_CLOSERS):
            last = number
        elif language in _OF_BRACES and (line.startswith("#") or line.endswith(":")):
            continue  # Directives and labels are at the margin at any depth.
        else:
            break
    return last


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _with_comments(lines: Sequence[str], first: int) -> int:
    """Return the first line of the comments and decorators directly above a line."""
    indent, above = _indent(lines[first]), first
    while above > 0:
        line = lines[above - 1]
        if not line.strip().startswith(_ABOVE) or abs(_indent(line) - indent) > 1:
            break
        above -= 1
    return above


# Titles of reStructuredText: a line with a line of signs below it, and perhaps one above it.

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
"""Any sign but letters and digits (Docutils, "Sections"); one or two do not underline a title."""


class Titles:
    """The titles of a text; the order of first use of its underlines defines their levels."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._levels: dict[int, int] = {}
        styles: list[tuple[str, bool]] = []
        for at in range(1, len(lines)):
            title, below = lines[at - 1].rstrip(), _RULE.fullmatch(lines[at])
            if below is None or not title.strip() or _RULE.fullmatch(title):
                continue
            over = _RULE.fullmatch(lines[at - 2]) if at > 1 else None
            is_over = over is not None and over[1] == below[1]
            # Without an overline, a title is at the margin after an empty line, and its underline
            # is as long as the title.
            alone = at == 1 or not lines[at - 2].strip()
            if not is_over and (not alone or title[0].isspace()):
                continue
            if len(lines[at].rstrip()) < len(title.strip()):
                continue
            style = below[1], is_over
            if style not in styles:
                styles.append(style)
            level = styles.index(style) + 1
            self._levels |= dict.fromkeys(range(at - is_over, at + 2), level)

    def level(self, number: int, /) -> int | None:
        """Return the level of the title on a line (from 1), or ``None``."""
        return self._levels.get(number)


PAGE_LINES = 10_000
"""Lines on a page, unless a paragraph continues."""
_PAGE_CHARS = 2_000_000
_SEARCHED = 1024
# PEP 263, and the notation of editors for other languages.
_CODING = re.compile(rb"(?:en)?coding[:=][ \t]*([-\w.]+)")
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']")
_CHARSET = re.compile(rb"@charset \"([-\w.]+)\"")
_OBJECTIVE_C = re.compile(
    r"^\s*(?:#import|#include|@interface|@implementation|@end)\b", re.MULTILINE
)


class CodeReader(TextFormat):
    """Source code and other machine-readable text."""

    name = SOURCE_CODE
    extensions: tuple[str, ...] = tuple(LANGUAGES)

    def read(self, path: Path, options: base.ReadOptions = base.DEFAULT_OPTIONS, /) -> base.Reading:
        """Decode the file; see :class:`casetrack.parse.base.Reader`."""
        data = path.read_bytes()
        try:
            decoded = decode(data, declared=_code_declared(data))
        except NotText as error:
            raise ParseFailed(path, self.name, str(error)) from error
        del data
        text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
        language = _language(path, text)
        lines = text.split("\n")
        parts = _parts(lines)
        info = base.DocumentInfo("code", len(parts), properties=(("language", language),))
        warnings = [decoded.warning] if decoded.warning else []
        if path.suffix.lower() in PROSE:
            titles = Titles(lines) if language == "reStructuredText" else None
            return base.Reading(info, _prose(parts, titles), warnings)
        return base.Reading(info, _pages(parts, outline_of(lines, language)), warnings)


def _code_declared(data: bytes) -> str | None:
    match = _XML.match(data[:_SEARCHED]) or _CHARSET.match(data[:_SEARCHED])
    if match is None:
        match = _CODING.search(b"\n".join(data[:_SEARCHED].splitlines()[:2]))
    return match[1].decode("ascii", "ignore") if match else None


def _language(path: Path, text: str) -> str:
    language = LANGUAGES[path.suffix.lower()]
    if path.suffix.lower() == ".m" and _OBJECTIVE_C.search(text[: 64 * _SEARCHED]):
        return "Objective-C"
    return language


def _parts(lines: list[str]) -> list[list[SourceLine]]:
    """Divide lines into pages, at blank lines if possible."""
    parts: list[list[SourceLine]] = [[]]
    length = 0
    for number, line in enumerate(lines, start=1):
        part = parts[-1]
        is_full = len(part) >= PAGE_LINES or length >= _PAGE_CHARS
        if is_full and (
            not line.strip() or len(part) >= 2 * PAGE_LINES or length >= 2 * _PAGE_CHARS
        ):
            parts.append([])
            length = 0
        parts[-1].append(SourceLine(line, number))
        length += len(line)
    return [part for part in parts if any(line.text.strip() for line in part)] or [[]]


def _pages(parts: list[list[SourceLine]], outline: Outline) -> Iterator[base.Page]:
    for number, part in enumerate(parts, start=1):
        builder = PageBuilder(number, keep_indent=True)
        add_code(builder, part, outline)
        yield builder.build()


def add_code(builder: PageBuilder, part: list[SourceLine], outline: Outline, /) -> None:
    """Add numbered lines of source code to a page; *outline* is that of the whole text."""
    for block in _blocks(part, outline.paths):
        # Within a paragraph, depth only increases: the last line has the complete path.
        inside = outline.paths[_number(block[-1]) - 1]
        names = (outline.symbols.get(_number(line) - 1, ()) for line in block)
        builder.paragraph(
            block,
            kind="code",
            header=base.WITHIN.join(inside) or None,
            symbols=tuple(itertools.chain(*names)),
        )


def _blocks(part: list[SourceLine], paths: list[tuple[str, ...]]) -> Iterator[list[SourceLine]]:
    """Divide lines into blocks at blank lines and at ends of definitions."""
    block: list[SourceLine] = []
    above: tuple[str, ...] = ()
    for line in part:
        path = paths[_number(line) - 1]
        if block and (not line.text.strip() or path[: len(above)] != above):
            yield block
            block = []
        if line.text.strip():
            block.append(line)
        above = path
    if block:
        yield block


def _prose(parts: list[list[SourceLine]], titles: Titles | None) -> Iterator[base.Page]:
    def look(line: SourceLine) -> tuple[bool, int | None]:
        return bool(line.text.strip()), titles.level(_number(line)) if titles else None

    for number, part in enumerate(parts, start=1):
        builder = PageBuilder(number, keep_indent=True)
        for (has_text, level), block in itertools.groupby(part, look):
            if has_text:
                builder.paragraph(block, kind="heading" if level else "body", level=level)
        yield builder.build()


def _number(line: SourceLine) -> int:
    """Return the line number, which every line of a file has."""
    return line.number or 1
