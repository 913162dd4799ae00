import pytest
from amaranth.lib.wiring import In, Out

from tilewright.hdl.stream import Buffer, Credit, Watched
from tilewright.hdl.structure import Block
from tilewright.sim_tests.harness import SimulationFailed, Stall
from tilewright.sim_tests.hdl.stream.bench import bench
from tilewright.sim_tests.hdl.stream.cocotb_bench import run
from tilewright.sim_tests.hdl.stream.faulty import Faulty

KEEP = 3 << 16


@pytest.mark.parametrize("seed", [1, 2])
def test_faults_of_the_block_and_of_its_producer(seed: int) -> None:
    assert run("cocotb_watched", seed).count == 4


@pytest.mark.parametrize("code", [Faulty.GAP, Faulty.EMPTY])
def test_a_run_fails_in_the_cycle_of_the_fault(
    code: int, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("TILEWRIGHT_FAILURES", str(tmp_path_factory.mktemp("failures")))  # fails on purpose
    words = bench().payloads([1 | KEEP, 2 | KEEP, code | KEEP, 3 | KEEP], "faulty_i")
    failing = bench().run().send("faulty_i", words).expect("faulty_o", None)
    with pytest.raises(SimulationFailed) as caught:
        failing.execute()
    assert (caught.value.stream, caught.value.cycle) == ("faulty_protocol_error", 2)
    bench().run().send("faulty_i", words[:2]).expect("faulty_o", words[:2], stall=Stall(0.5)).execute()


def test_everything_else_stays_as_it_is() -> None:
    inner = Buffer(8)
    assert dict(Watched(inner).signature.members) == dict(inner.signature.members) | {"protocol_error": Out(1)}


def test_a_block_without_streams() -> None:
    with pytest.raises(ValueError, match=r"^block must have at least 1 stream to watch, credit_4 has none$"):
        Watched(Credit(4))


def test_a_block_that_is_watched_already() -> None:
    with pytest.raises(ValueError, match=r"^block must not have a port of its own called 'protocol_error', watched_b"):
        Watched(Watched(Buffer(8)))


def test_ports_that_are_no_streams_do_not_matter() -> None:
    assert Watched(Block("mixed", {**Buffer(8).signature.members, "go": In(1)})).streams == ["i", "o"]
