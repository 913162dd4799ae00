"""Loads: what mover and core are told, and when tokens are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.load_sequencer import TARGETS, LoadSequencer
from tilewright.hdl.engine.records import BOX, TENSOR, Opcode
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.hdl.engine.grants import Event, Fault, given, grant
from tilewright.sim_tests.hdl.engine.instructions import instruction
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

ELEMENTS = {"a": 0, "b": 1, "c": 2, "channels": 3}


def _answer(sequencer: LoadSequencer, target: str, statuses: dict[int, int], commands: list[Any]) -> Any:
    """A load port: takes a transfer, and answers it some cycles later."""
    command, answer = (getattr(sequencer, f"load_{target}_{part}") for part in ("command", "answer"))
    rng = np.random.default_rng(ord(target[0]))

    async def process(ctx: Any) -> None:
        while True:
            ctx.set(command.ready, 1)
            _, _, valid, payload = await ctx.tick().sample(command.valid, command.payload)
            ctx.set(command.ready, 0)
            if not valid:
                continue
            commands.append((target, payload.base, payload.rows, payload.cols, payload.region, payload.tag))
            for _ in range(int(rng.integers(0, 12))):
                await ctx.tick()
            ctx.set(answer.payload, {"status": statuses.get(payload.tag, 0), "tag": payload.tag})
            ctx.set(answer.valid, 1)
            while not (await ctx.tick().sample(answer.ready))[2]:
                pass
            ctx.set(answer.valid, 0)

    return process


def _box(rng: np.random.Generator, target: str, tag: int) -> dict[str, int]:
    fields = {"target": int(TARGETS[target]), "slot": int(rng.integers(4)), "region": int(rng.integers(2))}
    for name in ("base", "rows", "cols"):
        fields[name] = int(rng.integers(1, 1 << 16))
    return {**fields, "address": int(rng.integers(1 << 40)), "line_start": tag, "x_row": -tag}


def _run(program: list[int], statuses: dict[int, int], loads: int) -> tuple[list[Any], list[Any], list[int], list[Any]]:
    sequencer = LoadSequencer(40, ELEMENTS)
    orders: list[Any] = []
    commands: list[Any] = []
    log: list[Event] = []
    faults: list[Fault] = []
    processes = [send(sequencer.instruction, program, idle=0.2, seed=1), take(sequencer.order, orders, stall=0.3)]
    processes += [_answer(sequencer, target, statuses, commands) for target in ELEMENTS]
    simulate(
        sequencer,
        [*processes, grant(sequencer, log, faults)],
        lambda: len(orders) == loads and len(given(log)) + len(faults) >= len(program),
        limit=5000,
    )
    return orders, commands, given(log), faults


def test_orders_transfers_and_tokens() -> None:
    rng = np.random.default_rng(1)
    program, boxes, tensors = [], [], {}
    wanted = []
    for tag in range(120):
        if tag < 4 or rng.random() < 0.2:
            slot = tag if tag < 4 else int(rng.integers(4))
            tensors[slot] = {"line": int(rng.integers(1 << 32)), "out_y_stride": -tag, "fill": tag}
            program.append(instruction(Opcode.LOAD_TENSOR, tag=tag, gives=tag + 1, slot=slot, **tensors[slot]))
            continue
        target = list(ELEMENTS)[int(rng.integers(4))]
        box = _box(rng, target, tag)
        boxes.append((target, tag, box))
        wanted.append((target, tag, box, dict(tensors[box["slot"]])))
        program.append(instruction(Opcode.LOAD, tag=tag, gives=tag + 1, **box))
    orders, commands, gives, faults = _run(program, {}, len(boxes))
    assert not faults and sorted(gives) == [tag + 1 for tag in range(120)]
    for (_, order), (target, tag, box, tensor) in zip(orders, wanted, strict=True):
        assert (order.stream, order.tag, order.element) == (box["target"], tag, ELEMENTS[target])
        for field in ("rows", "cols", "address", "line_start", "x_row"):
            assert order.box[field] == box[field]
        for field, value in tensor.items():
            assert order.tensor[field] == value
    for target in ELEMENTS:
        expected = [(t, b["base"], b["rows"], b["cols"], b["region"], tag) for t, tag, b in boxes if t == target]
        assert [command for command in commands if command[0] == target] == expected


def test_a_refused_load_is_a_fault_with_its_tag() -> None:
    rng = np.random.default_rng(2)
    program = [instruction(Opcode.LOAD, tag=9 + i, gives=1, **_box(rng, "abc"[i], 9 + i)) for i in range(3)]
    _, _, _, faults = _run(program, {10: Status.OUT_OF_RANGE}, 3)
    assert faults == [(Cause.LOAD_REFUSED, Status.OUT_OF_RANGE, 10)]


def test_a_target_that_the_engine_lacks_is_a_fault_and_ends_at_once() -> None:
    sequencer = LoadSequencer(40, {"a": 0, "b": 1, "c": 2})
    log: list[Event] = []
    faults: list[Fault] = []
    program = [instruction(Opcode.LOAD, tag=77, target=3, rows=1, cols=1)]
    processes = [send(sequencer.instruction, program), grant(sequencer, log, faults)]
    simulate(sequencer, processes, lambda: bool(faults), limit=50)
    assert faults == [(Cause.ILLEGAL_INSTRUCTION, 0, 77)]


def test_an_empty_load_ends_at_once() -> None:
    rng = np.random.default_rng(3)
    nothing = [_box(rng, "a", 1) | {"rows": 0}, _box(rng, "b", 2) | {"cols": 0}]
    program = [instruction(Opcode.LOAD, gives=4 << i, **box) for i, box in enumerate(nothing)]
    orders, commands, gives, faults = _run(program, {}, 0)
    assert not orders and not commands and not faults and gives == [4, 8]


def test_every_field_that_the_mover_needs_is_in_the_order() -> None:
    order = LoadSequencer(40, ELEMENTS).order.payload.shape()
    assert set(order["box"].shape.members) < set(BOX.members)
    assert set(order["tensor"].shape.members) == set(TENSOR.members) - {"head", "slot"}
