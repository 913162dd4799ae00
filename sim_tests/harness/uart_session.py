"""An interactive run of a design of which two wires are a UART: bytes in, bytes out."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from tilewright.sim_tests.harness import ledger
from tilewright.sim_tests.harness.build import Build, make
from tilewright.sim_tests.harness.errors import HarnessError
from tilewright.sim_tests.harness.simulator_process import SimulatorProcess

FINE = 256
"""Parts of a cycle in which the length of a bit is told."""


class UartSession:
    """A design with plain ports ``rx`` and ``tx``, and the far end of these wires, 8N1, with a clock of its own.

    All of it runs in a compiled driver: a byte costs no Python per cycle. Between calls time stands still.

    Args:
        build: the design; it has no reset port, and whatever inputs besides `rx` it has are 0.
        divisor: cycles of a bit, not necessarily whole.
        rx, tx: names of its ports.
        seed: 1 .. 2^31-1: initial values of registers that have none.
        trace: waveform to write (VCD). Rising edge t lies at time ``10 * (t + 1)``.

    Attributes:
        cycle: the next rising edge.
    """

    def __init__(
        self, build: Build, divisor: float, *, rx: str = "rx", tx: str = "tx", seed: int = 1, trace: Path | None = None
    ) -> None:
        self.build = make(replace(build.spec, trace=True)) if trace else build
        self.divisor, self.cycle = divisor, 0
        self._seconds, self._bytes = 0.0, 0
        interface = self.build.interface
        plains = [name for name, _ in (*interface.inputs, *interface.outputs, *interface.zeros)]
        self._process = SimulatorProcess(self.build.program, interface.top, mode="uart")
        waveform = f" {trace.absolute()}" if trace else ""
        try:
            self._ask(f"begin {seed} {plains.index(rx)} {plains.index(tx)} {round(FINE * divisor)}{waveform}")
        except BaseException:
            self._process.close()
            raise

    def __enter__(self) -> UartSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the run."""
        self._process.close()
        ledger.count_run(cycles=self.cycle, seconds=self._seconds, beats=self._bytes, compared=0, stalls=0)

    def send(self, data: bytes) -> None:
        """Puts bytes on the wire, one behind the other, after those that are on their way."""
        if data:
            self._bytes += len(data)
            self._ask(f"send {data.hex()}")

    def hold(self, cycles: int) -> None:
        """Keeps the wire at 0 for so long, after what is on its way: a break."""
        self._ask(f"hold {cycles}")

    def pace(self, divisor: float) -> None:
        """What is sent from now on has bits of ``divisor`` cycles."""
        self._ask(f"period {round(FINE * divisor)}")

    def receive(self, count: int, cycles: int) -> bytes:
        """The bytes that have come once there are ``count``, or after so many cycles."""
        answer = self._ask(f"run {cycles} {count}")
        self.cycle = int(answer[0])
        came = bytes.fromhex(answer[1]) if len(answer) > 1 else b""
        self._bytes += len(came)
        return came

    def _ask(self, line: str) -> list[str]:
        start = time.perf_counter()
        status, *values = self._process.ask(line)
        self._seconds += time.perf_counter() - start
        if status != "ok":
            raise HarnessError(f"{self.build.interface.top}: {' '.join([status, *values])} {self._process.said()}")
        return values
