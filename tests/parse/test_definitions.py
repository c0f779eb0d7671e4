"""Functions and classes in source code: the path of each line, with and without a grammar."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.parse import detect
from casetrack.parse.text import code
from casetrack.parse.text.code import STRUCTURED, outline_of
from sections import sections

SAMPLES = sections(Path(__file__).with_name("definitions.txt"))
PYTHON, JAVASCRIPT = SAMPLES["Python"], SAMPLES["JavaScript"]
CASES = [
    (
        "Python",
        {1: "", 3: "Tree", 8: "Tree", 10: "Tree > grow", 15: "Tree > grow > inner"}
        | {18: "Tree > grow", 21: "Tree > rest", 24: "", 26: "plant_all"},
    ),
    (
        "JavaScript",
        {2: "", 5: "Tree.prototype.grow", 10: "Tree.prototype.grow", 13: "Wood"}
        | {15: "Wood > constructor", 21: "Wood > fell", 24: "Wood", 26: "rest", 29: ""},
    ),
    ("Go", {1: "Tree", 3: "Tree", 6: "", 8: "Grow", 12: "Grow"}),
    ("Rust", {1: "Tree", 3: "Tree", 5: "", 7: "{impl} > fmt", 12: "{impl}", 15: "plant"}),
    ("Java", {1: "Tree", 3: "Tree", 5: "Tree > grow", 10: "Tree"}),
    ("C", {2: "tree", 5: "", 8: "grow", 11: "grow", 16: "grow", 17: "grow"}),
    ("Ruby", {1: "Wood", 3: "Wood > Tree > grow", 5: "Wood > Tree > grow", 8: "Wood > Tree"}),
    ("PHP", {1: "", 3: "Tree", 4: "Tree > grow", 7: "Tree > grow"}),
    ("TypeScript", {2: "Growing", 5: "Tree", 7: "Tree > grow"}),
]


@pytest.fixture(params=["grammar", "layout"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Find definitions by the grammar, or, as without the extra, by where lines begin."""
    if request.param == "layout":
        monkeypatch.setattr(code, "parsed", lambda *_: None)
    return str(request.param)


@pytest.mark.parametrize(("language", "expected"), CASES, ids=[c[0] for c in CASES])
def test_lines_are_in_definitions(way: str, language: str, expected: dict[int, str]) -> None:
    assert way == "layout" or code.parsed("", language) is not None
    paths = outline_of(SAMPLES[language].split("\n"), language).paths
    # A grammar returns the implementing type, the layout also the interface.
    implemented = "Tree" if way == "grammar" else "fmt::Display for Tree"
    by_name = {number: " > ".join(paths[number - 1]) for number in expected}
    assert by_name == {n: path.format(impl=implemented) for n, path in expected.items()}


def test_the_rules_hold_for_languages_without_a_grammar() -> None:
    julia = "x = 1\n\nfunction grow(by)\n  if by\n    rest()\n  end\n  return by\nend\n"
    paths = outline_of(julia.split("\n"), "Julia").paths
    assert [len(p) for p in paths] == [0, 0, 1, 1, 1, 1, 1, 1, 0]
    assert code.parsed("", "Julia") is None


@pytest.mark.parametrize(
    "language", ["Kotlin", "Lua", "Scala", "Shell", "SQL", "Swift", "TOML", "YAML"]
)
def test_each_grammar_names_what_a_text_defines(language: str) -> None:
    """Lines that define something end with a comment of its full name."""
    lines = SAMPLES[language].split("\n")
    expected = {n: line.rsplit("> ", 1)[1].split() for n, line in enumerate(lines) if "> " in line}
    assert outline_of(lines, language).symbols == expected


def test_short_definitions_are_lines_among_others(way: str) -> None:
    assert outline_of("def f(): pass\ndef g():\n    pass\n".split("\n"), "Python").paths == [()] * 4


@pytest.mark.parametrize("language", ["CSS", "Makefile", "no language"])
def test_other_texts_have_no_definitions(language: str) -> None:
    assert not any(outline_of(PYTHON.split("\n"), language).paths)


def test_what_programs_wrote_is_left_alone() -> None:
    assert not any(outline_of(["function f () {", "x" * 3000, "y", "}"], "JavaScript").paths)
    assert not any(outline_of(["def f():", *["    x = 1"] * 150_000], "Python").paths)


@given(
    st.lists(
        st.text(st.sampled_from("ab (){}[];:=,>\t#@/*'\"\\"), max_size=12)
        | st.sampled_from(["def f(", "class A {", "  end", "}", "function g() {", "impl X {"]),
        max_size=30,
    ),
    st.sampled_from(sorted(STRUCTURED)),
)
def test_any_text_has_one_path_a_line(lines: list[str], language: str) -> None:
    paths = outline_of(lines, language).paths
    assert len(paths) == len(lines)


def test_broken_code_is_read_too(way: str) -> None:
    broken = PYTHON.replace("):\n        def inner", ":\n   def inner").split("\n")
    assert len(outline_of(broken, "Python").paths) == len(broken)
    assert outline_of(broken, "Python").paths[25] == ("plant_all",)


def test_an_extra_that_does_not_fit_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> object:
        raise ImportError

    code._parser.cache_clear()
    monkeypatch.setattr(code.importlib, "import_module", refuse)
    try:
        assert code.parsed(PYTHON, "Python") is None
        assert outline_of(PYTHON.split("\n"), "Python").paths[20] == ("Tree", "rest")
    finally:
        code._parser.cache_clear()


def test_paragraphs_say_what_they_stand_in(tmp_path: Path, way: str) -> None:
    path = tmp_path / "a.js"
    path.write_text(JAVASCRIPT)
    (page,) = detect(path).read(path).pages
    messages = [
        (page.text[p.start : p.end].split("\n")[0].strip(), p.header) for p in page.paragraphs
    ]
    assert messages == [
        ("'use strict'", None),
        ("/**", "Tree.prototype.grow"),
        ("class Wood extends Tree {", "Wood > constructor"),
        ("async fell (one) {", "Wood > fell"),
        ("}", "Wood"),
        ("const rest = async (long) => {", "rest"),
        ("module.exports = { Wood }", None),
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("Go", "func (t *Tree) Grow() {\n\tvar by = 1\n}\n\nconst Max = 9\n", "Tree.Grow Max"),
        (
            "Java",
            "class Tree {\n  int MAX = 9;\n  void grow() {\n    int by;\n  }\n}",
            "Tree Tree.MAX Tree.grow",
        ),
        # A test of JavaScript is a call with functions: it defines nothing.
        ("JavaScript", "it('b', () => {\n  const app = new App()\n})\n", ""),
        (
            "C",
            "struct tree *root;\n#define MAX 9\nstruct wood {\n  struct tree *all;\n};\n",
            "MAX wood",
        ),
        ("Rust", "impl Wood {\n  pub fn fell() {}\n}\nmod saw;\n", "Wood.fell"),
    ],
)
def test_symbols_are_what_a_file_defines(language: str, text: str, expected: str) -> None:
    symbols = outline_of(text.split("\n"), language).symbols
    assert [name for names in symbols.values() for name in names] == expected.split()
