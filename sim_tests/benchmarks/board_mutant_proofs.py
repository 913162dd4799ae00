"""Why a fault of a board's design that no product finds is none: what follows is as it was in all states that are."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tilewright.generators.emit.yosys import run as yosys

_ASSIGNED = re.compile(r"(?:assign|wire) (\w+) = ([^;]*);")
_CLOCKED = re.compile(
    r"always @\(([^)]*)\) if \((.*?)\) (\w+) <= ([^;]*);(?: else (?:if \((.*?)\) )?\w+ <= ([^;]*);)?$"
)
_FIRST = re.compile(r"reg (\w+) = 1'b([01]);")
_NAME = re.compile(r"(?<![\w'.])[a-z]\w*")
_DEPTHS = (0, 1, 2, 3, 5, 8)
"""So many registers back the states are followed that can be; registers further back are anything."""
_SECONDS = 10
"""That a proof may take, at each depth."""


@dataclass
class Logic:
    """Lines of a module, sorted.

    Attributes:
        assigned: expressions, by net.
        clocked: edges and next value, by register.
        first: values of registers at the start.
        others: all else: memories, multipliers.
    """

    assigned: dict[str, str] = field(default_factory=dict)
    clocked: dict[str, tuple[str, str]] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, lines: Iterable[str]) -> Logic:
        """Sorts lines."""
        found = cls()
        for line in lines:
            clocked = _CLOCKED.match(line)
            if clocked:
                edges, first, register, value, second, other = clocked.groups()
                rest = register if other is None else f"(({second or 1}) ? ({other}) : {register})"
                found.clocked[register] = (edges, f"(({first}) ? ({value}) : {rest})")
                continue
            found.assigned.update(_ASSIGNED.findall(line))
            found.first.update(_FIRST.findall(line))
            rest = _FIRST.sub("", _ASSIGNED.sub("", line)).strip()
            found.others += [rest] if rest else []
        return found

    def used(self, outputs: Sequence[str]) -> set[str]:
        """All on which anything depends that is seen outside."""
        found: set[str] = set()
        waiting = [*outputs, *(name for text in self.others for name in _NAME.findall(text))]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += _NAME.findall(self.assigned.get(name, ""))
                waiting += _NAME.findall(" ".join(self.clocked.get(name, ())))
        return found

    def only(self, used: set[str]) -> Logic:
        """The same without registers other than those."""
        clocked = {name: told for name, told in self.clocked.items() if name in used}
        first = {name: value for name, value in self.first.items() if name in used}
        return Logic(self.assigned, clocked, first, self.others)


def same_logic(before: Logic, after: Logic, outputs: Sequence[str]) -> str:
    """How it is proved that two modules with the same registers do the same for ever; "" where it is not.

    What differs is followed to registers, memories, multipliers and ``outputs``. The fault is none if it gets to none
    of them, or if what they take is the same in all states (by SAT), or in all that can be (by ABC's property directed
    reachability), with anything in the place of inputs, memories and multipliers.
    """
    used = before.used(outputs) | after.used(outputs)
    before, after = before.only(used), after.only(used)
    changed = {n for n in {*before.assigned, *after.assigned} if before.assigned.get(n) != after.assigned.get(n)}
    same_others = sorted(before.others) == sorted(after.others) and before.first == after.first
    if not same_others or before.clocked.keys() != after.clocked.keys():
        return ""
    reached = _reached(changed, before, after)
    seen = _seen(reached, before, after, outputs)
    if seen is None:
        return ""
    if not seen:
        return "reaches nothing"
    for depth in _DEPTHS:
        text = _difference(before, after, reached, seen, depth)
        if text is None:
            return ""
        if _never(text, depth > 0):
            return f"the same in all states, {depth} registers deep"
    return ""


def _reached(changed: set[str], before: Logic, after: Logic) -> set[str]:
    """All nets that depend on those that changed, before or after."""
    readers: dict[str, set[str]] = {}
    for logic in (before, after):
        for name, text in logic.assigned.items():
            for read in _NAME.findall(text):
                readers.setdefault(read, set()).add(name)
    found, waiting = set(changed), list(changed)
    while waiting:
        new = readers.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _seen(reached: set[str], before: Logic, after: Logic, outputs: Sequence[str]) -> list[tuple[str, str]] | None:
    """What is to be compared: expressions before and after. None where edges are others."""
    found = []
    for register, (edges, value) in before.clocked.items():
        edges_then, then = after.clocked[register]
        if edges_then != edges:
            return None
        found += [(name, name) for name in _NAME.findall(edges) if name in reached]
        if value != then or not reached.isdisjoint(_NAME.findall(value)):
            found.append((value, then))
    named = {name for text in before.others for name in _NAME.findall(text)} | set(outputs)
    return sorted({*found, *((name, name) for name in named & reached)})


def _difference(
    before: Logic, after: Logic, reached: set[str], seen: Sequence[tuple[str, str]], depth: int
) -> str | None:
    """A module that tells whether anything seen differs; None where a net depends on itself."""

    def then(text: str) -> str:
        return _NAME.sub(lambda name: f"{name[0]}_then" if name[0] in reached else name[0], text)

    assigned = dict(before.assigned)
    assigned |= {f"{name}_then": then(after.assigned.get(name, "1'b0")) for name in reached}
    different = " | ".join(f"(({one}) ^ ({then(other)}))" for one, other in seen)
    told, registers = _needed(assigned, [different]), set[str]()
    for _ in range(depth):
        new = {name for name in told or () if name in before.clocked and "," not in before.clocked[name][0]} - registers
        registers |= new
        told = _needed(assigned, [different, *(before.clocked[name][1] for name in registers)])
    if told is None:
        return None
    free = [name for name in told if name not in assigned and name not in registers]
    lines = [f"module difference ({', '.join(['input clk', *(f'input {name}' for name in free)])}, output different);"]
    lines += [f"reg {name} = 1'b{before.first.get(name, '0')};" for name in sorted(registers)]
    lines += [f"wire {name} = {assigned[name]};" for name in told if name in assigned]
    lines += [f"always @(posedge clk) {name} <= {before.clocked[name][1]};" for name in sorted(registers)]
    return "\n".join([*lines, f"assign different = {different};", "endmodule"])


def _needed(assigned: dict[str, str], texts: Iterable[str]) -> list[str] | None:
    """The names that expressions depend on, in an order in which they can be told; None where there is a loop."""
    waiting = [name for text in texts for name in _NAME.findall(text)]
    graph: dict[str, set[str]] = {}
    while waiting:
        name = waiting.pop()
        if name not in graph:
            graph[name] = set(_NAME.findall(assigned.get(name, "")))
            waiting += graph[name]
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError:
        return None


def _never(text: str, states: bool) -> bool:
    """Whether it is proved that the output of a module, which has ``states`` or not, is never 1."""
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as name:
        folder = Path(name)
        (folder / "difference.v").write_text(text)
        read = [f"read_verilog {folder}/difference.v", "proc", "opt -full -nodffe -nosdff"]
        if not states:
            yosys([*read, f"tee -q -o {folder}/proof sat -prove different 0 difference"])
            return "no model found: SUCCESS" in (folder / "proof").read_text()
        gates = ["techmap", "dffunmap", "opt -nodffe -nosdff", "aigmap", "opt_clean"]
        yosys([*read, *gates, f"write_aiger -zinit {folder}/difference.aig"])
        steps = f"read_aiger {folder}/difference.aig; scleanup; pdr -T {_SECONDS}"
        done = subprocess.run([_abc(), "-q", steps], cwd=folder, capture_output=True, text=True, check=False)
        return "Property proved" in done.stdout


def _abc() -> Path:
    """The one that Yosys brings."""
    found = importlib.util.find_spec("pyosys")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent / "yosys-abc"
