"""Builds a simulator from Verilog: drives Verilator, C++ compiler and linker directly, cached by content."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tilewright.sim_tests.harness import ledger
from tilewright.sim_tests.harness.bench_sources import BENCH, binding, wrapper
from tilewright.sim_tests.harness.cache import digest, entry
from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.errors import BuildFailed, InterfaceError
from tilewright.sim_tests.harness.ports import Interface, Port, StreamPort, make_interface
from tilewright.sim_tests.harness.runtime import (
    DRIVER,
    Runtime,
    Variant,
    compile_all,
    driver_digest,
    processors,
    runtime,
    tool_identity,
)
from tilewright.sim_tests.harness.tools import compiler, verilator

#: C++ that one compiler process should get at least; below it, starting another process costs more than it gives.
UNIT_BYTES = 150_000

#: Warnings that, in the wrapper, mean: the ports are not what the caller said.
_PORT_WARNINGS = ("%Warning-PIN", "%Warning-WIDTH")

#: Called with "verilator", "C++", "link" when that step begins.
Progress = Callable[[str], None]


@dataclass(frozen=True)
class BuildSpec:
    """Everything that decides a build.

    Attributes:
        sources: Verilog, file name to text; the order of the mapping is the order of compilation.
        interface: the design's ports; for cocotb only its top module and clock count.
        vlt: text of a Verilator configuration file, e.g. ``no_inline -module "row"``.
        trace: make it able to write waveforms (three times slower).
        cocotb: build for cocotb instead of the compiled driver.
    """

    sources: Mapping[str, str]
    interface: Interface
    vlt: str = ""
    trace: bool = False
    cocotb: bool = False

    @property
    def variant(self) -> Variant:
        """The flags set it belongs to."""
        return Variant(self.trace, self.cocotb)

    def key(self) -> str:
        """Hash of all that decides the result, tools included."""
        version = importlib.metadata.version("cocotb") if self.cocotb else ""
        return digest(
            *("build", list(self.sources.items()), asdict(self.interface), self.vlt, self.trace, self.cocotb),
            *(self.verilator_flags(), self.variant.flags(), tool_identity(), driver_digest(), version),
            *((wrapper(self.interface), binding(self.interface)) if not self.cocotb else ()),
        )

    def verilator_flags(self) -> list[str]:
        """Verilator's options. Warnings about the design go to the log; :mod:`lint` is there to complain."""
        return [
            *("--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--no-timing"),
            *("-Wno-fatal", "--prefix", "Vtop"),
            *("--top-module", self.interface.top if self.cocotb else BENCH),
            *(("--trace",) if self.trace else ()),
            # Only the top module is visible to cocotb; making everything public would cost most of the speed.
            *(("--vpi", "--public-depth", "1") if self.cocotb else ()),
        ]


@dataclass(frozen=True)
class Build:
    """A finished simulator.

    Attributes:
        spec: what it was made from.
        folder: where it is; holds ``sim``, ``build.json`` and ``verilator.log``.
        cached: whether it was there already.
        seconds: wall seconds of the steps ``verilator``, ``C++``, ``link``, as measured when it was made.
    """

    spec: BuildSpec
    folder: Path
    cached: bool
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def program(self) -> Path:
        """The executable."""
        return self.folder / "sim"

    @property
    def interface(self) -> Interface:
        """The design's ports."""
        return self.spec.interface


def build(
    sources: Mapping[str, str],
    top: str,
    streams: Sequence[StreamPort] = (),
    *,
    clock: str = "clk",
    reset: str | None = "rst",
    inputs: Sequence[Port] = (),
    outputs: Sequence[Port] = (),
    zeros: Sequence[Port] = (),
    reset_active_low: bool = False,
    vlt: str = "",
    trace: bool = False,
    cocotb: bool = False,
) -> Build:
    """Build a simulator, or find it in the cache.

    See :class:`BuildSpec` and :class:`~tilewright.sim_tests.harness.ports.Interface` for the parameters.

    Raises:
        InterfaceError: the ports contradict each other.
        BuildFailed: a tool refused the design.
        ToolMissing: a tool is not installed.
    """
    plain = {"inputs": inputs, "outputs": outputs, "zeros": zeros}
    ports = make_interface(top, streams, clock=clock, reset=reset, reset_active_low=reset_active_low, **plain)
    return make(BuildSpec(dict(sources), ports, vlt, trace, cocotb))


def make(spec: BuildSpec, progress: Progress | None = None, children: Children | None = None) -> Build:
    """Build what ``spec`` says; with ``children`` given, its owner can stop the work."""
    for name in spec.sources:
        if Path(name).name != name or not name:
            raise InterfaceError(f"source names must be plain file names, got {name!r}")
    step = progress or (lambda _: None)
    with contextlib.nullcontext(children) if children else Children(processors()) as workers:
        folder, cached = entry(
            "builds", spec.key(), lambda work: _make(work, spec, step, workers), lambda: workers.stopped
        )
    recorded: dict[str, Any] = json.loads((folder / "build.json").read_text())
    done = Build(spec, folder, cached, recorded["seconds"])
    ledger.count_build(spec.interface.top, folder.name, cached, done.seconds)
    return done


