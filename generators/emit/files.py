"""All files that a configuration becomes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.array_bench import array_bench, array_vectors
from tilewright.generators.emit.c_header import c_header
from tilewright.generators.emit.cells import MODELS, models
from tilewright.generators.emit.elaborate import modules
from tilewright.generators.emit.header import header
from tilewright.generators.emit.interface import Interface, interface
from tilewright.generators.emit.manifest import manifest
from tilewright.generators.emit.module import VerilogModule
from tilewright.generators.emit.readme import readme
from tilewright.generators.emit.scenes import bench_program
from tilewright.generators.emit.schedule import Schedule
from tilewright.generators.emit.vectors import expected_text, sent_text
from tilewright.generators.emit.verilog_bench import core_bench

_TEMPLATES = resources.files("tilewright.generators.emit") / "templates"


def core_verilog(config: SystolicConfig) -> dict[str, str]:
    """File name to text of the Verilog alone, the same as in `generate`."""
    return _verilog(config, interface(config), modules(config))


def generate(config: SystolicConfig) -> dict[str, str]:
    """File name to text of everything that ``config`` becomes; the same bytes for the same configuration."""
    outside = interface(config)
    name = config.module_name
    written = modules(config)
    cells = list(models(written, MODELS))
    files = {
        **_verilog(config, outside, written),
        **models(written, MODELS),
        f"{name}.h": c_header(config),
        "README.txt": readme(config, cells),
    }
    simulated = " ".join((f"{name}.v", f"tb_{name}.v", *cells))
    make_bench = _array if config.product == "array" else _core
    bench, limit = make_bench(config, outside, simulated)
    files |= bench
    files[f"test_{config.product}.py"] = (_TEMPLATES / f"test_{config.product}.py.txt").read_text(encoding="utf-8")
    return {**files, "manifest.json": manifest(config, outside, written, files, limit)}


def _verilog(config: SystolicConfig, outside: Interface, written: Sequence[VerilogModule]) -> dict[str, str]:
    body = "\n".join(module.text for module in written)
    return {f"{config.module_name}.v": f"{header(config, outside)}\n{body}"}


def _core(config: SystolicConfig, outside: Interface, simulated: str) -> tuple[dict[str, str], int]:
    """Bench and vectors of a core, and the cycles after which benches give up."""
    program = bench_program(config, outside)
    files = {f"tb_{config.module_name}.v": core_bench(config, outside, program, simulated)}
    for stream in outside.sources:
        files[f"vectors/{stream.name}.hex"] = sent_text(program.sent[stream.name], stream.width)
    for stream in outside.sinks:
        files[f"vectors/{stream.name}.hex"] = expected_text(program.expected[stream.name], stream.width)
    return files, program.limit


def _array(config: SystolicConfig, outside: Interface, simulated: str) -> tuple[dict[str, str], int]:
    """The same for a bare array, whose bench has a fixed length."""
    schedule = Schedule(config)
    bench = array_bench(config, outside, schedule, simulated)
    return {f"tb_{config.module_name}.v": bench, **array_vectors(outside, schedule)}, schedule.cycles
