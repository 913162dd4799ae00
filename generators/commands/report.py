"""``tilewright report``."""

from __future__ import annotations

import typer

from tilewright.generators.commands.flags import Command, Group
from tilewright.generators.commands.report_area import area
from tilewright.generators.commands.report_cores import cores
from tilewright.generators.commands.report_cycles import cycles
from tilewright.generators.commands.report_formats import formats
from tilewright.generators.commands.report_functions import functions
from tilewright.generators.commands.report_movement import movement

report = typer.Typer(
    name="report", cls=Group, help="Cycles, area and movement of data of a configuration.", no_args_is_help=True
)
report.command(cls=Command)(cycles)
report.command(cls=Command)(movement)
report.command(cls=Command)(area)
report.command(cls=Command)(formats)
report.command(cls=Command)(functions)
report.command(cls=Command)(cores)
