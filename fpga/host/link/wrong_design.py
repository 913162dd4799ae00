"""Designs that are not the ones that were asked for."""

from __future__ import annotations

from tilewright.fpga.host.link.link import LinkError
from tilewright.generators.config.systolic import SystolicConfig


class WrongDesign(LinkError):
    """What answers speaks the protocol, but is another design than was asked for, or none of this project."""


def check_same(wanted: SystolicConfig, found: SystolicConfig) -> None:
    """Raises WrongDesign where ``found`` is another design than ``wanted``; it names the first field that differs."""
    for name in ("product", *type(wanted).model_fields):
        if name in ("module_name", "memory_limit_bits"):
            continue
        if getattr(wanted, name) != getattr(found, name):
            raise WrongDesign(
                f"the design has {name} {getattr(found, name)}, expected {getattr(wanted, name)}: "
                f"load the bitstream of that design"
            )
