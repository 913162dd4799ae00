from typing import Any

from amaranth.hdl import Elaboratable, Value

from tilewright.hdl.structure import Block, Delay, place


class Recorder:
    """A platform that emits modules."""

    def __init__(self) -> None:
        self.placed: list[str] = []

    def instance(self, block: Block, reset: Value | None = None) -> Elaboratable:
        self.placed.append(block.name)
        return Delay(1, 0)


def test_a_platform_that_emits_places_by_name() -> None:
    recorder, block = Recorder(), Delay(8, 3)
    assert place(recorder, block) is not block
    assert recorder.placed == ["delay_8x3"]


def test_without_one_a_block_is_itself() -> None:
    block = Delay(8, 3)
    anything: Any
    for anything in (None, object()):
        assert place(anything, block) is block
