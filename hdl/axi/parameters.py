"""What the parameters of an AXI4 port may be."""

from __future__ import annotations

from tilewright.hdl.axi.signatures import LARGEST_BURST

BUS_BITS = (32, 64, 128, 256, 512)


def check_bus(bus_bits: int, address_bits: int, max_burst: int, outstanding: int) -> None:
    """Raises ValueError, in one sentence, for the first parameter that is not legal.

    Args:
        bus_bits: data width.
        address_bits: address width.
        max_burst: beats of the longest burst.
        outstanding: bursts asked for and not yet answered, at most.
    """
    if bus_bits not in BUS_BITS:
        raise ValueError(f"bus_bits must be one of {', '.join(map(str, BUS_BITS))}, got {bus_bits}")
    limits = {"address_bits": (12, 64), "max_burst": (1, LARGEST_BURST), "outstanding": (1, 64)}
    given = {"address_bits": address_bits, "max_burst": max_burst, "outstanding": outstanding}
    for name, (low, high) in limits.items():
        if not low <= given[name] <= high:
            raise ValueError(f"{name} must be {low}..{high}, got {given[name]}")
