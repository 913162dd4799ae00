"""When the instructions of an engine's program begin and end: a model of events, burst by burst."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.engine_bursts import Bursts, Shape, bursts
from tilewright.generators.reference.engine_queue import Moment
from tilewright.generators.reference.engine_reads import CHECK, WAY_IN
from tilewright.generators.reference.engine_records import Entry, Into, Op
from tilewright.generators.reference.engine_run import FETCH_FIRST, PROGRAM_END, Run
from tilewright.generators.reference.engine_walks import GIVE, NEVER, SEND, WALK
from tilewright.generators.reference.engine_writes import RAW, RELEASED
from tilewright.hdl.numeric import Format, IntFormat, container_bytes

# For estimates; cycles.
START = FETCH_FIRST  # from the write of the start bit to the first request for instructions
LOAD_START = 1 + WALK + GIVE + SEND  # from a load's tokens to its first request on the bus
LOAD_END = WAY_IN + 2  # from a load's last beat to its tokens
COMMAND_START = COMMAND_END = 0
TABLE_VALUES = 4  # of a word of the table
STORE_START = 1 + CHECK + RELEASED + 2  # from a store's tokens to its first word out of C
STORE_WAY = RAW + 7  # from there to the bus, where nothing is looked up, added or pooled
STORE_END = 6  # from the last response to the tokens


class NoEnd(ValueError):
    """A program that the model does not follow to its end."""


class EngineCycles:
    """A model of the time that programs take.

    Reads and instructions share the bus's read channel, writes have their own; each of their bursts is followed, and so
    is the port of the core that takes or gives the words. Commands follow the core's model.

    Args:
        config: the engine.
        latency: cycles from a request at the port to its first beat, and from a last beat to its response.
    """

    def __init__(self, config: EngineConfig, latency: int = 60) -> None:
        self.config, self.latency = config, latency
        self.core = cycle_model(config)

    def cycles(self, program: Iterable[Entry], limit: int = NEVER) -> int:
        """Cycles from the write of the start bit to the interrupt; `NEVER` where these are known to be more than
        ``limit``."""
        run = Run(self, list(program), limit)
        moments = run.moments()
        if run.beyond:
            return NEVER
        if not run.ended:
            raise NoEnd("the program must come to its end, and it does not in the model of time")
        return max(moment.ends for moment in moments) + PROGRAM_END

    def run(self, program: Iterable[Entry]) -> list[Moment]:
        """When each instruction begins and ends, up to the END. The program's order must be a legal one."""
        return Run(self, list(program)).moments()

    def format(self, entry: Entry) -> tuple[Format, int]:
        """(format in memory, values of a word of the core's port) of what a load or store moves."""
        into, pads = entry.fields.get("target", 0), self.config.scratchpads
        if entry.op == Op.STORE:
            finished = into and self.config.result is not None
            return self.config.result if finished else self.config.acc, pads.c.lanes
        formats = {
            Into.A: (self.config.a, pads.a.lanes * self.config.vector),
            Into.B: (self.config.b, pads.b.lanes),
            Into.CHANNELS: (IntFormat(64), _divisor(pads.c.lanes, max(1, self.config.bus_bits // 64))),
            Into.RESIDUAL: (self.config.result, pads.c.lanes),
            Into.TABLE: (self.config.result, TABLE_VALUES),
        }
        return formats.get(Into(into), (self.config.acc, pads.c.lanes))

    def bursts(self, entry: Entry, tensor: Mapping[str, int]) -> Bursts:
        """What a load or store is moved in."""
        fmt, values = self.format(entry)
        size = container_bytes(fmt)
        shape = Shape(self.config.bus_bits // 8, self.config.longest_burst, values * size, entry.op == Op.LOAD)
        return bursts(entry.fields, tensor, size, shape, self.config.address_bits)


def _divisor(number: int, most: int) -> int:
    """The largest one that is at most ``most``."""
    return max(found for found in range(1, most + 1) if number % found == 0)
