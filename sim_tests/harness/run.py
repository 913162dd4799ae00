"""One simulation run: streams to send and to expect, executed by the compiled driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.scratch import scratch_folder
from tilewright.sim_tests.harness import ledger
from tilewright.sim_tests.harness.beats import Beats
from tilewright.sim_tests.harness.build import Build
from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.conditions import After, conditions
from tilewright.sim_tests.harness.errors import HarnessError, InterfaceError, SimulationFailed
from tilewright.sim_tests.harness.failure import judge
from tilewright.sim_tests.harness.ports import StreamPort
from tilewright.sim_tests.harness.recording import Recording, keep, replay_command
from tilewright.sim_tests.harness.result import Result, read_result
from tilewright.sim_tests.harness.script import Limits, Plan, StreamScript
from tilewright.sim_tests.harness.stall import Stall, as_stall


class Run:
    """A run in the making; its methods return it, so that they chain.

    Cycle t is rising clock edge t, edge 0 the first with reset low. Inputs change just after edge t-1, outputs are
    sampled just before edge t, and a beat is transferred in cycle t if valid and ready are both high at edge t.
    A condition "stream X has transferred n beats" that edge t-1 fulfils lets a beat be offered in cycle t.
    While valid is low the payload of an input is noise.

    Args:
        build: the compiled design.
        seed: 1 .. 2^31-1: initial register values, stalls, noise.
    """

    def __init__(self, build: Build, seed: int = 1) -> None:
        if not 1 <= seed < 2**31:
            raise InterfaceError(f"seed must be 1..{2**31 - 1}, got {seed}; nearest is {min(max(seed, 1), 2**31 - 1)}")
        self.build = build
        self.plan = Plan(seed, [StreamScript() for _ in build.interface.streams])

    def send(
        self,
        stream: str,
        beats: Beats,
        *,
        after: After | Sequence[After | None] | None = None,
        not_before: int | NDArray[np.integer] | None = None,
        stall: Stall | float | None = None,
    ) -> Run:
        """Append beats to an input stream.

        Args:
            stream: name of the stream.
            beats: ``(n, words)`` of ``uint32``.
            after: ``{stream: n}``: the first of these beats waits until each named stream has transferred n beats;
                a sequence gives one such mapping (or ``None``) for each beat.
            not_before: earliest cycle in which the first beat may be offered; an array gives one for each beat.
            stall: idle cycles, for the whole stream; a number is a probability.
        """
        port, script = self._stream(stream, "in")
        data = np.array(beats)  # a copy: the caller may go on with the array
        if data.dtype != np.uint32 or data.ndim != 2 or data.shape[1] != port.words:
            raise InterfaceError(
                f"beats of {stream} must be a uint32 array (n, {port.words}), got {data.dtype} {data.shape}"
            )
        script.conditions += conditions(self.build.interface, stream, script.sent, len(data), after, not_before)
        script.chunks.append(data)
        if stall is not None:
            script.stall = as_stall(stall)
            if script.stall.wait_for_valid:
                raise InterfaceError(f"wait_for_valid is for outputs, {stream} is an input")
        return self

    def expect(
        self,
        stream: str,
        beats: int | Beats | None,
        *,
        mask: Beats | None = None,
        stall: Stall | float | None = None,
    ) -> Run:
        """Say what an output stream must deliver; one that is not mentioned must deliver nothing.

        Args:
            stream: name of the stream.
            beats: how many beats, or the beats themselves ``(n, words)``, or ``None`` for any number (the run does
                not wait for this stream).
            mask: with beats given: the bits that count, same shape.
            stall: back-pressure; a number is a probability.
        """
        port, script = self._stream(stream, "out")
        if isinstance(beats, np.ndarray):
            if beats.dtype != np.uint32 or beats.ndim != 2 or beats.shape[1] != port.words:
                raise InterfaceError(
                    f"beats of {stream} must be a uint32 array (n, {port.words}), got {beats.dtype} {beats.shape}"
                )
            if mask is not None and mask.shape != beats.shape:
                raise InterfaceError(f"mask of {stream} must have the shape {beats.shape}, got {mask.shape}")
            script.wanted, script.mask = beats, mask
            script.expected = len(beats)
        else:
            if beats is not None and beats < 0:
                raise InterfaceError(f"{stream} must expect 0 beats or more, got {beats}; nearest is 0")
            script.expected, script.wanted, script.mask = -1 if beats is None else int(beats), None, None
        if stall is not None:
            if port.ready is None:
                raise InterfaceError(f"stream {stream} has no ready and cannot be stalled")
            script.stall = as_stall(stall)
        return self

    def set(self, port: str, value: int) -> Run:
        """Give a plain input its value for the whole run."""
        width = dict(self.build.interface.inputs).get(port)
        if width is None:
            known = ", ".join(name for name, _ in self.build.interface.inputs) or "none"
            raise InterfaceError(f"{self.build.interface.top} has no plain input {port!r}; it has {known}")
        if not 0 <= value < 2**width:
            raise InterfaceError(f"input {port} must be 0..{2**width - 1}, got {value}")
        self.plan.constants[port] = value
        return self

    def reset(self, cycle: int, length: int = 1) -> Run:
        """Pulse reset in the cycles ``cycle .. cycle+length-1``; a beat offered then is offered again afterwards."""
        if cycle < 0 or length < 1:
            raise InterfaceError(f"a reset pulse needs cycle >= 0 and length >= 1, got {cycle} and {length}")
        if self.build.interface.reset is None:
            raise InterfaceError(f"{self.build.interface.top} has no reset")
        self.plan.pulses.append((cycle, length))
        return self

    def limits(self, limits: Limits) -> Run:
        """Replace the limits."""
        self.plan.limits = limits
        return self

    def groups(self, groups: Mapping[str, Sequence[str]]) -> Run:
        """Name groups of signals for the waveform of a replay: patterns like ``"*.row_3.*"`` on full signal names."""
        self.plan.groups = {name: list(patterns) for name, patterns in groups.items()}
        return self

    def recording(self, reason: str = "") -> Recording:
        """All that is needed to run this again."""
        return Recording(self.build.spec, self.plan, reason)

    def save(self, path: Path) -> None:
        """Write the recording to a file that ``python -m tilewright.sim_tests.harness.replay`` reads."""
        self.recording().save(path)

    def execute(self, *, timeout: float | None = None) -> Result:
        """Run it; ``timeout`` in seconds of wall time.

        Raises:
            SimulationFailed: a stream rule was broken, the run hung, or it delivered something else than expected.
        """
        result = execute(self.build, self.plan, timeout=timeout)
        streams = result.streams.values()
        ledger.count_run(
            cycles=result.cycles,
            seconds=result.wall_seconds,
            beats=sum(len(stream) for stream in streams),
            compared=sum(len(script.wanted) for script in self.plan.streams if script.wanted is not None),
            stalls=sum(stream.stalled + stream.refused for stream in streams),
        )
        finding = judge(result, self.build.interface, self.plan)
        if finding:
            raise self.failure(finding.reason, cycle=finding.cycle, stream=finding.stream)
        return result

    def failure(self, reason: str, *, cycle: int = -1, stream: str = "") -> SimulationFailed:
        """The exception for a difference that the caller found: with seed and the line that replays the run."""
        kept = keep(self.recording(reason))
        message = f"{self.build.interface.top}, seed {self.plan.seed}: {reason}\nreplay: {replay_command(kept)}"
        return SimulationFailed(message, reason=reason, cycle=cycle, stream=stream, recording=kept)

    def _stream(self, name: str, direction: str) -> tuple[StreamPort, StreamScript]:
        index = self.build.interface.index(name)
        port = self.build.interface.streams[index]
        if port.direction != direction:
            verb = "sent to" if direction == "in" else "expected from"
            raise InterfaceError(f"stream {name} is an {port.direction}put; nothing can be {verb} it")
        return port, self.plan.streams[index]


def execute(build: Build, plan: Plan, *, timeout: float | None = None, trace: Sequence[str] = ()) -> Result:
    """Run a plan on a build, without judging it; ``trace`` is waveform file, first and last cycle."""
    top = build.interface.top
    with scratch_folder("run") as folder, Children() as children:
        (folder / "script").write_bytes(plan.script(build.interface))
        done = children.run([build.program, folder / "script", folder / "result", *trace], cwd=folder, timeout=timeout)
        if done.timed_out:
            raise SimulationFailed(f"{top}, seed {plan.seed}: no end after {timeout} s of wall time")
        if done.code != 0:
            raise HarnessError(f"the simulation of {top} broke off (code {done.code}): {done.output.strip()}")
        return read_result(folder / "result", build.interface, done.output, plan.seed)
