"""Writes the save file with which GTKWave opens a waveform: signals in named groups instead of an empty window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tilewright.generators.whole_file import whole_file
from tilewright.sim_tests.harness.bench_sources import BENCH
from tilewright.sim_tests.harness.ports import Interface


@dataclass(frozen=True)
class Wave:
    """A signal of a waveform file: its full dotted name without range, and the name by which GTKWave knows it."""

    name: str
    label: str


def signals(vcd: Path) -> list[Wave]:
    """All signals of a VCD file, in its order; only its header is read."""
    scope: list[str] = []
    found: list[Wave] = []
    with vcd.open(errors="replace") as file:
        for line in file:
            words = line.split()
            if not words:
                continue
            if words[0] == "$scope":
                scope.append(words[2])
            elif words[0] == "$upscope":
                scope.pop()
            elif words[0] == "$var":
                name = ".".join([*scope, words[4]])
                bits = words[5] if words[5] != "$end" else ""
                found.append(Wave(name, name + bits))
            elif words[0] == "$enddefinitions":
                break
    return found


def stream_groups(interface: Interface) -> dict[str, list[str]]:
    """One group for each stream: handshake first, then the payload."""
    groups = {}
    for stream in interface.streams:
        ports = [*(port for port in (stream.valid, stream.ready) if port), *(name for name, _ in stream.signals)]
        groups[stream.name] = [f"*{BENCH}.dut.{port}" for port in ports]
    return groups


def write_save_file(
    vcd: Path, interface: Interface, groups: Mapping[str, Sequence[str]] | None = None, mark: int | None = None
) -> Path:
    """Write ``<vcd>.gtkw`` beside the waveform.

    Args:
        vcd: the waveform.
        interface: ports of the design, for the default groups.
        groups: group name to patterns (``*`` and ``?``) on full dotted signal names; one group a stream if ``None``.
        mark: time at which the window opens.
    """
    from vcd.gtkw import GTKWSave

    waves = signals(vcd)
    path = vcd.with_suffix(".gtkw")
    clocks = [f"*{BENCH}.cycle", f"*{BENCH}.clk", f"*{BENCH}.rst"]
    with whole_file(path) as aside, aside.open("w") as file:
        save = GTKWSave(file)
        save.dumpfile(str(vcd.absolute()))
        save.dumpfile_size(vcd.stat().st_size)
        if mark is not None:
            save.timestart(max(0, mark - 200))
            save.zoom_markers(-3.0, mark)
        for wave in (w for pattern in clocks for w in waves if fnmatchcase(w.name, pattern)):
            save.trace(wave.label, datafmt="dec" if wave.name.endswith(".cycle") else "hex")
        for name, patterns in (stream_groups(interface) if groups is None else groups).items():
            with save.group(name):
                for wave in (w for pattern in patterns for w in waves if fnmatchcase(w.name, pattern)):
                    save.trace(wave.label)
    return path
