"""Faults in what a board takes, taken apart again: what `tilewright selftest` says of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.link.link import LinkError
from tilewright.fpga.host.selftest import selftest
from tilewright.fpga.host.selftest_failed import SelftestFailed
from tilewright.sim_tests.benchmarks.mutants import awake
from tilewright.sim_tests.harness import BuildFailed, HarnessError
from tilewright.sim_tests.simulate.board import awake_board
from tilewright.sim_tests.simulate.uart_wire import QUIET, UartWire

WRONG, SILENT, UNSETTLED, ENDLESS, CONFUSED = (
    "wrong result",
    "no or a wrong answer",
    "does not settle",
    "no end",
    "the host cannot go on",
)
REFUSED = "cannot be taken apart"
CAUGHT = (WRONG, SILENT, UNSETTLED, ENDLESS, CONFUSED, REFUSED)
"""How a fault is caught."""


@dataclass(frozen=True)
class Verdict:
    """What the selftest found: one of `CAUGHT`, or "" where all was right; the words; the product, 1 and up, at which
    that was, 0: before the first one."""

    kind: str
    words: str
    product: int


@dataclass
class Faulty:
    """A board's design with faults that sleep in it.

    Attributes:
        sources: file name to text.
        top: its top module.
        divisor: cycles of a bit.
        pace: cycles at the end of each product without a fault, once that has been found.
    """

    sources: Mapping[str, str]
    top: str
    divisor: int
    pace: list[int] = field(default_factory=list)

    def right(self, products: int, tell: Callable[[int], None] = lambda done: None) -> Verdict:
        """The selftest without a fault, which the others are measured by; it must go before them."""
        pace: list[int] = []

        def note(done: int, cycle: int) -> None:
            pace.append(cycle)
            tell(done)

        found = self._verdict(0, products, note)
        self.pace = pace
        return found

    def verdict(self, number: int, products: int, tell: Callable[[int], None] = lambda done: None) -> Verdict:
        """Likewise with fault ``number``, to the first product that is wrong."""
        return self._verdict(number, products, lambda done, cycle: tell(done))

    def _verdict(self, number: int, products: int, tell: Callable[[int, int], object]) -> Verdict:
        done, begun = 0, False

        def count(finished: int) -> None:
            nonlocal done
            done = finished
            wire.most = _most(self.pace, finished)
            tell(finished, wire.session.cycle)

        try:
            with awake(number):
                wire = _Bounded(awake_board(self.sources, self.top, self.divisor), _most(self.pace, 0))
                with Accelerator.behind(wire) as accelerator:
                    begun = True
                    selftest(accelerator, products, tell=count)
        except BuildFailed:
            raise
        except Exception as error:  # a fault may garble what the host reads in any way
            words = str(error).splitlines()[0] if str(error) else type(error).__name__
            return Verdict(_kind(error), words, done + begun)
        return Verdict("", "", products)


class _Endless(Exception):
    """A design that sends for ever."""


class _Bounded:
    """A wire of which no more is heard after so many cycles."""

    def __init__(self, wire: UartWire, most: int) -> None:
        self.session, self.most, self._wire = wire.session, most, wire

    def send(self, data: bytes) -> None:
        """See `Wire`."""
        self._wire.send(data)

    def receive(self, count: int) -> bytes:
        """See `Wire`."""
        if self.session.cycle > self.most:
            raise _Endless(f"bytes that are no answers still come after {self.session.cycle} cycles")
        return self._wire.receive(count)

    def close(self) -> None:
        """See `Wire`."""
        self._wire.close()


def _most(pace: list[int], done: int) -> int:
    """Cycles within which the next product ends, or silence is told, many times over."""
    return 4 * pace[min(done, len(pace) - 1)] + 100 * QUIET if pace else 1 << 62


def _kind(error: Exception) -> str:
    kinds = {SelftestFailed: WRONG, LinkError: SILENT, HarnessError: UNSETTLED, _Endless: ENDLESS}
    return next((kind for of, kind in kinds.items() if isinstance(error, of)), CONFUSED)
