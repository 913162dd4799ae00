"""What all builds share, compiled once per machine: Verilator's run-time library, the driver, a precompiled header."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from tilewright.sim_tests.harness.cache import digest, entry
from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.errors import BuildFailed
from tilewright.sim_tests.harness.tools import compiler, verilator

DRIVER = Path(__file__).parent / "driver"
#: Measured on arrays of 16x16 to 32x32: runs as fast as -O2, compiles in two thirds of the time.
OPTIMISE = "-O1"


@dataclass(frozen=True)
class Variant:
    """What a build needs beyond the bare design: waveforms, or the simulator interface that cocotb uses."""

    trace: bool = False
    cocotb: bool = False

    def library(self) -> list[Path]:
        """Sources of the run-time library that every design needs."""
        names = ["verilated.cpp", "verilated_threads.cpp"] + ["verilated_vcd_c.cpp"] * self.trace
        return [verilator().include / name for name in names]

    def outside(self) -> list[Path]:
        """Sources of what a design is connected to: our driver, or the interface that cocotb uses."""
        return [verilator().include / "verilated_vpi.cpp"] if self.cocotb else sorted(DRIVER.glob("*.cpp"))

    def flags(self) -> list[str]:
        """Compiler flags; precompiled header, library and design must agree on them."""
        trace = int(self.trace)
        include = verilator().include
        return [
            *("-std=gnu++17", OPTIMISE, "-pthread", "-w", f"-I{include}", f"-I{include / 'vltstd'}"),
            *("-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_FST=0"),
            *("-DVM_TRACE_SAIF=0", f"-DVM_TRACE={trace}", f"-DVM_TRACE_VCD={trace}"),
        ]


@dataclass(frozen=True)
class Runtime:
    """Compiled shared parts: files to link with a design, and compiler flags that use the precompiled header."""

    objects: tuple[Path, ...]
    header_flags: tuple[str, ...]


@cache
def driver_digest() -> str:
    """Hash of the driver's sources."""
    files = sorted(DRIVER.iterdir())
    return digest([(f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in files if f.suffix in (".h", ".cpp")])


def processors() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tool_identity() -> list[str]:
    """Everything about the tools that changes what they produce."""
    simulator, cxx = verilator(), compiler()
    return [simulator.version, simulator.origin, str(simulator.root), cxx.version, *cxx.command]


def compile_all(children: Children, commands: Sequence[Sequence[str | Path]], cwd: Path, what: str) -> None:
    """Run compiler commands side by side; the first failure ends the build with the compiler's own words."""
    with ThreadPoolExecutor(processors()) as pool:
        jobs = [pool.submit(children.run, command, cwd=cwd) for command in commands]
        try:
            for job in as_completed(jobs):
                if job.result().code != 0:
                    raise BuildFailed(f"the C++ compiler refused {what}:\n{job.result().output.strip()}")
        except BaseException:
            children.kill()  # else the pool would wait for compilers that nobody needs any more
            raise


def runtime(variant: Variant, children: Children) -> Runtime:
    """The shared parts of a variant, compiled now if this machine has not got them."""
    flags = variant.flags()
    # A header is worth precompiling for builds of which there are many.
    header = not variant.trace
    folders = []
    for sources, also, version in ((variant.library(), header, ""), (variant.outside(), False, driver_digest())):
        names = [source.name for source in sources]
        key = digest("runtime", tool_identity(), flags, names, also, version)
        action = partial(_compile, sources=sources, flags=flags, header=also, children=children)
        folders.append(entry("runtime", key, action, lambda: children.stopped)[0])
    objects = [file for folder in folders for file in sorted(folder.glob("*.o"))]
    return Runtime(tuple(objects), ("-include", str(folders[0] / "base.h")) if header else ())


def _compile(work: Path, *, sources: list[Path], flags: list[str], header: bool, children: Children) -> None:
    cxx = compiler().command
    commands: list[list[str | Path]] = [[*cxx, *flags, "-c", s, "-o", f"{s.stem}.o"] for s in sources]
    if header:
        (work / "base.h").write_text('#include "verilated.h"\n')
        commands.insert(0, [*cxx, *flags, "-x", "c++-header", "base.h", "-o", "base.h.gch"])
    compile_all(children, commands, work, "Verilator's run-time library or the driver")
