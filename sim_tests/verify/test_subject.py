"""What a folder is taken for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config
from tilewright.sim_tests.verify.cores import SMALL, claim, edit, files_of, folder_of, subject_of
from tilewright.sim_tests.verify.subject import from_folder, generated


def test_a_folder_is_the_preset_it_was_generated_from(tmp_path: Path) -> None:
    found = from_folder(folder_of(SMALL, tmp_path))
    assert found.edited == ()
    assert found.sources == subject_of(SMALL).sources
    assert found.spec().key() == subject_of(SMALL).spec().key()


def test_an_edited_file_is_taken_as_it_is_and_told(tmp_path: Path) -> None:
    file = folder_of(SMALL, tmp_path) / "tilewright_gemm.v"
    file.write_text(file.read_text() + "// mine\n")
    found = from_folder(tmp_path)
    assert found.edited == ("tilewright_gemm.v",)
    assert found.sources["tilewright_gemm.v"].endswith("// mine\n")


def test_rows_are_compiled_once() -> None:
    assert subject_of(SMALL).spec().vlt == 'no_inline -module "tilewright_gemm_row_4"\n'


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda folder: (folder / "manifest.json").unlink(), "which has no manifest.json"),
        (lambda folder: (folder / "tilewright_gemm.v").unlink(), "which has no tilewright_gemm.v"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "whose manifest.json is of something else"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "whose manifest.json is of something else"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "whose manifest.json is of something else"),
        (
            lambda folder: (folder / "manifest.json").write_text("[" * 100_000),
            "whose manifest.json is of something else",
        ),
        (lambda folder: (folder / "manifest.json").write_text("9" * 5000), "whose manifest.json is of something else"),
        (lambda folder: (folder / "manifest.json").write_bytes(b"\xff"), "whose manifest.json is of something else"),
        (
            lambda folder: os.truncate(folder / "manifest.json", 1 << 40),
            "whose manifest.json cannot be read: it has more than 1,048,576 bytes",
        ),
        (
            lambda folder: pipe(folder / "manifest.json"),
            "whose manifest.json cannot be read: it is a pipe, not an ordinary file",
        ),
        (
            lambda folder: pipe(folder / "tilewright_gemm.v"),
            "whose tilewright_gemm.v cannot be read: it is a pipe, not an ordinary file",
        ),
        (lambda folder: claim(folder, rows=10**400), "whose manifest.json is of something else"),
        (lambda folder: claim(folder, rows=float("nan")), "whose manifest.json is of something else"),
        (lambda folder: claim(folder, rows=0), "whose manifest.json is of something else"),
    ],
)
def test_what_is_no_output_is_refused(tmp_path: Path, spoil: object, reason: str) -> None:
    folder_of(SMALL, tmp_path)
    assert callable(spoil)
    spoil(tmp_path)
    with pytest.raises(ConfigError) as refusal:
        from_folder(tmp_path)
    assert str(refusal.value) == (
        f"DIR must be a folder that tilewright systolic or engine has written, got '{tmp_path}', {reason}; "
        "nearest legal value is the folder given to its -o"
    )


def test_a_byte_order_mark_is_none_of_the_manifest(tmp_path: Path) -> None:
    manifest = folder_of(SMALL, tmp_path) / "manifest.json"
    before = from_folder(tmp_path)
    manifest.write_bytes(b"\xef\xbb\xbf" + manifest.read_bytes())
    assert from_folder(tmp_path) == before


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="which is a file; "):
        from_folder(tmp_path / "file")


def test_a_bare_array_is_refused(tmp_path: Path) -> None:
    sentence = "product must be core to be verified, got 'array'; nearest legal value is core"
    claim(folder_of(SMALL, tmp_path), product="array")
    with pytest.raises(ConfigError, match=sentence):
        from_folder(tmp_path)
    with pytest.raises(ConfigError, match=sentence):
        generated("mine", systolic_config({"product": "array"}), files_of(SMALL))


def test_a_memory_beyond_the_default_limit_is_no_reason_to_refuse(tmp_path: Path) -> None:
    claim(folder_of(SMALL, tmp_path), a_words=65536, c_words=65536, rows=256, cols=256, overflow="wrap")
    assert from_folder(tmp_path).config.scratchpads.bits > 1 << 30


def test_edits_must_hit(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="stands 0 times"):
        edit(folder_of(SMALL, tmp_path) / "README.txt", "no such words", "")