def _make(work: Path, spec: BuildSpec, step: Progress, children: Children) -> None:
    step("run-time library")
    shared = runtime(spec.variant, children)
    seconds: dict[str, float] = {}
    for name, action in (("verilator", _verilate), ("C++", _compile), ("link", _link)):
        step(name)
        start = time.perf_counter()
        action(work, spec, shared, children)
        seconds[name] = round(time.perf_counter() - start, 3)
    record = {
        "top": spec.interface.top,
        "seconds": seconds,
        "verilator": f"{verilator().version} ({verilator().origin})",
        "compiler": compiler().version,
        "flags": spec.verilator_flags(),
        "interface": asdict(spec.interface),
    }
    (work / "build.json").write_text(json.dumps(record, indent=1) + "\n")


def _verilate(work: Path, spec: BuildSpec, _shared: Runtime, children: Children) -> None:
    (work / "sources").mkdir()
    texts = dict(spec.sources)
    if spec.vlt:
        head = "" if spec.vlt.lstrip().startswith("`verilator_config") else "`verilator_config\n"
        texts = {"control.vlt": head + spec.vlt + "\n", **texts}
    if not spec.cocotb:
        texts[f"{BENCH}.v"] = wrapper(spec.interface)
    # Paths are relative: the folder is renamed when it is finished.
    for name, text in texts.items():
        (work / "sources" / name).write_text(text)
    tool = verilator()
    files = [f"sources/{name}" for name in texts]
    done = children.run(
        [*tool.command, *spec.verilator_flags(), "--Mdir", "cpp", *files], cwd=work, env=tool.environment
    )
    log = done.output.replace("sources/", "").replace(str(work), ".")
    (work / "verilator.log").write_text(log)
    if done.code != 0:
        raise BuildFailed(f"Verilator refused {spec.interface.top}:\n" + "\n".join(_errors(log)[:40]))
    wrong = [line for line in log.splitlines() if line.startswith(_PORT_WARNINGS) and f" {BENCH}.v:" in line]
    if wrong:
        raise BuildFailed(f"{spec.interface.top} has other ports than those listed:\n" + "\n".join(wrong))


def _errors(log: str) -> list[str]:
    """Lines of Verilator's errors, each with those that continue it; without errors, all that it says."""
    messages: list[list[str]] = [[]]
    for line in log.splitlines():
        if line.startswith("%"):
            messages.append([])
        messages[-1].append(line)
    errors = [line for message in messages for line in message if message[0].startswith("%Error")]
    return errors or log.splitlines()


def _compile(work: Path, spec: BuildSpec, shared: Runtime, children: Children) -> None:
    folder = work / "cpp"
    extra = []
    if spec.cocotb:
        import cocotb_tools.config

        extra.append(Path(cocotb_tools.config.share_dir) / "lib" / "verilator" / "verilator.cpp")
    else:
        (folder / "binding.cpp").write_text(binding(spec.interface))
        extra.append(folder / "binding.cpp")
    units = _units(sorted(folder.glob("Vtop*.cpp")), extra)
    cxx = [*compiler().command, *spec.variant.flags(), *shared.header_flags, f"-I{DRIVER}", "-I."]
    for index, unit in enumerate(units):
        (folder / f"unit{index}.cc").write_text("".join(f'#include "{_relative(file, folder)}"\n' for file in unit))
    commands = [[*cxx, "-c", f"unit{index}.cc", "-o", f"unit{index}.o"] for index in range(len(units))]
    compile_all(children, commands, folder, f"what Verilator made of {spec.interface.top}")


def _relative(file: Path, folder: Path) -> Path:
    return file.relative_to(folder) if file.is_relative_to(folder) else file


def _units(files: list[Path], extra: list[Path]) -> list[list[Path]]:
    """Deal the C++ files out to as many compiler processes as pay, largest first."""
    size = {file: file.stat().st_size for file in (*files, *extra)}
    count = min(len(size), max(1, sum(size.values()) // UNIT_BYTES), 2 * processors())
    units: list[list[Path]] = [[] for _ in range(count)]
    load = [0] * count
    for file in sorted(size, key=lambda f: (-size[f], f.name)):
        lightest = load.index(min(load))
        units[lightest].append(file)
        load[lightest] += size[file]
    return units


def _link(work: Path, spec: BuildSpec, shared: Runtime, children: Children) -> None:
    folder = work / "cpp"
    libraries: list[str] = []
    if spec.cocotb:
        import cocotb_tools.config

        libs = cocotb_tools.config.libs_dir
        libraries = [f"-Wl,-rpath,{libs}", f"-L{libs}", "-lcocotbvpi_verilator"]
    objects = [*sorted(folder.glob("unit*.o")), *shared.objects]
    command: list[str | Path] = [*compiler().command, "-pthread", *objects, *libraries, "-o", work / "sim"]
    done = children.run(command, cwd=work)
    if done.code != 0:
        raise BuildFailed(f"the linker refused {spec.interface.top}:\n{done.output.strip()}")
    if not (work / "sim").is_file():
        raise BuildFailed(f"{compiler().path} is no C++ compiler: it made no program of {spec.interface.top}")
    for file in sorted(folder.iterdir()):
        file.unlink()
    folder.rmdir()
