"""Scratchpads and what addresses them."""

from tilewright.hdl.memory.address_generator import AddressGenerator
from tilewright.hdl.memory.banked import BankedScratchpad
from tilewright.hdl.memory.geometry import Geometry
from tilewright.hdl.memory.nbuffer import NBuffer
from tilewright.hdl.memory.ram import Ram
from tilewright.hdl.memory.request import request_members
from tilewright.hdl.memory.rotator import Rotator
from tilewright.hdl.memory.tailed_ram import TailedRam, ram
from tilewright.hdl.memory.wide import WideScratchpad

__all__ = [
    "AddressGenerator",
    "BankedScratchpad",
    "Geometry",
    "NBuffer",
    "Ram",
    "Rotator",
    "TailedRam",
    "WideScratchpad",
    "ram",
    "request_members",
]
