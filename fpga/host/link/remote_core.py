"""A core behind a link in the place of one that is interpreted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.core import Port, Readout, ReferenceCore
from tilewright.generators.reference.records import Command, Status, Transfer
from tilewright.generators.reference.scratchpad import Values


class RemoteCore(ReferenceCore):
    """Keeps account of words and who may use them as the interpreter does; all values are the hardware's.

    Args:
        config: of the core, or of an engine around it.
        driver: of the hardware.
    """

    def __init__(self, config: SystolicConfig, driver: CoreDriver) -> None:
        super().__init__(config)
        self._driver = driver

    def load(self, port: Port, transfer: Transfer, beats: Values) -> Status:
        """See `ReferenceCore.load`; of beats of the right number."""
        status = super().load(port, transfer, beats)
        if status == Status.OK:
            matrix = beats.reshape(transfer.rows, -1)[:, : transfer.cols]
            self._driver.load(port, matrix, transfer.base, transfer.region)
        return status

    def read(self, transfer: Transfer) -> tuple[Status, Readout]:
        """See `ReferenceCore.read`."""
        status, readout = super().read(transfer)
        if status != Status.OK:
            return status, readout
        values = readout.values.reshape(transfer.rows, -1).copy()
        values[:, : transfer.cols] = self._driver.read(transfer.rows, transfer.cols, transfer.base, transfer.region)
        return status, replace(readout, values=values.reshape(readout.values.shape))

    def _product(self, command: Command, a: Values, b: Values, start: Values) -> Values:
        """Has the hardware compute; what it has found is known once it is read."""
        self._driver.command(**{name: int(value) for name, value in vars(command).items()})
        return np.zeros((command.m, command.n), dtype=np.int64)
