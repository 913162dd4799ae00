"""What all builds share, compiled once per machine: Verilator's run-time library, the driver, a precompiled header."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
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

    @property
    def library(self) -> list[str]:
        """Sources of the run-time library."""
        files = ["verilated.cpp", "verilated_threads.cpp"]
        return files + ["verilated_vcd_c.cpp"] * self.trace + ["verilated_vpi.cpp"] * self.cocotb

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
    """Compiled shared parts.

    Attributes:
        folder: where they are.
        objects: files to link with the design.
        header_flags: compiler flags that use the precompiled header.
        reused: whether they were there already.
    """

    folder: Path
    objects: tuple[Path, ...]
    header_flags: tuple[str, ...]
    reused: bool


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
    precompile = not variant.trace
    key = digest("runtime", tool_identity(), flags, variant.library, precompile, driver_digest())
    folder, reused = entry(
        "runtime", key, lambda work: _compile(work, variant, flags, precompile, children), lambda: children.stopped
    )
    header = ("-include", str(folder / "base.h")) if precompile else ()
    return Runtime(folder, tuple(sorted(folder.glob("*.o"))), header, reused)


def _compile(work: Path, variant: Variant, flags: list[str], precompile: bool, children: Children) -> None:
    cxx, include = compiler().command, verilator().include
    sources = [include / name for name in variant.library]
    if not variant.cocotb:
        sources += sorted(DRIVER.glob("*.cpp"))
    commands: list[list[str | Path]] = [[*cxx, *flags, "-c", s, "-o", f"{s.stem}.o"] for s in sources]
    if precompile:
        (work / "base.h").write_text('#include "verilated.h"\n')
        commands.insert(0, [*cxx, *flags, "-x", "c++-header", "base.h", "-o", "base.h.gch"])
    compile_all(children, commands, work, "Verilator's run-time library or the driver")
