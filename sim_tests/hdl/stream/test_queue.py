import numpy as np
import pytest

from tilewright.hdl.stream import Queue
from tilewright.sim_tests.hdl.stream.bench import PACES, QUEUE_DEPTH, bench, numbers

# Order, latency, throughput, room and reset: with those of the buffer, in test_buffer.


@pytest.mark.parametrize("pace", PACES)
def test_level_counts_what_is_inside(pace: str) -> None:
    idle, stall = PACES[pace]
    payloads = bench().payloads(numbers(200, 1), "queue_i")
    run = bench().run(5).send("queue_i", payloads, stall=idle).expect("queue_o", payloads, stall=stall)
    result = run.execute()
    level = np.array(bench().outputs(result, "queue")["level"])
    cycles = np.arange(len(level))
    inside = [np.searchsorted(result[name].cycle, cycles, side="left") for name in ("queue_i", "queue_o")]
    assert (level == inside[0] - inside[1]).all()
    if pace in ("slow consumer", "random", "bursts"):
        assert level.max() == QUEUE_DEPTH


@pytest.mark.parametrize("depth", [-4, 0, 1, 3, 12])
def test_depth(depth: int) -> None:
    with pytest.raises(ValueError, match=rf"^depth must be a power of two of at least 2, got {depth}$"):
        Queue("q", 8, depth)
