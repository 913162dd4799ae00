"""The LiteX modules, in LiteX: their pins are the Verilog's, and an engine computes between its buses."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from tilewright.fpga.export.litex import class_name, litex
from tilewright.fpga.export.product import Product
from tilewright.fpga.export.tilewright_program import product_program
from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.systolic import systolic_config
from tilewright.sim_tests.fpga.export.litex_system import alone, exported, with_memory
from tilewright.sim_tests.fpga.export.products import CORE, ENGINE, core, described, engine
from tilewright.sim_tests.generators.emit.engine_outputs import config
from tilewright.sim_tests.generators.emit.outputs import write
from tilewright.sim_tests.harness.lint import lint

WORDS, PLACES = 4096, {"a": 4096, "b": 6144, "bias": 8192, "c": 12288}


def instance(product: Product, folder: Path) -> object:
    """An object of the exported class."""
    write(litex(product), folder)
    return getattr(exported(folder / f"{product.top}_litex.py"), class_name(product))()


def of_pins(sources: dict[str, str]) -> list[str]:
    """What Verilator says of the names and widths of the pins of an instance in ``top.v``."""
    return [line for line in lint(sources, "top") if " top.v:" in line and ("PIN" in line or "WIDTH" in line)]


OUTSIDES: dict[str, Callable[[], Product]] = {
    "core": core,
    "engine": lambda: described(config("engine-16x16-int8")),
    "streams": lambda: described(config("engine-4x4-int8-stream")),
    "cores": lambda: described(engine_config({"rows": 2, "cols": 2, "cores": 3, "bus_bits": 64, "address_bits": 64})),
}


@pytest.mark.parametrize("which", OUTSIDES)
def test_litex_takes_the_module_and_its_ports_are_those_of_the_verilog(which: str, tmp_path: Path) -> None:
    product = OUTSIDES[which]()
    alone(instance(product, tmp_path), tmp_path)
    sources = {name: (tmp_path / name).read_text() for name in ("top.v", product.source)}
    assert of_pins(sources) == []
    last, second = product.ports[-1].name, product.ports[2].name
    wrong = re.sub(rf"\.{last}\b", ".nothing", sources["top.v"])
    assert any("PINNOTFOUND" in line for line in of_pins(sources | {"top.v": wrong}))
    wrong = re.sub(rf"(\.{second}\s*)\(.*\)", r"\1(2'd0)", sources["top.v"])
    assert any("WIDTH" in line for line in of_pins(sources | {"top.v": wrong}))


@pytest.mark.parametrize(
    ("module", "name"), [("my_own_core", "MyOwnCore"), ("none", "_None"), ("_1x", "_1x"), ("_", "_"), ("x__1", "X1")]
)
def test_names_of_classes(module: str, name: str) -> None:
    assert class_name(replace(core(), config=systolic_config({**CORE, "module_name": module}))) == name


def test_the_platform_gets_the_verilog(tmp_path: Path) -> None:
    sources: list[str] = []

    class Platform:
        def add_source(self, path: str) -> None:
            sources.append(path)

    product = core()
    write(litex(product), tmp_path)
    getattr(exported(tmp_path / f"{product.top}_litex.py"), class_name(product))(Platform())
    assert sources == [str(tmp_path / product.source)]


def test_an_engine_computes_between_the_buses_of_litex(tmp_path: Path) -> None:
    product, rng = engine(), np.random.default_rng(1)
    assert described(config(ENGINE)).ports == product.ports, "what the other tests look at is the outside of this one"
    m, n, k = 7, 9, 13
    a, b, bias = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n)), rng.integers(-1000, 1000, n)
    memory = np.zeros(4 * WORDS, dtype=np.uint8)
    program = np.frombuffer(product_program(product.manifest, (m, n, k), **PLACES), dtype=np.uint8)
    memory[: len(program)] = program
    values = {"a": a.astype(np.int8), "b": b.astype(np.int8), "bias": bias.astype("<i4")}
    for name, value in values.items():
        flat = value.view(np.uint8).ravel()
        memory[PLACES[name] : PLACES[name] + len(flat)] = flat
    with_memory(instance(product, tmp_path), memory.view("<u4").tolist(), tmp_path)
    bench = resources.files("tilewright.sim_tests.fpga.export") / "litex_bench.v"
    (tmp_path / "bench.v").write_text(bench.read_text())
    told = {"INSTRUCTIONS": len(program) // 64, "FIRST": PLACES["c"] // 4, "WORDS": m * n}
    parameters = [f"-Pbench.{name}={value}" for name, value in told.items()]
    build = ["iverilog", "-g2005-sv", "-o", "sim", "-s", "bench", *parameters, "bench.v", "top.v", product.source]
    subprocess.run(build, cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run(["vvp", "sim"], cwd=tmp_path, check=True, timeout=120, capture_output=True, text=True)
    found = [int(line, 16) for line in done.stdout.split() if len(line) == 8]
    assert np.array_equal(np.array(found, dtype="<u4").view("<i4").reshape(m, n), a @ b + bias)
