"""An output folder appears whole or not at all, and never costs anybody a file."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from tilewright.generators.commands.output_folder import MANIFEST, OutputFolder
from tilewright.generators.config.errors import ConfigError

LISTED = {"core.v": "x", "tests/bench.v": "y"}
ENTRIES = {name: {"sha256": hashlib.sha256(text.encode()).hexdigest()} for name, text in LISTED.items()}
FILES = {MANIFEST: json.dumps({"tool": "tilewright", "files": ENTRIES}), **LISTED}


def snapshot(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def refusal(path: Path) -> str:
    before = snapshot(path.parent)
    with pytest.raises(ConfigError) as caught, OutputFolder("-o", path) as folder:
        folder.prepare()
        pytest.fail("work started")
    assert snapshot(path.parent) == before
    (sentence,) = str(caught.value).splitlines()
    return sentence


def test_all_files_arrive_with_ordinary_permissions(tmp_path: Path) -> None:
    target = tmp_path / "new" / "deeper" / "out"
    with OutputFolder("-o", target) as folder:
        folder.prepare()
        assert not target.exists()
        folder.publish(FILES)
    assert snapshot(tmp_path) == {f"new/deeper/out/{name}": text for name, text in FILES.items()}
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o777 & ~umask


def test_an_empty_folder_and_an_earlier_output_are_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    for files in (FILES, {MANIFEST: json.dumps({"tool": "tilewright", "files": {}})}):
        with OutputFolder("-o", target) as folder:
            folder.prepare()
            folder.publish(files)
        assert snapshot(tmp_path) == {f"out/{name}": text for name, text in files.items()}


def test_an_earlier_output_stays_until_the_next_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish(FILES)
    with pytest.raises(KeyboardInterrupt), OutputFolder("-o", target) as folder:
        folder.prepare()
        raise KeyboardInterrupt
    with pytest.raises(UnicodeEncodeError), OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish({"core.v": "z", "bad.v": "\ud800"})
    assert snapshot(tmp_path) == {f"out/{name}": text for name, text in FILES.items()}


def test_an_interrupt_between_the_renames_brings_the_earlier_output_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    with OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish(FILES)
    rename = Path.rename

    def rename_and_interrupt(self: Path, to: Path) -> Path:
        done = rename(self, to)
        if self == target:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(Path, "rename", rename_and_interrupt)
    with pytest.raises(KeyboardInterrupt), OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish({"core.v": "z"})
    assert snapshot(tmp_path) == {f"out/{name}": text for name, text in FILES.items()}


def test_nothing_is_left_when_work_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), OutputFolder("-o", tmp_path / "a" / "b") as folder:
        folder.prepare()
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "core.v"
    file.write_text("mine")
    assert refusal(file) == (
        f"-o must be a folder, got the existing file '{file}'; nearest legal value is '{file}.out'"
    )
    told = refusal(file / "out")
    assert told.startswith(f"-o must be a folder that can be written, got '{file / 'out'}': Not a directory; nearest")


def test_files_of_others_are_never_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish(FILES)
    (target / "tests" / "notes.txt").write_text("mine")
    assert refusal(target) == (
        f"-o must be a new or empty folder or an earlier output, got '{target}', which holds 'tests/notes.txt'; "
        f"nearest legal value is '{target / 'tilewright'}'"
    )


@pytest.mark.parametrize("earlier", [True, False])
@pytest.mark.parametrize("name", ["notes.txt", "core.v", "tests/bench.v"])
def test_what_comes_while_work_is_done_stays(tmp_path: Path, name: str, earlier: bool) -> None:
    target = tmp_path / "out"
    if earlier:
        with OutputFolder("-o", target) as folder:
            folder.prepare()
            folder.publish(FILES)
    with pytest.raises(ConfigError) as caught, OutputFolder("-o", target) as folder:
        folder.prepare()
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text("mine")
        folder.publish(FILES)
    assert f"an earlier output, got '{target}', which holds '" in str(caught.value)
    assert snapshot(tmp_path) == {
        f"out/{place}": text for place, text in ((FILES if earlier else {}) | {name: "mine"}).items()
    }
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_that_comes_while_work_is_done_stays(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with pytest.raises(ConfigError, match="got the existing file"), OutputFolder("-o", target) as folder:
        folder.prepare()
        target.write_text("mine")
        folder.publish(FILES)
    assert snapshot(tmp_path) == {"out": "mine"}


def test_what_is_offered_instead_is_free(tmp_path: Path) -> None:
    target = tmp_path / "out"
    (target / "tilewright").mkdir(parents=True)
    (target / "tilewright" / "__init__.py").write_text("mine")
    assert refusal(target).endswith(f"; nearest legal value is '{target / 'tilewright-2'}'")
    (target / "tilewright-2").symlink_to("nowhere")
    assert refusal(target).endswith(f"; nearest legal value is '{target / 'tilewright-3'}'")
    file = tmp_path / "core.v"
    file.write_text("mine")
    (tmp_path / "core.v.out").write_text("mine")
    assert refusal(file).endswith(f"; nearest legal value is '{file}.out-2'")


def test_the_working_folder_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = r"-o must not be the working folder or a mounted one, got '\.'"
    with pytest.raises(ConfigError, match=told), OutputFolder("-o", Path()):
        pytest.fail("work started")


def test_a_folder_that_cannot_be_written_is_refused_before_work(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        parent = Path("/proc")  # not even root creates a folder there
    else:
        parent = tmp_path / "closed"
        parent.mkdir(mode=0o500)
    with pytest.raises(ConfigError) as caught, OutputFolder("-o", parent / "out") as folder:
        folder.prepare()
        pytest.fail("work started")
    told = str(caught.value)
    assert told.startswith(f"-o must be a folder that can be written, got '{parent / 'out'}': ")
    assert told.endswith("nearest legal value is 'out' in a folder of your own")


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real")
    with OutputFolder("-o", link) as folder:
        folder.prepare()
        folder.publish(FILES)
    assert link.is_symlink()
    assert snapshot(tmp_path / "real") == FILES


def test_what_only_looks_like_an_earlier_output_stays(tmp_path: Path) -> None:
    target = tmp_path / "out"
    others: list[object] = [{"files": ["index.html"]}, {"files": {"index.html": "x"}}]
    others += [{"tool": "other", "files": ENTRIES}, []]
    for manifest in others:
        target.mkdir()
        (target / MANIFEST).write_text(json.dumps(manifest))
        (target / "index.html").write_text("mine")
        assert "which holds" in refusal(target)
        assert (target / "index.html").read_text() == "mine"
        shutil.rmtree(target)


@pytest.mark.parametrize("made", ["link", "link to a folder", "empty folder", "edited"])
def test_what_was_added_to_an_earlier_output_stays(tmp_path: Path, made: str) -> None:
    target, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish(FILES)
    place = target / "mine"
    if made == "empty folder":
        place.mkdir()
    elif made == "edited":
        place = target / "core.v"
        place.write_text("x // mine")
    else:
        place.symlink_to(elsewhere if made == "link to a folder" else elsewhere / "nowhere")
    sentence = refusal(target)
    assert f"which holds '{place.name}'" in sentence
    assert ("changed since it was generated" in sentence) == (made == "edited")
    assert place.is_symlink() or place.exists()


@pytest.mark.parametrize("name", [MANIFEST, "core.v"])
def test_a_pipe_in_an_earlier_output_is_not_waited_for(tmp_path: Path, name: str) -> None:
    target = tmp_path / "out"
    with OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish(FILES)
    (target / name).unlink()
    os.mkfifo(target / name)
    with pytest.raises(ConfigError, match="which holds '"), OutputFolder("-o", target):
        pytest.fail("work started")
    assert (target / name).is_fifo()


@pytest.mark.parametrize(
    "manifest",
    [
        "[" * 100_000,
        json.dumps({"tool": "tilewright", "files": {"core.v": {"sha256": ""}}}),
        json.dumps({"tool": "tilewright", "files": {"core.v": {"sha256": None}}}),
        json.dumps({"tool": "tilewright", "files": {"core.v": 7}}),
        "9" * 5000,
        "\ud800",
    ],
    ids=["deep", "empty hash", "no hash", "number", "digits", "half a character"],
)
def test_an_absurd_manifest_lists_nothing(tmp_path: Path, manifest: str) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / MANIFEST).write_bytes(manifest.encode(errors="surrogatepass"))
    (target / "core.v").write_text("mine")
    assert "which holds '" in refusal_of_bytes(target)
    assert (target / "core.v").read_text() == "mine"


def refusal_of_bytes(path: Path) -> str:
    with pytest.raises(ConfigError) as caught, OutputFolder("-o", path):
        pytest.fail("work started")
    return str(caught.value)


def test_what_the_file_system_refuses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "File name too long" in refusal(tmp_path / ("x" * 300))
    (tmp_path / "loop").symlink_to("loop")
    assert "symbolic links" in refusal(tmp_path / "loop")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    target = tmp_path / "out"
    with pytest.raises(ConfigError, match="No space left"), OutputFolder("-o", target) as folder:
        folder.prepare()
        folder.publish(FILES)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loop"]
