import numpy as np
import pytest
from amaranth.lib.wiring import In

from tilewright.hdl.structure import Repeat
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.structure.blocks import STRUCTURES, Link, chain, simulate

CHAINS = ["chain1", "chain5", "open_chain"]
COUNT = 60


def stimulus(label: str, seed: int) -> dict[str, list[int]]:
    block, rng = STRUCTURES[label](), np.random.default_rng(seed)
    inputs = {name: len(getattr(block, name)) for name, member in block.signature.members.items() if member.flow is In}
    return {name: rng.integers(0, 1 << width, COUNT).tolist() for name, width in inputs.items()}


@pytest.mark.parametrize("label", CHAINS)
def test_chained_shared_and_lane_ports(label: str) -> None:
    block, given = STRUCTURES[label](), stimulus(label, 1)
    got = bench().wiggle(label, given)
    for cycle in range(COUNT):
        for index in range(block.count):
            if cycle >= index:
                x = given["x_in"][cycle - index]
                y = given["y"][cycle] >> index * 5 & 31
                wanted = (x + y + given["common"][cycle]) % 64
                assert got["s"][cycle] >> index * 6 & 63 == wanted, f"lane {index} in cycle {cycle}"
        if cycle >= block.count:
            assert got["x_out"][cycle] == given["x_in"][cycle - block.count]
            if label != "open_chain":
                assert got["flag_out"][cycle] == given["flag_in"][cycle - block.count] ^ block.count & 1


@pytest.mark.parametrize("label", [*CHAINS, "rams"])
def test_amaranth_says_the_same_as_the_written_verilog(label: str) -> None:
    block, given = STRUCTURES[label](), stimulus(label, 2)
    start = block.count
    if label == "rams":
        # Written first, then read only where nothing is written.
        start = 5
        given["write_enable"][:4], given["write_address"][:4] = (
            [7] * 4,
            [sum(a << 2 * i for i in range(3)) for a in range(4)],
        )
        given["read_enable"][:4] = [0] * 4
        given["write_enable"][4:] = [0] * (COUNT - 4)
        given["read_enable"][4] = 7
    written, simulated = bench().wiggle(label, given), simulate(block, given)
    assert written.keys() == simulated.keys()
    for port, values in simulated.items():
        assert written[port][start:] == values[start:], port


def test_ports() -> None:
    block = chain(4, drop=("flag_out",))
    assert block.lanes == ("y", "s")
    widths = {name: len(getattr(block, name)) for name in block.signature.members}
    assert widths == {"x_in": 4, "y": 20, "common": 3, "x_out": 4, "s": 24, "flag_in": 1}


@pytest.mark.parametrize("count", [-1, 0])
def test_count(count: int) -> None:
    with pytest.raises(ValueError, match=rf"^count must be at least 1, got {count}$"):
        Repeat("none", Link(), count, label="link", chain={})


def test_a_port_that_the_unit_does_not_have() -> None:
    with pytest.raises(ValueError, match=r"^link has no port 'z_in'$"):
        Repeat("wrong", Link(), 2, label="link", chain={"z_in": "x_out"})
    with pytest.raises(ValueError, match=r"^link has no port 'enable'$"):
        Repeat("wrong", Link(), 2, label="link", chain={}, shared=("enable",))
