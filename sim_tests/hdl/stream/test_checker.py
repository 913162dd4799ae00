import pytest
from amaranth.lib import data

from tilewright.hdl.stream import Checker, beat_layout
from tilewright.sim_tests.hdl.stream.cocotb_bench import run


def test_every_rule() -> None:
    assert run("cocotb_checker").count == 7


def test_rules_follow_from_the_payload() -> None:
    handshake = ["payload_changed", "valid_withdrawn"]
    assert Checker(8).rules == handshake
    assert Checker(beat_layout(2, 8)).rules == [*handshake, "keep_gap", "keep_empty"]
    assert Checker(beat_layout(2, 8), packed=True).rules == [*handshake, "keep_gap", "keep_empty", "keep_early"]


def test_checkers_of_different_payloads_have_different_names() -> None:
    shapes = [19, beat_layout(2, 8), data.StructLayout({"keep": 3, "data": 15, "last": 1})]
    names = {Checker(shape).name for shape in shapes} | {Checker(beat_layout(2, 8), packed=True).name}
    assert len(names) == 4


@pytest.mark.parametrize("shape", [8, data.StructLayout({"keep": 2}), data.StructLayout({"last": 1})])
def test_packed_needs_packets(shape: object) -> None:
    with pytest.raises(ValueError, match=r"^packed needs a payload with the fields 'keep' and 'last'$"):
        Checker(shape, packed=True)
