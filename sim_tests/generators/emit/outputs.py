"""Output folders of the designs that tests look at, each generated once."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tilewright.generators.config.presets import preset
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit import generate
from tilewright.generators.emit.cells import MODELS

ARRAYS: dict[str, dict[str, Any]] = {
    f"{flow}-{overflow}": {
        "product": "array", "rows": 3, "cols": 5, "dataflow": flow, "overflow": overflow, "vector": 2, "pipeline": 2,
        "a": "uint4", "b": "int5",
    }
    for flow in ("ws", "os", "is", "any")
    for overflow in ("wrap", "saturate")
}  # fmt: skip
"""Bare arrays, higher and wider than they are high, of unequal signs and widths."""

FLOAT_ARRAYS: dict[str, dict[str, Any]] = {
    "ws-bf16-stepped": {"a": "bf16", "add_latency": 3},
    "os-fp16-stepped": {"a": "fp16", "add_latency": 4, "vector": 2},
    "is-mixed-stepped": {"a": "fp8_e5m2", "b": "bf16", "add_latency": 2, "pipeline": 2},
    "any-mixed": {"a": "fp8_e4m3", "b": "fp8_e5m2", "vector": 2},
    "ws-window": {"a": "fp8_e4m3", "acc": "fx32", "pipeline": 3, "vector": 4},
    "os-window": {"a": "fp16", "b": "bf16", "acc": "fx60"},
    "is-window": {"a": "fp16", "b": "fp8_e5m2", "acc": "fx23", "pipeline": 0},
    "any-window": {"a": "bf16", "acc": "fx48", "pipeline": 2},
}
"""Of floats: adds of several cycles, operands of two formats, and windows."""

for _name, _fields in FLOAT_ARRAYS.items():
    ARRAYS[_name] = {"product": "array", "rows": 3, "cols": 4, "dataflow": _name.split("-")[0], **_fields}


ARRAYS["any-ecp5"] = {**ARRAYS["any-wrap"], "target": "ecp5"}


@cache
def preset_files(name: str) -> Mapping[str, str]:
    """Files of a preset."""
    return generate(preset(name).config)


@cache
def array_files(name: str) -> Mapping[str, str]:
    """Files of one of `ARRAYS`."""
    return generate(systolic_config(ARRAYS[name]))


def models_of(files: Mapping[str, str]) -> dict[str, str]:
    """The models of cells among ``files``."""
    return {name.removeprefix(MODELS): text for name, text in files.items() if name.startswith(MODELS)}


def write(files: Mapping[str, str], folder: Path) -> Path:
    """Writes ``files`` below ``folder``."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def flip(files: Mapping[str, str], name: str, line: int, digit: int) -> dict[str, str]:
    """``files`` with one bit of a digit of a vector's line turned over."""
    lines = files[name].splitlines()
    text = lines[line]
    lines[line] = text[:digit] + f"{int(text[digit], 16) ^ 2:x}" + text[digit + 1 :]
    return {**files, name: "".join(f"{entry}\n" for entry in lines)}


def run_verilog(folder: Path, module: str) -> tuple[int, str]:
    """Runs the plain Verilog bench as README.txt says; (exit code, what it said)."""
    program = ["iverilog", "-g2005-sv", "-Wall", "-o", "sim", f"{module}.v", f"tb_{module}.v"]
    program += sorted(str(model.relative_to(folder)) for model in folder.glob("simulation/*.v"))
    built = subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert built.returncode == 0 and not built.stdout + built.stderr, built.stdout + built.stderr
    done = subprocess.run(["vvp", "sim"], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout
