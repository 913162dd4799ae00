"""Packets that are not as they should be, or do not come: the run fails, says why, and the next one works."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.product import Added, Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference.engine_packets import Packet, packets
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.engine.records import Opcode, Target
from tilewright.sim_tests.harness.axis_ports import ROLES
from tilewright.sim_tests.harness.stall import Stall
from tilewright.sim_tests.system.engine_probe import Outcome
from tilewright.sim_tests.system.stream_engines import DMA, Spoilt, StreamProbe, stream_engine

READ, WRITE = 1 << 3, 1 << 4  # bits of the detail of a stuck run
BUS = 8


def loads(probe: StreamProbe) -> tuple[Packet, ...]:
    """The packets of the known program."""
    return packets(probe.known.program, stream_engine().config).loads


def fails(probe: StreamProbe, stream: str, number: int, spoilt: Spoilt) -> Outcome:
    """Runs with a packet that is not as it should be; after it all are dropped that the DMA still has."""
    probe.session.load(0, probe.known.memory)
    probe.watch_packets(on=False)
    probe.start(spoilt={stream: {number: spoilt}}, watchdog=20_000)
    found = probe.finish()
    assert (found.busy, found.done, found.failed) == (False, False, True)
    probe.only_c_changed()
    probe.session.run(600)
    left = probe.dma.counters()
    assert left["program_waiting"] == left["load_waiting"] == 0, "packets are dropped until the next run starts"
    probe.watch_packets(on=True)
    probe.works()
    return found


@pytest.mark.parametrize("number", [0, 1, 5, -1])
def test_load_packet_too_short(number: int) -> None:
    with StreamProbe() as probe:
        packet = loads(probe)[number]
        number %= len(loads(probe))
        for less in sorted({1, packet.size % BUS or BUS, packet.size - 1} - {0}):
            if less >= packet.size:
                continue
            found = fails(probe, "s_axis_load", number, Spoilt(longer=-less))
            whole = -(-(packet.size - less) // BUS) == -(-packet.size // BUS)
            expected = PacketFault.TKEEP if whole else PacketFault.TLAST_EARLY
            assert (found.cause, found.detail, found.tag) == (Cause.LOAD_PACKET, expected, packet.number)


@pytest.mark.parametrize("number", [0, 1, 5, -1])
@pytest.mark.parametrize("more", [1, 7, 8, 9, 400])
def test_load_packet_too_long(number: int, more: int) -> None:
    with StreamProbe() as probe:
        packet = loads(probe)[number]
        found = fails(probe, "s_axis_load", number % len(loads(probe)), Spoilt(longer=more))
        whole = -(-(packet.size + more) // BUS) == -(-packet.size // BUS)
        expected = PacketFault.TKEEP if whole else PacketFault.TLAST_LATE
        assert (found.cause, found.detail, found.tag) == (Cause.LOAD_PACKET, expected, packet.number)


@pytest.mark.parametrize("hole", ["first", "middle", "last"])
def test_load_packet_with_a_hole(hole: str) -> None:
    with StreamProbe() as probe:
        packet = loads(probe)[0]
        last = -(-packet.size // BUS) - 1
        at = {"first": 0, "middle": last // 2, "last": last}[hole]
        found = fails(probe, "s_axis_load", 0, Spoilt(hole=at))
        assert (found.cause, found.detail, found.tag) == (Cause.LOAD_PACKET, PacketFault.TKEEP, packet.number)


@pytest.mark.parametrize(
    ("spoilt", "fault"),
    [
        (Spoilt(longer=-1), PacketFault.TKEEP),
        (Spoilt(longer=-8), PacketFault.TLAST_EARLY),
        (Spoilt(longer=-64), PacketFault.TLAST_EARLY),
        (Spoilt(longer=-700), PacketFault.TLAST_EARLY),
        (Spoilt(longer=8), PacketFault.TLAST_LATE),
        (Spoilt(longer=200), PacketFault.TLAST_LATE),
        (Spoilt(hole=0), PacketFault.TKEEP),
        (Spoilt(hole=100), PacketFault.TKEEP),
    ],
)
def test_program_packet(spoilt: Spoilt, fault: PacketFault) -> None:
    with StreamProbe() as probe:
        program = [i for i in probe.known.instructions if i.opcode != Opcode.END]
        assert probe.run(program).done, "a program without END, whose packet is looked at to its end"
        probe.session.load(0, probe.known.memory)
        probe.watch_packets(on=False)
        found = probe.run(program, spoilt={"s_axis_program": {0: spoilt}}, watchdog=20_000)
        assert (found.cause, found.detail, found.tag) == (Cause.PROGRAM_PACKET, fault, 0)
        probe.watch_packets(on=True)
        probe.works()


@pytest.mark.parametrize("stream", ROLES)
def test_packets_that_do_not_come_are_told_and_may_be_given_up(stream: str) -> None:
    """A DMA that stops in the middle of a packet: the watchdog tells, and a second abort ends the wait for the rest."""
    with StreamProbe() as probe:
        probe.start(watchdog=500)
        probe.session.run(60 if stream == "s_axis_program" else 320)
        probe.dma.configure(replace(DMA, stalls={stream: Stall(1.0)}, packets=False))
        probe.session.wait_interrupt(50_000)
        probe.write("interrupt", 1)
        found = probe.outcome()
        assert (found.failed, found.cause) == (True, Cause.STUCK)
        bit = WRITE if stream == "m_axis_store" else READ
        assert found.detail & bit
        if stream != "m_axis_store" and found.busy:
            probe.write("control", 2)
            probe.session.run(20)
            assert not probe.outcome().busy, "what was left of the packet is not waited for"
        probe.dma.forget()
        probe.dma.configure(replace(DMA, packets=False))
        probe.session.run(200)
        assert not probe.outcome().busy
        probe.dma.configure(DMA)
        probe.works()


@pytest.mark.parametrize("lacking", ["program", "load"])
def test_packets_that_never_begin_are_told_and_not_waited_for(lacking: str) -> None:
    with StreamProbe() as probe:
        number = len(loads(probe)) // 2
        if lacking == "load":
            probe.start(watchdog=500, loads=number)
        else:
            probe.write("interrupt_enable", 1)
            probe.write("watchdog", 500)
            probe.write("program_count", 3)
            probe.write("control", 1)
        probe.session.wait_interrupt(20_000)
        probe.write("interrupt", 1)
        found = probe.outcome()
        assert (found.busy, found.failed, found.cause) == (False, True, Cause.STUCK)
        assert found.detail & (READ | WRITE) == READ
        probe.works()


@pytest.mark.parametrize("again", [False, True])
def test_a_run_is_not_over_before_the_packet_that_has_begun_has_ended(again: bool) -> None:
    """A DMA that pauses in the middle of one while the run is aborted; aborted again, the rest is not waited for."""
    with StreamProbe() as probe:
        shape = {"line": 8, "tap_x_count": 1, "out_x_count": 65_535, "out_x_stride": 8, "out_y_count": 1}
        program = [
            Instruction(Opcode.LOAD_TENSOR, {"slot": 0, "x_size": 1, "y_size": 1, **shape}),
            Instruction(Opcode.LOAD, {"target": 0, "slot": 0, "rows": 90, "cols": 8}),
            Instruction(Opcode.END, {}),
        ]
        before = probe.dma.counters()["load_beats"]
        probe.start(program)
        while probe.dma.counters()["load_beats"] - before < 20:
            probe.session.run(1)
        probe.dma.configure(replace(DMA, stalls={"s_axis_load": Stall(1.0)}))
        probe.write("control", 2)
        probe.session.run(500)
        assert probe.outcome().busy and not probe.session.interrupt
        if again:
            probe.write("control", 2)
            assert probe.finish().cause == Cause.ABORTED
            probe.dma.forget()
            probe.dma.configure(replace(DMA, packets=False))
            probe.session.run(50)
        else:
            probe.dma.configure(DMA)
            assert probe.finish().cause == Cause.ABORTED
            assert probe.dma.counters()["load_beats"] - before == 90, "dropped to its end"
        probe.dma.configure(DMA)
        probe.works()


@pytest.mark.parametrize("stall", [0.0, 0.8])
def test_a_packet_of_a_store_that_cannot_go_on_is_ended(stall: float) -> None:
    """Its results wait for a tensor to be added, of which the second of two packets never comes."""
    with StreamProbe(replace(DMA, stalls={"m_axis_store": Stall(stall)})) as probe:
        program = _in_two_packets_added()
        count = len(packets(encode(program), stream_engine().config).loads)
        before = probe.dma.counters()
        probe.start(program, loads=count - 1, watchdog=2000)
        probe.session.wait_interrupt(20_000)
        probe.write("interrupt", 1)
        found = probe.outcome()
        assert (found.busy, found.failed, found.cause) == (False, True, Cause.STUCK)
        after = probe.dma.counters()
        assert after["store_done"] - before["store_done"] == 1
        assert after["store_beats"] - before["store_beats"] == 4 * 5 // BUS + 1, "whole beats of 4 rows, and one more"
        assert probe.run(program, watchdog=2000).done
        probe.works()


def _in_two_packets_added() -> list[Instruction]:
    """C of 12 x 5 from one command, to which 4 rows and then 8 rows are added."""
    config = stream_engine().config
    factors = {"left_multiplier": 1 << 20, "right_multiplier": 1 << 20, "sum_multiplier": 1 << 30, "sum_shift": 50}
    fields = factors | {"right_zero": 0, "sum_zero": 0, "sum_low": -128, "sum_high": 127}
    finish = Finish(1 << 30, 36, 0, -128, 127, added=Added(Matrix(0x3000, 12, 5, 1), fields))
    product = Product(Matrix(0, 12, 6, 1), Matrix(0x1000, 6, 5, 1), Matrix(0x2000, 12, 5, 1), finish=finish)
    program = []
    for instruction in gemm_program(product, Tiling("ws", "mn", 12, 5, 6), config):
        fields = dict(instruction.fields)
        if instruction.opcode == Opcode.LOAD and fields.get("target") == Target.RESIDUAL:
            program.append(instruction._replace(fields=fields | {"rows": 4}, gives=0))
            instruction = instruction._replace(fields=fields | {"rows": 8, "address": 0x3000 + 20}, waits=0)
        program.append(instruction)
    return program


def test_a_refused_load_fails_and_the_packets_stay_whole() -> None:
    with StreamProbe() as probe:
        at = probe.known.places(Opcode.LOAD)[2]
        found = probe.run(probe.known.with_fields(at, base=60_000), watchdog=20_000)
        assert (found.failed, found.cause, found.tag) == (True, Cause.LOAD_REFUSED, at)
        probe.works()


def test_a_refused_command_ends_packets_of_stores_that_have_begun() -> None:
    """Slow stores are under way when a later command is refused; the sink gets TLAST all the same."""
    with StreamProbe(replace(DMA, stalls={"m_axis_store": Stall(0.9)})) as probe:
        for at in probe.known.places(Opcode.GEMM)[1:]:
            probe.session.load(0, probe.known.memory)
            found = probe.run(probe.known.with_fields(at, a_base=60_000), watchdog=20_000)
            assert (found.failed, found.cause, found.tag) == (True, Cause.GEMM_REFUSED, at)
            probe.only_c_changed()
            probe.works()
