"""Products that run one by one, or are put together into programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tilewright.fpga.host.deferred import Deferred, Result
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.finishing import Ending
from tilewright.fpga.host.product_runner import Job, ProductRunner
from tilewright.fpga.host.program import Program
from tilewright.generators.config.errors import ConfigError


class ProgramRunner(ProductRunner):
    """A `ProductRunner` whose products may wait for others, to run with them."""

    @property
    def program_open(self) -> bool:
        """Whether a program is being put together."""
        return self._program is not None and self._program.is_open

    @contextmanager
    def program(self) -> Iterator[Program]:
        """Products in the ``with`` block become one program, which one start runs at the end of the block.

        What they give is `Deferred`: an operand of later products in the block, which read it from memory where it
        lies, and an array once the program has run. Weights, pictures and results of all products lie in memory
        together. Without an exception nothing is lost: values that are asked for earlier have what is there run.

        Raises:
            ConfigError: a program within a program, or one that cannot be; RunFailed: memory, or the program, has
                failed.
        """
        if self.program_open:
            raise ConfigError("a program must end before another one begins, got one within another")
        self.begin()
        self._program = Program(self)
        try:
            yield self._program
            self._program.run()
        finally:
            self._program.close()

    @contextmanager
    def joined_program(self) -> Iterator[Program]:
        """The program that is put together, or else one of its own."""
        if self._program is not None and self._program.is_open:
            yield self._program
        else:
            with self.program() as program:
                yield program

    def results(self, jobs: Sequence[Job], end: Ending, point: int, shape: tuple[int, ...]) -> NDArray[Any]:
        """What ``jobs`` give, now or, in a program, deferred."""
        lie = [job.result.base or job.result for job in jobs]
        result = Result(lie, end, point, shape)
        if self._program is not None and self._program.is_open:
            return cast(NDArray[Any], self._program.add(jobs, result))
        self.run_jobs(jobs)
        return result.fetch(self)

    def known(self, b: Any, lies: DeviceArray) -> NDArray[np.int64]:
        """The codes of B; where it is a result of the program that is put together, that runs."""
        if isinstance(b, Deferred) and self._program is not None:
            self._program.run()
        return self.fetch(lies)
