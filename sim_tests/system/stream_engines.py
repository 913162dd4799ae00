"""The engine with AXI4-Stream ports that the system tests simulate, and what they do to its packets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import engine_config
from tilewright.generators.program.encode import encode
from tilewright.generators.reference.engine_packets import packets
from tilewright.sim_tests.harness.axis_dma import AxisDma, DmaSettings, Part
from tilewright.sim_tests.simulate.stream_transport import parts
from tilewright.sim_tests.system.engine_designs import EngineDesign
from tilewright.sim_tests.system.engine_probe import PROGRAM, Outcome, Probe, Program

DMA = DmaSettings(latency=12)


@lru_cache(maxsize=1)
def stream_engine() -> EngineDesign:
    """The one of the gate: with all that loads and stores can have."""
    fields = {"rows": 3, "cols": 5, "dataflow": "any", "data_ports": "axi4-stream", "bus_bits": 64, "channels": 32}
    fields |= {
        "row_sums": 96,
        "adds": True,
        "pool_words": 32,
        "table": True,
        "a_words": 96,
        "b_words": 96,
        "c_words": 64,
    }
    return EngineDesign("streams", engine_config({"module_name": "engine_streams", **fields}))


@dataclass(frozen=True)
class Spoilt:
    """What is wrong with a packet: see `AxisDma.add`."""

    longer: int = 0
    hole: int = -1


class StreamProbe(Probe):
    """A `Probe` of the engine with streams; the DMA sends and receives the packets of what it runs."""

    def __init__(self, settings: DmaSettings = DMA, **options: Any) -> None:
        super().__init__(stream_engine(), **options)
        self.dma = AxisDma(self.session, settings)

    def start(
        self,
        program: Program | None = None,
        *,
        count: int | None = None,
        watchdog: int = 0,
        spoilt: Mapping[str, Mapping[int, Spoilt]] | None = None,
        loads: int | None = None,
    ) -> None:
        """See `Probe.start`.

        ``spoilt``: of a stream, by number, the packets that are not as they should be; ``loads``: so many are sent.
        """
        chosen = self.known.instructions if program is None else program
        raw = chosen if isinstance(chosen, np.ndarray) else encode(chosen).ravel()
        self.session.load(PROGRAM, raw)
        self.dma.forget()
        self.dma.begin()
        self.queue(raw, {} if spoilt is None else spoilt, whole=count != 0, loads=loads)
        self.write("interrupt_enable", 1)
        self.write("watchdog", watchdog)
        self.write("program_count", len(raw) // 64 if count is None else count)
        self.write("control", 1)

    def queue(
        self,
        raw: NDArray[np.uint8],
        spoilt: Mapping[str, Mapping[int, Spoilt]],
        *,
        whole: bool = True,
        loads: int | None = None,
    ) -> None:
        """Gives the DMA the packets of a program, but not that of the program itself where it is not ``whole``."""
        found = packets(raw, self.design.config)

        def how(stream: str, number: int) -> dict[str, int]:
            return vars(spoilt.get(stream, {}).get(number, Spoilt()))

        if whole:
            self.dma.add("s_axis_program", [Part(PROGRAM, len(raw))], **how("s_axis_program", 0))
        for number, packet in enumerate(found.loads[:loads]):
            self.dma.add("s_axis_load", parts(packet), after=packet.after, **how("s_axis_load", number))
        for packet in found.stores:
            self.dma.add("m_axis_store", parts(packet))

    def finish(self) -> Outcome:
        """See `Probe.finish`; all that has come is in memory then."""
        found = super().finish()
        self.dma.settle()
        return found

    def watch_packets(self, *, on: bool) -> None:
        """Whether rules of whole packets hold: not where some are spoilt on purpose."""
        self.dma.configure(replace(DMA, packets=on))
