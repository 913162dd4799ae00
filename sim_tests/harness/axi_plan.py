"""What decides a session besides the commands: ports, memory, seed."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.sim_tests.harness.axi_ports import CHANNELS, AxiPort
from tilewright.sim_tests.harness.axis_ports import ROLES, descriptions
from tilewright.sim_tests.harness.errors import InterfaceError
from tilewright.sim_tests.harness.ports import Interface

#: Largest memory, in bytes.
MOST_MEMORY = 1 << 32
_PAGE = 4096


@dataclass(frozen=True)
class AxiPlan:
    """See the arguments of `AxiSession`, which bear the same names."""

    memory_bytes: int
    base: int
    seed: int
    manager: str
    registers: str
    interrupt: str | None
    inputs: dict[str, int]
    reset: int
    stop: bool

    def __post_init__(self) -> None:
        if not 1 <= self.seed < 2**31:
            nearest = min(max(self.seed, 1), 2**31 - 1)
            raise InterfaceError(f"seed must be 1..{2**31 - 1}, got {self.seed}; nearest is {nearest}")
        if not _PAGE <= self.memory_bytes <= MOST_MEMORY or self.memory_bytes % _PAGE:
            nearest = min(max(-(-self.memory_bytes // _PAGE) * _PAGE, _PAGE), MOST_MEMORY)
            raise InterfaceError(
                f"memory_bytes must be a multiple of {_PAGE} up to 2^32, got {self.memory_bytes}; nearest is {nearest}"
            )
        if self.base < 0 or self.base % _PAGE or self.base + self.memory_bytes > 2**64:
            raise InterfaceError(f"base must be a multiple of {_PAGE} that 64 bits hold, got {self.base}; nearest is 0")
        if self.reset < 1:
            raise InterfaceError(f"a session needs at least 1 cycle of reset, got {self.reset}; nearest is 1")

    def ports(self, interface: Interface) -> list[AxiPort]:
        """The ports that the design has."""
        found = [AxiPort.find(interface.streams, name, lite=False) for name in self.managers(interface)]
        if any(stream.name.startswith(f"{self.registers}_") for stream in interface.streams):
            found.append(AxiPort.find(interface.streams, self.registers, lite=True))
        return found

    def managers(self, interface: Interface) -> list[str]:
        """Names of the manager ports: the one that is called so, or several of that name and a number from 0 on."""
        names = [stream.name for stream in interface.streams]
        numbered: list[str] = []
        while any(name.startswith(f"{self.manager}_{len(numbered)}_") for name in names):
            numbered.append(f"{self.manager}_{len(numbered)}")
        single = any(name.startswith(f"{self.manager}_") for name in names)
        return numbered or ([self.manager] if single else [])

    def register_bits(self, interface: Interface) -> int:
        """Width of a register; refuses designs without any."""
        for port in self.ports(interface):
            if port.lite:
                return port.data_bits
        raise InterfaceError(f"{interface.top} has no AXI4-Lite port {self.registers}")

    def setup(self, interface: Interface) -> list[str]:
        """Commands that tell the driver of the design's outside; refuses one that it cannot drive."""
        ports = self.ports(interface)
        used = {stream.name for port in ports for _, stream in port.channels.values()} | set(ROLES)
        for stream in interface.streams:
            if stream.name not in used:
                raise InterfaceError(f"stream {stream.name} of {interface.top} belongs to no AXI port")
        lines = [line for port in ports for line in port.description([port.channels[kind][0] for kind in CHANNELS])]
        lines += descriptions(interface.streams)
        widths = dict(interface.inputs)
        for name, value in self.inputs.items():
            if not 0 <= value < 1 << widths.get(name, 0):
                raise InterfaceError(f"{interface.top} has no plain input {name} that holds {value}")
            index = [port for port, _ in interface.inputs].index(name)
            words = [value >> 32 * word & 0xFFFFFFFF for word in range(-(-widths[name] // 32))]
            lines.append(" ".join(map(str, ["constant", index, *words])))
        return lines

    def begin(self, interface: Interface) -> str:
        """The command that resets the design."""
        wire = -1
        if self.interrupt is not None:
            outputs = dict(interface.outputs)
            if outputs.get(self.interrupt) != 1:
                raise InterfaceError(f"{interface.top} has no plain output {self.interrupt} of one bit")
            wire = len(interface.inputs) + list(outputs).index(self.interrupt)
        return f"begin {self.reset} {int(self.stop)} {wire}"
