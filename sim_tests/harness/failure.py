"""Says in one or a few sentences what went wrong in a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilewright.sim_tests.harness.beats import Beats
from tilewright.sim_tests.harness.ports import Interface, StreamPort
from tilewright.sim_tests.harness.result import Outcome, Result
from tilewright.sim_tests.harness.script import CLOCK, Plan, StreamScript


@dataclass(frozen=True)
class Finding:
    """What is wrong with a run, in which cycle (-1: none), on which stream or port (``""``: none)."""

    reason: str
    cycle: int = -1
    stream: str = ""


def judge(result: Result, interface: Interface, plan: Plan) -> Finding | None:
    """What is wrong with a run; ``None`` if it did what was planned."""
    if result.outcome != Outcome.PASSED:
        return _describe(result, interface, plan)
    return _compare(result, interface, plan.streams)


def _number(words: Beats) -> int:
    return int.from_bytes(np.ascontiguousarray(words, dtype="<u4").tobytes(), "little")


def difference(
    port: StreamPort,
    expected: Beats,
    got: Beats,
    mask: Beats | None = None,
    words: tuple[str, str] = ("expected", "got"),
) -> str:
    """Names the signals of a beat that differ, with both values."""
    relevant = _number(mask) if mask is not None else (1 << port.bits) - 1
    found = []
    for name, width in port.signals:
        offset, _ = port.field(name)
        select = (1 << width) - 1
        want, have, care = ((value >> offset) & select for value in (_number(expected), _number(got), relevant))
        if (want ^ have) & care:
            found.append(f"{name} {words[0]} 0x{want & care:x}, {words[1]} 0x{have & care:x}")
    return "; ".join(found)


def _compare(result: Result, interface: Interface, scripts: list[StreamScript]) -> Finding | None:
    """The first beat, in time, that is not the expected one."""
    first: tuple[int, int, int] | None = None
    wrong = 0
    for index, (port, script) in enumerate(zip(interface.streams, scripts, strict=True)):
        if script.wanted is None:
            continue
        got = result[port.name]
        differs = got.beats ^ script.wanted
        rows = np.flatnonzero((differs if script.mask is None else differs & script.mask).any(axis=1))
        wrong += len(rows)
        if len(rows) and (first is None or got.cycle[rows[0]] < first[0]):
            first = (int(got.cycle[rows[0]]), index, int(rows[0]))
    if first is None:
        return None
    cycle, index, beat = first
    port, script = interface.streams[index], scripts[index]
    assert script.wanted is not None
    mask = None if script.mask is None else script.mask[beat]
    text = difference(port, script.wanted[beat], result[port.name].beats[beat], mask)
    beats = "beat differs" if wrong == 1 else "beats differ"
    return Finding(f"stream {port.name} beat {beat} (cycle {cycle}): {text}; {wrong} {beats}", cycle, port.name)


def _describe(result: Result, interface: Interface, plan: Plan) -> Finding:
    """What the driver found."""
    cycle, outcome, limits = result.last_cycle, result.outcome, plan.limits
    if outcome == Outcome.NONZERO_OUTPUT:
        plain = (*interface.inputs, *interface.outputs, *interface.zeros)[result.culprit][0]
        return Finding(f"output {plain} is 0x{result.outputs[plain]:x} in cycle {cycle} and must stay 0", cycle, plain)
    if outcome == Outcome.DESIGN_FINISHED:
        return Finding(f"the design ended the simulation in cycle {cycle}: {result.log.strip()}", cycle)
    if outcome in (Outcome.DEADLOCK, Outcome.CYCLE_LIMIT):
        kind = (
            f"deadlock: no transfer for {limits.quiet} cycles up to cycle {cycle}"
            if outcome == Outcome.DEADLOCK
            else f"not done after the limit of {limits.cycles} cycles"
        )
        return Finding("\n  ".join([kind, *_states(result, interface, plan.streams)]), cycle)
    stream = interface.streams[result.culprit]
    got = result[stream.name]
    if outcome == Outcome.VALID_WITHDRAWN:
        text = f"stream rule broken: {stream.name} withdrew valid in cycle {cycle} before beat {len(got)} was taken"
    elif outcome == Outcome.PAYLOAD_CHANGED:
        text = (
            f"stream rule broken: {stream.name} changed beat {len(got)} in cycle {cycle} while valid was high "
            f"and ready low: {difference(stream, got.held[0], got.last[0], words=('was', 'became'))}"
        )
    else:
        value = f"0x{_number(got.last[0]):x}"
        text = (
            f"stream {stream.name} offers beat {len(got)} ({value}) in cycle {cycle}, but only {len(got)} are expected"
        )
    return Finding(text, cycle, stream.name)


def _states(result: Result, interface: Interface, scripts: list[StreamScript]) -> list[str]:
    """One line for each stream that is not done, with what it waits for."""
    lines = []
    for port, script in zip(interface.streams, scripts, strict=True):
        got = result[port.name]
        goal = script.sent if port.direction == "in" else script.expected
        if goal < 0 or len(got) >= goal:
            continue
        levels = f"valid {int(got.valid)}, ready {int(got.ready)}"
        line = f"{port.name}: {len(got)} of {goal} beats {'sent' if port.direction == 'in' else 'received'}, {levels}"
        if got.waiting:
            line += f", waits for {' and '.join(_missing(result, interface, script, len(got)))}"
        lines.append(line)
    return lines


def _missing(result: Result, interface: Interface, script: StreamScript, beat: int) -> list[str]:
    """The conditions of a beat that never came true."""
    found = []
    for condition in script.conditions:
        if condition.beat != beat:
            continue
        if condition.source == CLOCK:
            if result.last_cycle < condition.count:
                found.append(f"cycle {condition.count}")
            continue
        name = interface.streams[condition.source].name
        if len(result[name]) < condition.count:
            found.append(f"beat {condition.count - 1} of {name}")
    return found
