"""An interactive run of a design with AXI ports: a memory that Python sees, registers that it reads and writes."""

from __future__ import annotations

import contextlib
import mmap
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.sim_tests.harness import ledger
from tilewright.sim_tests.harness.axi_memory import ORDERS, RESPONSES, AxiMemory
from tilewright.sim_tests.harness.axi_plan import AxiPlan
from tilewright.sim_tests.harness.axi_recording import AxiRecorder
from tilewright.sim_tests.harness.axi_rules import Violation
from tilewright.sim_tests.harness.build import Build, make
from tilewright.sim_tests.harness.errors import HarnessError, InterfaceError, SimulationFailed
from tilewright.sim_tests.harness.nameless_file import nameless_file
from tilewright.sim_tests.harness.simulator_process import SimulatorProcess, pairs


class AxiSession:
    """A design, a memory behind its AXI4 manager port, and an AXI4-Lite master at its registers.

    Cycle t is rising edge t, edge 0 the first without reset; :attr:`cycle` is the next edge. Between calls time stands
    still. All of it runs in a compiled driver: a call costs one exchange of lines, a cycle costs no Python at all.
    Every rule of :func:`~tilewright.sim_tests.harness.axi_rules.rules` is watched on both ports, in every cycle.

    Use it in a ``with`` block. After an exception the design can still be asked, unless its process is gone.

    Args:
        build: the design; its streams are those of `axi_ports` and `axi_lite_ports`, either or both.
        memory_bytes: size of the memory, a multiple of 4096 up to 2^32; pages never touched cost nothing.
        base: address of its first byte.
        settings: how the memory behaves.
        seed: 1 .. 2^31-1: initial register values, latencies, stalls, noise.
        manager: name of the manager port; of several the name before their numbers.
        registers: name of the AXI4-Lite port.
        interrupt: a plain output of one bit that is watched in every cycle; ``None`` if there is none.
        inputs: values of the design's plain inputs; those not named are 0.
        reset: cycles of reset before cycle 0.
        stop: end a call in the cycle in which a rule is broken, with SimulationFailed. Otherwise :meth:`violations`
            collects them.
        trace: waveform to write (VCD). Rising edge t lies at time ``10 * (t + reset + 1)``.
        timeout: seconds of wall time after which a call is given up.
    """

    def __init__(
        self,
        build: Build,
        *,
        memory_bytes: int = 1 << 20,
        base: int = 0,
        settings: AxiMemory | None = None,
        seed: int = 1,
        manager: str = "m_axi",
        registers: str = "s_axi",
        interrupt: str | None = "irq",
        inputs: Mapping[str, int] | None = None,
        reset: int = 4,
        stop: bool = True,
        trace: Path | None = None,
        timeout: float | None = None,
    ) -> None:
        self.plan = AxiPlan(memory_bytes, base, seed, manager, registers, interrupt, dict(inputs or {}), reset, stop)
        self.build = make(replace(build.spec, trace=True)) if trace else build
        self.timeout = timeout
        #: Seed of everything that is drawn.
        self.seed = seed
        #: Next rising edge.
        self.cycle = -reset
        #: Level of the interrupt at the last edge.
        self.interrupt = False
        self._seconds = 0.0
        setup = self.plan.setup(self.build.interface)
        self._file = nameless_file(memory_bytes)
        #: The memory: byte i has the address ``base + i``. It stays when the session ends.
        self.memory: NDArray[np.uint8] = np.frombuffer(mmap.mmap(self._file, memory_bytes), dtype=np.uint8)
        self._recorder = AxiRecorder(build.spec, self.plan, self._file)
        self._process = SimulatorProcess(self.build.program, self.build.interface.top, [self._file])
        try:
            for line in (f"seed {seed}", f"memory {self._file} {memory_bytes} {base}", *setup):
                self._process.tell(line)
            waveform = f" {trace.absolute()}" if trace else ""
            self.act(self.plan.begin(self.build.interface) + waveform)
            self.configure(settings or AxiMemory())
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> AxiSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        if self._file < 0:
            return
        with contextlib.suppress(HarnessError, ValueError):
            beats = 0
            for number in self._numbers(None):
                counted = pairs(self._process.ask(f"counters {number}", 10.0)[3:])
                beats += counted["read_beats"] + counted["write_beats"]
            cycles = self.cycle + self.plan.reset
            ledger.count_run(cycles=cycles, seconds=self._seconds, beats=beats, compared=0, stalls=0)
        self._process.close()
        os.close(self._file)
        self._file = -1

    @property
    def pid(self) -> int:
        """Number of the process that simulates."""
        return self._process.pid

    def configure(self, settings: AxiMemory, port: int | None = None) -> None:
        """Let the memory behave otherwise from now on, for one manager port or all of them; draws begin anew."""
        for number in self._numbers(port):
            self.act(settings.command(self.seed, number))

    def write(
        self,
        register: int,
        value: int,
        *,
        order: str = "any",
        delay: int = 0,
        patience: int = 0,
        strobes: int | None = None,
        response: str = "OKAY",
        limit: int = 10_000,
    ) -> int:
        """Write a register and wait for the response; returns the edge at which the data was accepted.

        Args:
            register: its address.
            value: of the width of the bus.
            order: ``"any"``: address and data at once; ``"aw first"``, ``"w first"``: the other follows ``delay``
                cycles later, whether the first was accepted or not.
            delay: see ``order``.
            patience: cycles that the response waits for ready.
            strobes: bytes to write, all if ``None``.
            response: the one expected.
            limit: cycles it may take.
        """
        lanes = self.plan.register_bits(self.build.interface) // 8
        if not 0 <= value < 1 << 8 * lanes:
            raise InterfaceError(f"a register has {8 * lanes} bits, got {value}")
        if order not in ORDERS:
            raise InterfaceError(f"order of a write must be one of {ORDERS}, got {order!r}; nearest is 'any'")
        enabled = (1 << lanes) - 1 if strobes is None else strobes
        what = f"write of 0x{value:x} to register 0x{register:x}"
        line = f"write {limit} {register} {ORDERS.index(order)} {delay} {patience} {value} {enabled}"
        accepted, _, got, _ = self.act(line, what, limit)
        self._expect(what, response, int(got))
        return int(accepted)

    def read(
        self, register: int, *, delay: int = 0, patience: int = 0, response: str = "OKAY", limit: int = 10_000
    ) -> int:
        """Read a register; ``delay`` cycles before its address, data wait ``patience`` cycles for ready."""
        self.plan.register_bits(self.build.interface)
        what = f"read of register 0x{register:x}"
        _, _, got, value = self.act(f"read {limit} {register} 0 {delay} {patience}", what, limit)
        self._expect(what, response, int(got))
        return int(value)

    def _expect(self, what: str, wanted: str, got: int) -> None:
        if RESPONSES[got] != wanted:
            raise self.failure(f"the {what} was answered {RESPONSES[got]}, expected {wanted}")

    def run(self, cycles: int) -> None:
        """Let so many cycles pass."""
        self.act(f"run {cycles}")

    def wait_interrupt(self, limit: int) -> int:
        """Wait until the interrupt is high; returns the edge at which it first was.

        Returns at once where it was high at the last edge. Fails after ``limit`` cycles.
        """
        self._must_have_interrupt()
        return int(self.act(f"interrupt {limit}", "wait for the interrupt", limit)[0])

    def interrupt_within(self, cycles: int, since: float) -> int | None:
        """The same, but None after so many cycles. The timeout counts from the ``time.monotonic`` ``since`` on."""
        self._must_have_interrupt()
        if self.timeout is not None and time.monotonic() - since > self.timeout:
            raise self.failure(str(self._process.give_up(self.timeout)))
        found = self.act(f"within {cycles}")
        return int(found[0]) if found else None

    def _must_have_interrupt(self) -> None:
        if self.plan.interrupt is None:
            raise InterfaceError(f"{self.build.interface.top} has no interrupt")

    def reset(self, cycles: int = 4) -> None:
        """Reset the design for so many cycles; what was under way is forgotten, the memory keeps its bytes."""
        self.act(f"reset {cycles}")

    def load(self, address: int, data: NDArray[Any] | bytes) -> None:
        """Write bytes to the memory from ``address`` on, in a way that a replay repeats.

        Of changes made through :attr:`memory` a replay knows those made before the first cycle that was asked for.
        """
        start = address - self.plan.base
        raw = np.frombuffer(np.ascontiguousarray(data).tobytes() if isinstance(data, np.ndarray) else data, np.uint8)
        if start < 0 or start + len(raw) > len(self.memory):
            raise InterfaceError(f"bytes 0x{address:x}..0x{address + len(raw) - 1:x} are not in the memory")
        self._recorder.load(start, raw.tobytes())
        self.memory[start : start + len(raw)] = raw

    def counters(self, port: int | None = None) -> dict[str, int]:
        """What passed through a manager port so far, or through all of them together.

        ``read_bursts``, ``read_beats``, ``read_bytes``, ``write_bursts``, ``write_beats``, ``write_bytes``;
        ``read_waits``: cycles in which the design did not take an offered R; ``write_waits``: in which W had to wait;
        ``most_reads``, ``most_writes``: bursts under way at once; ``open_reads``, ``open_writes``: now; ``errors``.
        """
        total: dict[str, int] = {}
        for number in self._numbers(port):
            for name, value in pairs(self.act(f"counters {number}")).items():
                total[name] = total.get(name, 0) + value
        return total

    def _numbers(self, port: int | None) -> range:
        """Manager ports by number; one that does not exist is refused."""
        count = len(self.plan.managers(self.build.interface))
        if port is None:
            return range(count)
        if not 0 <= port < count:
            raise InterfaceError(f"a manager port of {self.build.interface.top} must be 0..{count - 1}, got {port}")
        return range(port, port + 1)

    def coverage(self) -> dict[str, int]:
        """How often each rule could have been broken."""
        return pairs(self.act("coverage"))

    def violations(self) -> list[Violation]:
        """The breaches so far, at most 1000."""
        count = int(self.act("violations")[0])
        return [Violation.parse(self._process.line()) for _ in range(count)]

    def failure(self, reason: str, *, cycle: int | None = None, stream: str = "") -> SimulationFailed:
        """The exception for something that the caller found: with seed and the line that replays the session."""
        return self._recorder.failure(reason, self.cycle if cycle is None else cycle, stream)

    def act(self, line: str, what: str = "", limit: int = 0) -> list[str]:
        """Send the driver a command and return the values of its answer; raises what went wrong.

        The other methods say what they do; this one is for replays. ``within`` is an ``interrupt`` that may not come.
        """
        if self._file < 0:
            raise HarnessError(f"the session of {self.build.interface.top} has ended")
        self._recorder.command(line)
        start = time.perf_counter()
        try:
            status, cycle, level, *values = self._process.ask(line.replace("within", "interrupt", 1), self.timeout)
        except HarnessError as error:
            raise self.failure(str(error)) from None
        self._seconds += time.perf_counter() - start
        self.cycle, self.interrupt = int(cycle), level == "1"
        if status == "ok":
            return values
        if status == "limit" and line.startswith("within"):
            return []
        raise self._finding(status, values, what, limit)

    def _finding(self, status: str, values: list[str], what: str, limit: int) -> SimulationFailed:
        last = self.cycle - 1
        if status == "violation":
            first = self.violations()[0]
            return self.failure(str(first), cycle=first.cycle, stream=f"{first.port}_{first.channel}")
        if status == "limit":
            return self.failure(f"no end of the {what} after the limit of {limit} cycles: {self._state()}")
        if status == "busy":
            return self.failure(f"the {what} came while another access had not ended")
        if status == "finished":
            said = self._process.said()
            return self.failure(f"the design ended the simulation in cycle {last}: {said}", cycle=last)
        if status == "zero":
            interface = self.build.interface
            name = (*interface.inputs, *interface.outputs, *interface.zeros)[int(values[0])][0]
            return self.failure(f"output {name} is not 0 in cycle {last} and must stay 0", cycle=last, stream=name)
        return self.failure(" ".join([status, *values]))

    def _state(self) -> str:
        """What is under way, for messages."""
        counted = self.counters()
        told = [name for name in ("read_bursts", "open_reads", "write_bursts", "open_writes") if name in counted]
        return ", ".join(f"{name} {counted[name]}" for name in told)
