"""``tilewright selftest``."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from tilewright.generators.commands.screen import JsonOption, progress, screen
from tilewright.generators.commands.tables import counted
from tilewright.generators.commands.verdict import CheckFailed
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.rules import Whole

_PRODUCTS = Whole(1, 1_000_000)
_SEEDS = Whole(0, (1 << 31) - 1)


def selftest(
    where: Annotated[
        str, typer.Argument(metavar="WHERE", help="A serial port, sim:PRESET, or netlist:DIR of tilewright build.")
    ],
    products: Annotated[int, typer.Option("--products", metavar="N", help="How many.")] = 20,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Decides shapes and operands.")] = 1,
    baud: Annotated[int, typer.Option("--baud", metavar="BITS/S", help="Rate of a serial port.")] = 1_000_000,
    as_json: JsonOption = False,
) -> None:
    """Run random matrix products on a board, or on what stands for one, and compare every bit.

    A core behind a link also has to answer random commands and transfers, legal or not, resets and wrong frames.
    On a board that has the file of tilewright build; on the RTL of a core or engine; on the bitstream of a build,
    taken apart again (iCE40), or on its netlist after place and route (ECP5) or after synthesis (Gowin).

        tilewright selftest sim:ws-4x4-int8
    """
    for name, rule, value in (("--products", _PRODUCTS, products), ("--seed", _SEEDS, seed)):
        if rule.take(value) is None:
            raise ConfigError(f"{name} must be {rule.text}, got {value}; nearest legal value is {rule.nearest(value)}")
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from tilewright.fpga.host.accelerator import Accelerator
    from tilewright.fpga.host.link.link import LinkError
    from tilewright.fpga.host.selftest import selftest as run
    from tilewright.fpga.host.selftest_failed import SelftestFailed

    console, start = progress(), time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("getting ready", total=products)
        try:
            with Accelerator.connect(where, baud=baud) as accelerator:
                bar.update(task, description="products")
                tested = run(accelerator, products, seed=seed, tell=lambda done: bar.update(task, completed=done))
                config = accelerator.config
        except (SelftestFailed, LinkError) as error:
            raise CheckFailed(str(error)) from None
    seconds = round(time.monotonic() - start, 2)
    if as_json:
        found = {"where": where, "products": products, **vars(tested), "seed": seed, "seconds": seconds}
        typer.echo(json.dumps(found | {"config": config.model_dump(mode="json")}, indent=2))
        return
    core = f"{config.rows}x{config.cols} {config.dataflow}, {config.a} x {config.b} -> {config.acc}"
    linked = [f"{count:,} {what}" for what, count in vars(tested).items() if what != "results" and count]
    done = ", ".join([counted(products, "product"), f"{tested.results:,} results", *linked])
    screen().print(
        f"{where}: {core}: {done}, all right (seed {seed}, {seconds} s)",
        highlight=False,
    )
