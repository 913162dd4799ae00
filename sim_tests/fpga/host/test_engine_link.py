from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.engine_link import EngineLink
from tilewright.generators.config.engine import engine_config
from tilewright.generators.emit.engine import constants
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.sim_tests.fpga.host.engines import FLOATS, INTEGERS, config_of, refuses


class Registers:
    """A transport of registers alone."""

    memory_base, memory_bytes = 0, 1 << 20

    def __init__(self, values: dict[str, int]) -> None:
        self.values = {BY_NAME[name].offset: value for name, value in values.items()}
        self.written: list[tuple[int, int]] = []
        self.late = False

    def read_register(self, offset: int) -> int:
        return self.values.get(offset, 0)

    def write_register(self, offset: int, value: int) -> None:
        self.written.append((offset, value))

    def read_memory(self, address: int, size: int) -> Any:
        return np.zeros(size, np.uint8)

    def write_memory(self, address: int, data: Any) -> None:
        pass

    def wait(self) -> None:
        if self.late:
            raise TimeoutError("no interrupt")

    def close(self) -> None:
        pass


def test_another_engine_behind_the_transport_is_refused(integers: Accelerator) -> None:
    sentence = "the engine must be the one of this configuration: register "
    refuses(
        lambda: Accelerator(integers.transport, config_of(FLOATS)), f"{sentence}shape must be 0x00030002, got 0x0004"
    )
    fields = integers.config.model_dump() | {"channels": 17}
    refuses(lambda: Accelerator(integers.transport, engine_config(fields)), f"{sentence}digest must be 0x")
    nothing: Any = Registers({})
    refuses(
        lambda: Accelerator(nothing, integers.config), f"{sentence}identification must be 0x544c5752, got 0x00000000"
    )
    assert np.array_equal(integers.matmul([[2]], [[3]]), [[6]])


def test_the_interrupt_that_does_not_come_ends_in_an_abort() -> None:
    config = config_of(INTEGERS)
    registers = Registers(constants(config))
    link = EngineLink(registers, config, watchdog=5)
    assert registers.written == [(BY_NAME["watchdog"].offset, 5), (BY_NAME["interrupt_enable"].offset, 1)]
    registers.late = True
    with pytest.raises(TimeoutError, match="no interrupt"):
        link.run(1 << 33 | 64, np.zeros(128, np.uint8))
    names = {register.offset: name for name, register in BY_NAME.items()}
    assert [(names[offset], value) for offset, value in registers.written[2:]] == [
        ("interrupt", 1), ("program_low", 64), ("program_high", 2), ("program_count", 2),
        ("control", 1), ("control", 2),
    ]  # fmt: skip


def test_the_interrupt_of_an_aborted_run_does_not_end_the_next_one(
    integers: Accelerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late() -> None:
        raise TimeoutError("no interrupt")

    with monkeypatch.context() as patched, pytest.raises(TimeoutError, match="no interrupt"):
        patched.setattr(integers.transport, "wait", late)
        integers.matmul(np.ones((40, 40), dtype=int), np.ones((40, 40), dtype=int))
    assert np.array_equal(integers.matmul([[2]], [[3]]), [[6]])


def test_memory_that_owes_answers_for_ever() -> None:
    config = config_of(INTEGERS)
    registers = Registers({**constants(config), "status": 1})
    link = EngineLink(registers, config)
    with pytest.raises(TimeoutError, match="the engine must be idle, but memory has not answered"):
        link.run(64, np.zeros(64, np.uint8))
    assert (BY_NAME["control"].offset, 1) not in registers.written


def test_counters_have_64_bits() -> None:
    config = config_of(INTEGERS)
    registers = Registers({**constants(config), "cycles_low": 5, "cycles_high": 3})
    assert EngineLink(registers, config).counts()["cycles"] == 3 << 32 | 5
