"""Cases of :mod:`portability.test_windows` for a folder that behaves as one of Windows.

Run on it: ``python -m portability.refusals FOLDER CASE`` prints ``done``, or the name of the error.
"""

from __future__ import annotations

import mmap
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path


def _file(home: Path, name: str, text: str = "text") -> Path:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text, encoding="utf-8")
    return home / name


def remove_open(home: Path) -> None:
    with _file(home, "a").open("rb"):
        (home / "a").unlink()


def remove_closed(home: Path) -> None:
    _file(home, "a").unlink()


def move_open(home: Path) -> None:
    with _file(home, "a").open("rb"):
        (home / "a").rename(home / "b")


def replace_mapped(home: Path) -> None:
    with _file(home, "a").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        _file(home, "b").replace(home / "a")
    finally:
        mapped.close()


def replace_unmapped(home: Path) -> None:
    replace = _file(home, "b").replace
    with _file(home, "a").open("rb") as file:
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ).close()
    replace(home / "a")


def move_folder_in_use(home: Path) -> None:
    with _file(home, "folder/below/a").open("rb"):
        (home / "folder").rename(home / "other")


def move_folder(home: Path) -> None:
    _file(home, "folder/below/a")
    (home / "folder").rename(home / "other")


def replace_folder(home: Path) -> None:
    (home / "a").mkdir()
    (home / "b").mkdir()
    (home / "a").rename(home / "b")


def remove_read_only(home: Path) -> None:
    _file(home, "a").chmod(0o444)
    (home / "a").unlink()


def name_of_a_device(home: Path) -> None:
    _file(home, "Con.txt")


def name_like_a_device(home: Path) -> None:
    _file(home, "Console.txt")
    _file(home, "COM0")


def name_with_a_colon(home: Path) -> None:
    _file(home, "10:30.txt")


def name_with_a_dot_at_its_end(home: Path) -> None:
    (home / "etc.").mkdir()


def long_path(home: Path) -> None:
    _file(home, f"{'x' * 120}/{'y' * 120}")


def path_just_not_too_long(home: Path) -> None:
    left = 259 - 60 - len(f"{home.name}//")  # the folder above counts as 60
    _file(home, f"{'x' * 70}/{'y' * (left - 70)}")


def other_letters(home: Path) -> None:
    _file(home, "Über/Straße.TXT")
    assert (home / "über" / "straße.txt").read_text(encoding="utf-8") == "text"
    _file(home, "ÜBER/straße.txt", "other")
    assert [path.name for path in home.rglob("*")] == ["Über", "Straße.TXT"]


def other_letters_are_one_file(home: Path) -> None:
    _file(home, "a.txt")
    with (home / "A.TXT").open("x"):
        pass


def rename_to_other_letters(home: Path) -> None:
    _file(home, "a.txt").rename(home / "A.txt")
    assert [path.name for path in home.iterdir()] == ["A.txt"]


def removed_by_another_process_while_open(home: Path) -> None:
    with _file(home, "a").open("rb"):
        child = os.fork()
        if not child:
            try:
                (home / "a").unlink()
            except PermissionError:
                os._exit(13)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 13


def a_tree_is_removed(home: Path) -> None:
    _file(home, "tree/a/b/c")
    shutil.rmtree(home / "tree")
    assert not (home / "tree").exists()


CASES: dict[Callable[[Path], None], str] = {
    remove_open: "PermissionError",
    remove_closed: "done",
    move_open: "PermissionError",
    replace_mapped: "PermissionError",
    replace_unmapped: "done",
    move_folder_in_use: "PermissionError",
    move_folder: "done",
    replace_folder: "PermissionError",
    remove_read_only: "PermissionError",
    name_of_a_device: "OSError",
    name_like_a_device: "done",
    name_with_a_colon: "OSError",
    name_with_a_dot_at_its_end: "OSError",
    long_path: "FileNotFoundError",
    path_just_not_too_long: "done",
    other_letters: "done",
    other_letters_are_one_file: "FileExistsError",
    rename_to_other_letters: "done",
    removed_by_another_process_while_open: "done",
    a_tree_is_removed: "done",
}


def main() -> None:
    """Print the result of each case."""
    for case in CASES:
        home = Path(sys.argv[1], case.__name__)
        home.mkdir()
        try:
            case(home)
        except OSError as error:
            print(case.__name__, type(error).__name__)
        else:
            print(case.__name__, "done")


if __name__ == "__main__":
    main()
