"""``tilewright export``: files that appear whole or not at all, for an engine or a core, one sentence for bad input."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tilewright.fpga.export import exports
from tilewright.fpga.export.product import Product
from tilewright.generators.commands.app import run
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.sim_tests.fpga.export.products import core, described


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[SystolicConfig]:
    """The configurations that were asked for; a core is a small one, an engine its outside alone."""
    asked: list[SystolicConfig] = []

    def product_of(config: SystolicConfig) -> Product:
        asked.append(config)
        return described(config) if isinstance(config, EngineConfig) else core()

    monkeypatch.setattr(exports, "product_of", product_of)
    return asked


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["vivado"], "package_ip.tcl"),
        (["vivado", "--preset", "engine-8x8-bf16"], "tilewright_pynq.py"),
        (["vivado", "--product", "core"], "tilewright_gemm_axis.v"),
        (["fusesoc", "--product", "engine"], "tilewright_engine.core"),
        (["litex", "--preset", "ws-4x4-int8"], "tilewright_gemm_litex.py"),
    ],
)
def test_what_is_written(
    words: list[str], file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], small: list[SystolicConfig]
) -> None:
    out = tmp_path / "out"
    assert run(["export", *words, "-o", str(out), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert file in summary["files"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["tool"], manifest["export"]) == ("tilewright", words[0])
    for name, entry in manifest["files"].items():
        assert entry["sha256"] == hashlib.sha256((out / name).read_bytes()).hexdigest()
    assert {*manifest["files"], "manifest.json"} == {*summary["files"]}
    assert run(["export", *words, "-o", str(out)]) == 0, "an earlier output is replaced"
    assert file in capsys.readouterr().out.replace("\n", "")
    assert isinstance(small[0], EngineConfig) == ("core" not in words and "ws-4x4-int8" not in words)


def test_a_file_says_what_it_is_of(tmp_path: Path, small: list[SystolicConfig]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('product = "core"\nrows = 3\n')
    assert run(["export", "litex", "--config", str(file), "--cols", "5", "-o", str(tmp_path / "out")]) == 0
    assert (small[0].product, small[0].rows, small[0].cols) == ("core", 3, 5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["vivado", "--product", "array"], "product must be engine or core for an export, got 'array'; nearest legal"),
        (["vivado", "--preset", "ws-4x4-int9"], "preset 'ws-4x4-int9' does not exist; nearest is 'ws-4x4-int8'"),
        (["litex", "--preset", "engine-8x8-bf17"], "'engine-8x8-bf17' does not exist; nearest is 'engine-8x8-bf16'"),
        (
            ["litex", "--preset", "ws-4x4-int8", "--product", "engine"],
            "--product must be core, as it is told, got 'engine'; nearest legal value is core",
        ),
        (["fusesoc", "--product", "core", "--bus-bits", "64"], "field 'bus_bits' does not exist"),
        (["fusesoc", "--bus-bits", "65"], "bus_bits must be one of 32, 64, 128, 256, 512, got 65; nearest legal"),
        (["fusesoc", "--rows", "256", "--cols", "256"], "--force must be given for more than 16384 multipliers"),
    ],
)
def test_what_is_refused(words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", *words, "-o", str(tmp_path / "out")]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []
