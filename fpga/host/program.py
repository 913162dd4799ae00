"""Products that are put together into one program, which one start runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakSet

from tilewright.fpga.host.deferred import Deferred, Result
from tilewright.fpga.host.memory_map import NoRoom
from tilewright.generators.config.errors import ConfigError

if TYPE_CHECKING:
    from tilewright.fpga.host.product_runner import Job, ProductRunner, Run


class Program:
    """A program that is put together; see `Accelerator.program`.

    Attributes:
        runs: what has run: one `Run`, or several where values were asked for before the end.
    """

    def __init__(self, runner: ProductRunner) -> None:
        self.runs: list[Run] = []
        self.is_open = True
        self._runner = runner
        self._jobs: list[Job] = []
        self._fresh: list[range] = []  # places of results that no product has waited for yet
        self._results: WeakSet[Result] = WeakSet()
        self._mark = runner.memory.mark()

    def add(self, jobs: Sequence[Job], result: Result) -> Deferred:
        """``jobs``, behind those that are there; their ``result``.

        Raises ConfigError where one cannot be planned, NoRoom where memory will not hold their instructions.
        """
        needed, left = self._runner.plan(jobs), self._runner.memory.left
        if needed > left:
            raise NoRoom(f"instructions must fit into the memory that is left, {left} bytes, got {needed}")
        for job in jobs:
            needs = any(address in place for place in self._fresh for address in job.reads)
            if needs:
                self._fresh.clear()
            self._jobs.append(replace(job, after_stores=needs))
        self._fresh += [range(array.address, array.address + array.size) for array in result.arrays]
        self._results.add(result)
        self._mark = self._runner.memory.mark()
        return Deferred(self, result, result.shape)

    def run(self) -> None:
        """Runs what is there. Raises ConfigError, RunFailed; then the results of what is there are lost."""
        jobs, self._jobs = self._jobs, []
        self._fresh.clear()
        if not jobs:
            return
        waiting = [result for result in self._results if result.state == "waits"]
        for result in waiting:
            result.state = "lost"
        self._run(jobs)
        for result in waiting:
            result.state = "lies"

    def _run(self, jobs: Sequence[Job]) -> None:
        """Runs ``jobs`` as one program, or as two where memory does not hold that."""
        try:
            self.runs.append(self._runner.run_jobs(jobs))
        except NoRoom:
            half = len(jobs) // 2
            if not half:
                raise
            self._run(jobs[:half])
            self._run(jobs[half:])

    def settle(self) -> None:
        """Fetches what somebody may still ask for: its places in memory are about to be used anew."""
        for result in self._results:
            if result.state == "lies":
                result.fetch(self._runner)

    def restart(self) -> bool:
        """Runs what is there and gives its places in memory back; False where there are none to give back.

        So does what was taken for a product that has not been added.
        """
        self._runner.memory.back_to(self._mark)
        if not self._results:
            return False
        self.run()
        self.settle()
        self._results.clear()
        self._runner.memory.begin()
        self._mark = self._runner.memory.mark()
        return True

    def values(self, result: Result) -> None:
        """Sees to it that ``result`` has its values. Raises ConfigError, RunFailed."""
        if result.state == "waits" and self.is_open:
            self.run()
        if result.state == "lies":
            self._runner.must_be_open()
            result.fetch(self._runner)
        if result.values is None:
            raise ConfigError("a result must be one of a program that has run to its end; this one's has not")

    def is_open_on(self, runner: ProductRunner) -> bool:
        """Whether it is what ``runner`` puts together."""
        return self.is_open and self._runner is runner

    def close(self) -> None:
        """No more products."""
        self.is_open = False
