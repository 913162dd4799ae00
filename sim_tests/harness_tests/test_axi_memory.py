"""The bytes of the memory behind a manager port, after bursts of every shape."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.sim_tests.harness import InterfaceError, Stall
from tilewright.sim_tests.harness.axi_memory import AxiMemory, ErrorRange
from tilewright.sim_tests.harness_tests import axi_mover as mover
from tilewright.sim_tests.harness_tests.axi_mover import move, noise, session, set_up

FIXED, INCR, WRAP = range(3)


def bytes_of(address: int, length: int, size: int, burst: int) -> Iterator[range]:
    """Addresses of the bytes of each beat, as A3.4.1 of the specification gives them."""
    width = 1 << size
    low = address // (width * length) * (width * length)
    at = address
    for _ in range(length):
        end = at // width * width + width
        yield range(at, end)
        if burst != FIXED:
            at = low if burst == WRAP and end == low + width * length else end


def moved(memory: NDArray[np.uint8], **shape: int) -> NDArray[np.uint8]:
    """What the memory holds after a move whose source and target lie on the same lanes."""
    result = memory.copy()
    beats = [memory[at.start : at.stop] for at in each(shape, shape["source"])]
    for at, data in zip(each(shape, shape["target"]), beats, strict=True):
        result[at.start : at.stop] = data
    return result


def each(shape: dict[str, int], start: int) -> Iterator[range]:
    for index in range(shape["bursts"]):
        address = start + index * (shape["length"] << shape["size"])
        yield from bytes_of(address, shape["length"], shape["size"], shape["burst"])


def shapes(count: int) -> Iterator[dict[str, int]]:
    """Legal bursts of all kinds."""
    rng = np.random.default_rng(7)
    for index in range(count):
        burst = (INCR, INCR, WRAP, FIXED)[index % 4]
        size = int(rng.integers(0, 4))
        most = {INCR: 256, FIXED: 16, WRAP: 16}[burst]
        length = int(rng.integers(1, most + 1)) if burst != WRAP else 2 << int(rng.integers(0, 4))
        total = length << size
        bursts = int(rng.integers(1, max(2, 2048 // total)))
        if burst == INCR:
            bursts = min(bursts, 4096 // total)
            room = 4096 - bursts * total  # all bursts in one page
            offset = int(rng.integers(0, room + 1)) if room else 0
        else:
            offset = int(rng.integers(0, 512)) << (size if burst == WRAP else 0)
        # Only the last bytes of an address decide the lanes.
        source, target = offset + 4096, offset + (8 << 12) + (0 if burst == INCR else 4096)
        yield {"burst": burst, "size": size, "length": length, "bursts": bursts, "source": source, "target": target}


def test_bursts_of_all_shapes_under_all_conditions() -> None:
    orders = ("any", "aw first", "w first")
    beats = 0
    with session() as s:
        for index, shape in enumerate(shapes(60)):
            stalls = {channel: 0.2 * (index % 3) for channel in ("ar", "r", "aw", "w", "b")}
            stalls["r"] = Stall(0.1, 0.02, (10, 40)) if index % 5 == 0 else stalls["r"]  # type: ignore[assignment]
            s.configure(AxiMemory(1 + index % 9, index % 7, outstanding=1 + index % 6, order=orders[index % 3],
                                  stalls=stalls, seed=index))  # fmt: skip
            s.memory[:65536] = noise(index, 65536)
            wanted = moved(s.memory[:65536], **shape)
            move(s, **shape)
            assert np.array_equal(s.memory[:65536], wanted), shape
            beats += shape["bursts"] * shape["length"]
            counted = s.counters()
            assert (counted["read_beats"], counted["write_beats"]) == (beats, beats)
            assert counted["open_reads"] == counted["open_writes"] == counted["errors"] == 0
        tried = s.coverage()
    for rule in ("wrap_length", "fixed_length", "page", "strobe_lanes", "b_after_w", "payload_stable"):
        assert tried[rule] > 10


def test_counters_of_bytes() -> None:
    with session() as s:
        move(s, source=3, target=0x8003, length=4, size=3)
        move(s, source=0x102, target=0x8102, length=4, size=1, bursts=2, step=8)
        counted = s.counters()
    assert (counted["read_bursts"], counted["read_beats"], counted["read_bytes"]) == (3, 12, 29 + 16)
    assert (counted["write_bursts"], counted["write_beats"], counted["write_bytes"]) == (3, 12, 29 + 16)


def test_strobes_of_single_bytes() -> None:
    with session() as s:
        s.memory[:64] = noise(3, 64)
        s.memory[0x8000:0x8040] = 99
        move(s, length=8, fault=mover.SPARSE_STROBES)
        assert np.array_equal(s.memory[0x8000:0x8040:2], s.memory[0:64:2])
        assert np.all(s.memory[0x8001:0x8040:2] == 99)
        assert s.counters()["write_bytes"] == 32


@pytest.mark.parametrize("order", ["any", "w first"])
def test_reset_drops_writes_that_were_not_answered(order: str) -> None:
    with session(hold_writes=True, order=order, stalls={"aw": 0.9}) as s:
        s.memory[: 16 * 32] = noise(4, 512)
        set_up(s, source=64, bursts=8, length=6)
        s.write(mover.CONTROL, 1)
        s.run(90)
        counted = s.counters()
        assert counted["write_beats"] > 6 * counted["write_bursts"]  # data ran ahead
        s.reset()
        s.configure(AxiMemory(order=order))
        assert s.counters()["open_writes"] == 0
        move(s, source=0, target=0x8000, bursts=3, length=5)
        assert np.array_equal(s.memory[0x8000 : 0x8000 + 120], s.memory[:120])
        assert not s.memory[0x8000 + 120 : 0x9000].any()


def test_unused_lanes_carry_noise() -> None:
    with session() as s:
        # Strobes of the write show lanes that the read did not ask for.
        seen = set()
        for _ in range(20):
            move(s, source=0x100, target=0x8001, size=0)
            seen.add(int(s.memory[0x8001]))
    assert len(seen) > 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"latency": 0}, "latency of the memory must be 1..2147483647, got 0; nearest is 1"),
        ({"jitter": -1}, "jitter of the memory must be 0..2147483647, got -1; nearest is 0"),
        ({"write_latency": 0}, "write_latency of the memory must be 1..2147483647, got 0; nearest is 1"),
        ({"outstanding": 0}, "outstanding of the memory must be 1..2147483647, got 0; nearest is 1"),
        ({"order": "w"}, r"order of the memory must be one of .*, got 'w'; nearest is 'any'"),
        ({"stalls": {"x": 0.1}}, r"stalls of the memory are for .*, got 'x'"),
        ({"stalls": {"r": Stall(wait_for_valid=True)}}, "wait_for_valid is for ar, aw, w, got it for r"),
        ({"stalls": {"r": 2.0}}, "stall probability must be 0..1, got 2.0"),
        ({"errors": [ErrorRange(0, 0)]}, "an error range has an address, 1 byte or more, SLVERR or DECERR"),
        ({"errors": [ErrorRange(0, 1, "OKAY")]}, "an error range has an address, 1 byte or more, SLVERR or DECERR"),
    ],
)
def test_settings_that_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InterfaceError, match=message):
        AxiMemory(**arguments)  # type: ignore[arg-type]
