"""Streams (valid, ready, payload) and the blocks between them; every block has registers in both directions.

Rules, as in `amaranth.lib.stream`: a payload moves in a cycle in which ``valid`` and ``ready`` are high; while
``valid`` is high and ``ready`` low both ``valid`` and the payload stay; ``valid`` never waits for ``ready``.
"""

from tilewright.hdl.stream.beat import beat_layout
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.stream.checker import Checker
from tilewright.hdl.stream.credit import Credit
from tilewright.hdl.stream.fork import Fork
from tilewright.hdl.stream.join import Join
from tilewright.hdl.stream.narrow import Narrow
from tilewright.hdl.stream.priority_mux import PriorityMux
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.stream.round_robin_mux import RoundRobinMux
from tilewright.hdl.stream.select_mux import SelectMux
from tilewright.hdl.stream.watched import Watched
from tilewright.hdl.stream.widen import Widen

__all__ = [
    "Buffer",
    "Checker",
    "Credit",
    "Fork",
    "Join",
    "Narrow",
    "PriorityMux",
    "Queue",
    "RoundRobinMux",
    "SelectMux",
    "Watched",
    "Widen",
    "beat_layout",
]
