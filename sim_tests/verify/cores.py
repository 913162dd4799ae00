"""Generated output folders for the tests of `tilewright verify`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tilewright.generators.config.presets import preset
from tilewright.generators.emit import generate
from tilewright.sim_tests.verify.subject import MANIFEST, Subject, from_folder, generated

SMALL = "ws-4x4-int8"


@cache
def files_of(name: str) -> Mapping[str, str]:
    """The files of a preset."""
    return generate(preset(name).config)


@cache
def subject_of(name: str) -> Subject:
    """The core of a preset."""
    return generated(name, preset(name).config, files_of(name))


def folder_of(name: str, path: Path) -> Path:
    """``path``, filled with the files of a preset."""
    for file, text in files_of(name).items():
        (path / file).parent.mkdir(parents=True, exist_ok=True)
        (path / file).write_text(text)
    return path


def edit(file: Path, old: str, new: str) -> None:
    """Replaces the one place in ``file`` that reads ``old``."""
    text = file.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file.name}"
    file.write_text(text.replace(old, new))


def claim(folder: Path, **parameters: Any) -> None:
    """Makes the manifest in ``folder`` tell other ``parameters`` than the Verilog has."""
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["parameters"] |= parameters
    (folder / MANIFEST).write_text(json.dumps(manifest))


def core_from(folder: Path) -> Subject:
    """The core in a folder."""
    found = from_folder(folder)
    assert isinstance(found, Subject)
    return found
