"""Processes that end with the work they belong to."""

import threading
import time
from pathlib import Path

import pytest

from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.errors import Interrupted


def test_output_and_code() -> None:
    with Children() as children:
        done = children.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done.code, done.output, done.timed_out) == (3, "out\nerr\n", False)


def test_timeout_kills_grandchildren_too() -> None:
    start = time.monotonic()
    with Children() as children:
        done = children.run(["sh", "-c", "echo begun; sleep 60 & wait"], timeout=0.3)
    assert done.timed_out and done.output == "begun\n"
    assert time.monotonic() - start < 20


def test_leaving_stops_what_runs_in_other_threads() -> None:
    caught: list[BaseException] = []

    def work(children: Children) -> None:
        try:
            children.run(["sleep", "60"])
        except Interrupted as error:
            caught.append(error)

    with Children() as children:
        thread = threading.Thread(target=work, args=(children,))
        thread.start()
        time.sleep(0.2)
    thread.join(timeout=20)
    assert not thread.is_alive() and len(caught) == 1
    assert children.stopped
    with pytest.raises(Interrupted, match="echo was not started"):
        children.run(["echo"])


def test_only_so_many_at_once() -> None:
    start = time.monotonic()
    with Children(1) as children:
        threads = [threading.Thread(target=children.run, args=(["sleep", "0.3"],)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert time.monotonic() - start > 0.9


def test_temporary_files_are_where_the_work_is(tmp_path: Path) -> None:
    with Children() as children:
        done = children.run(["sh", "-c", 'echo "$TMPDIR"'], cwd=tmp_path)
        other = children.run(["sh", "-c", 'echo "$TMPDIR-$A"'], cwd=tmp_path, env={"A": "b", "TMPDIR": "/none"})
    assert (done.output, other.output) == (f"{tmp_path}\n", f"{tmp_path}-b\n")
