"""Rules that depend on the bytes of a burst: lanes, pages, lengths."""

from __future__ import annotations

import pytest

from tilewright.sim_tests.harness.axi_ports import axi_ports
from tilewright.sim_tests.harness_tests.axi_traces import FIXED, QUIET, WRAP, Levels, ar, aw, b, read, run, w, write


@pytest.mark.parametrize(
    ("address", "strobes"),
    [
        # size 4 bytes on 8: the lanes of each beat, as table and figures of A3.4.4 have them
        (aw(0x1002, len=2, size=2), [0x0C, 0xF0, 0x0F]),
        (aw(0x1007, len=2, size=3), [0x80, 0xFF, 0xFF]),
        (aw(0x1005, len=1, size=0), [0x20, 0x40]),
        (aw(0x1004, len=3, size=2, burst=FIXED), [0xF0] * 4),
        (aw(0x1006, len=1, size=2, burst=FIXED), [0xC0] * 2),
        (aw(0x100C, len=3, size=2, burst=WRAP), [0xF0, 0x0F, 0xF0, 0x0F]),
        (aw(0x1016, len=3, size=1, burst=WRAP), [0xC0, 0x03, 0x0C, 0x30]),
    ],
)
def test_lanes_of_each_beat(address: Levels, strobes: list[int]) -> None:
    beats = len(strobes)
    data = [w(s, last=int(n + 1 == beats)) for n, s in enumerate(strobes)]
    assert run(write(address, *data)).violations == []
    assert run([*data, address, b()]).violations == []
    for wrong in range(beats):
        for lane in range(8):
            if strobes[wrong] >> lane & 1:
                continue
            bad = [d | {"m_wstrb": d["m_wstrb"] | 1 << lane} if n == wrong else d for n, d in enumerate(data)]
            assert [v.rule.name for v in run(write(address, *bad)).violations] == ["strobe_lanes"]
            early = run([*bad, address, b()]).violations
            assert [(v.rule.name, v.cycle) for v in early] == [("strobe_lanes", len(QUIET) + beats)]


@pytest.mark.parametrize("burst", [FIXED, WRAP])
def test_only_incrementing_bursts_can_cross_a_page(burst: int) -> None:
    assert run(read(ar(0xFF8, len=3, burst=burst), 4)).violations == []


@pytest.mark.parametrize(("address", "length", "crosses"), [
    (0x1FFC, 1, False), (0x1FFC, 2, True), (0x1801, 256, False), (0x1808, 256, True), (0xFF_FFFF_F800, 256, False),
])  # fmt: skip
def test_page_with_unaligned_addresses(address: int, length: int, crosses: bool) -> None:
    found = run(read(ar(address, len=length - 1), length)).violations
    assert [v.rule.name for v in found] == ["page"] * crosses


@pytest.mark.parametrize("length", [1, 2, 3, 4, 6, 8, 12, 15, 16, 17, 32, 64])
def test_lengths_of_wrapping_bursts(length: int) -> None:
    found = run(read(ar(burst=WRAP, len=length - 1), length)).violations
    assert [v.rule.name for v in found] == ["wrap_length"] * (length not in (2, 4, 8, 16))


def test_wide_buses() -> None:
    for bits in (32, 128, 512):
        streams = axi_ports("m", address_bits=64, data_bits=bits)
        size, full = (bits // 8).bit_length() - 1, (1 << bits // 8) - 1
        trace = write(aw(1 << 63, size=size), w(full, data=(1 << bits) - 1))
        assert run(trace, streams).violations == []
        assert [v.rule.name for v in run(write(aw(1, size=size), w(full)), streams).violations] == ["strobe_lanes"]
