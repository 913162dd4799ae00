"""What a selftest does with a core behind a link before its products: programs and frames, in rounds."""

from __future__ import annotations

import numpy as np

from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.core_selftest import CoreTest
from tilewright.fpga.host.link.core_steps import PORTS
from tilewright.fpga.host.link.link_selftest import LinkTest
from tilewright.fpga.host.selftest_failed import SelftestFailed

EVERY = 5
"""Products from one round to the next."""
_FIRST_STEPS, _STEPS = 60, 2
_FIRST_FRAMES, _FRAMES = 30, 1
_SWEEP = 100
"""Rounds from one in which all bits of fields are tried to the next."""
_RARE = 20
"""Rounds from one in which a port is silent, and one takes nothing, to the next."""


class CoreRounds:
    """Rounds of programs and frames: many before the first product, a few before every so many.

    Args:
        driver: of the core.
        seed: of everything.
    """

    def __init__(self, driver: CoreDriver, seed: int) -> None:
        random = np.random.default_rng((seed, 1))
        self._seed, self._random = seed, random
        self.core = CoreTest(driver, random)
        self.link = LinkTest(driver.link, driver.input_bits, driver.output_bits, driver.link.identify(), random)

    def before(self, product: int) -> None:
        """The round before a product, 0 and up, if there is one. Raises SelftestFailed, LinkError."""
        number, between = divmod(product, EVERY)
        if between:
            return
        try:
            self._round(number)
        except SelftestFailed as error:
            raise SelftestFailed(f"before product {product + 1}, seed {self._seed}: {error}") from None

    def _round(self, number: int) -> None:
        for _ in range(_FRAMES if number else _FIRST_FRAMES):
            self.link.step()
        if number % _RARE == 0:
            self.link.idle()
            port = PORTS[int(self._random.integers(len(PORTS)))]
            self.core.beyond(port)
            self.link.held(self.core.driver.inputs.index(f"load_{port}_beats"), self._random.bytes(8))
        if not number:
            self.link.flood()
            self.core.fill()
        for _ in range(_STEPS if number else _FIRST_STEPS):
            self.core.step()
        if number % _SWEEP == 0:
            self.core.sweep()
        if not number:
            self.core.look()
