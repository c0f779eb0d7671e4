"""The same questions over the vectors of several profiles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.api.evaluate import in_profile, measure, open_beir, open_golden
from casetrack.base.errors import ModelNotFound, UsageError
from casetrack.faces.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library

ROW = {"question": "rent of the tenant", "answers": [{"document": "lease.txt", "text": "1,250"}]}


@pytest.mark.slow
def test_a_collection_is_copied_and_gets_the_vectors(
    library_with_model: Library, tmp_path: Path, lines_file: Callable[..., Path]
) -> None:
    library = library_with_model
    (tmp_path / "lease.txt").write_text("The tenant pays a rent of 1,250 a month.")
    words = library.create("Words", profile="multilingual")  # whose models are not there
    words.ingest([tmp_path / "lease.txt"])
    assert in_profile(words, "multilingual", library) is words
    copy = in_profile(words, "mini", library)
    assert copy.info.profile == "mini"
    assert copy.folder.is_relative_to(library.settings.data_dir / "eval")
    golden = lines_file(tmp_path / "golden.jsonl", [ROW])
    run = measure(open_golden(golden, copy), mode="semantic")
    assert (run.profile, run.means["hit@1"]) == ("mini", 1.0)
    assert words.info.profile == "multilingual"
    again = in_profile(words, "mini", library)
    assert again.folder == copy.folder  # the documents are the same
    (tmp_path / "more.txt").write_text("The landlord mends the roof.")
    words.ingest([tmp_path / "more.txt"])
    assert in_profile(words, "mini", library).folder != copy.folder


def test_profiles_that_cannot_be_used(library: Library, folder: Path) -> None:
    with pytest.raises(ModelNotFound, match="multilingual"):
        open_beir(folder, library, profile="multilingual")
    with pytest.raises(UsageError, match="profile"):
        open_beir(folder, library, profile="gigantic")
    with pytest.raises(ModelNotFound, match="multilingual"):
        in_profile(library.create("Bare"), "multilingual", library)
    assert not (library.settings.data_dir / "eval" / "collections").exists()


def test_the_command_names_the_profile_of_each_row(
    library_with_model: Library,
    tmp_path: Path,
    lines_file: Callable[..., Path],
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "lease.txt").write_text("The tenant pays a rent of 1,250 a month.")
    library_with_model.create("Words", profile="standard").ingest([tmp_path / "lease.txt"])
    golden = lines_file(tmp_path / "golden.jsonl", [ROW])
    home = f"--data-dir={library_with_model.settings.data_dir}"
    asked = ["eval", "--golden", str(golden), "-c", "Words", home, "--modes", "keyword"]
    assert main([*asked, "--profiles", "standard,mini", "--json"]) == 0
    data = json.loads(capfd.readouterr().out)
    assert [run["profile"] for run in data["runs"]] == ["standard", "mini"]
    assert {run["dataset"] for run in data["runs"]} == {"Words: golden.jsonl"}
    for wrong in ("", "gigantic"):
        assert main([*asked, "--profiles", wrong]) == 2
        assert (wrong or "--profiles") in capfd.readouterr().err
    assert main([*asked[:-2], "--ablate", "--profiles", "mini,standard"]) == 2
    assert "--ablate" in capfd.readouterr().err


@pytest.mark.slow
def test_advice_measures_what_is_installed_and_names_the_rest(
    library_with_model: Library,
    tmp_path: Path,
    lines_file: Callable[..., Path],
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "lease.txt").write_text("The tenant pays a rent of 1,250 a month.")
    words = library_with_model.create("Words", profile="standard")  # whose models are not there
    words.ingest([tmp_path / "lease.txt"])
    golden = lines_file(tmp_path / "golden.jsonl", [ROW])
    home = f"--data-dir={library_with_model.settings.data_dir}"
    asked = ["models", "advise", "-c", "Words", home, "--json"]
    assert main(asked) == 2  # no passage is marked with a note
    assert "--golden" in capfd.readouterr().err
    assert main([*asked, "--golden", str(golden)]) == 0
    by_name = {each["profile"]: each for each in json.loads(capfd.readouterr().out)}
    assert [name for name, each in by_name.items() if each["measured"]] == ["standard", "mini"]
    mini, absent = by_name["mini"], by_name["mini-rerank"]
    assert [gain["measure"] for gain in mini["gains"]] == ["ndcg@10", "hit@1"]
    assert all(mini[cost] > 0 for cost in ("search_ms", "passage_ms", "bytes"))
    assert ("ms-marco-minilm" in absent["reason"], absent["means"]) == (True, {})
    (chunk,) = words.read.chunks("lease.txt")
    words.marks.star(chunk, note="What does the tenant owe?")
    assert main([*asked[:-1], "--profiles", "mini"]) == 0
    shown = capfd.readouterr().out
    assert "your profile" in shown
    assert "bge" not in shown
