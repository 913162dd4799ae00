"""Builds several simulators side by side and shows what is being built."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tilewright.sim_tests.harness.build import Build, BuildSpec, make
from tilewright.sim_tests.harness.children import Children
from tilewright.sim_tests.harness.runtime import processors


class _Board:
    """Which builds are at work, and at which step."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show, self._steps, self._lock = show, dict[int, str](), threading.Lock()

    def step(self, index: int, text: str | None) -> None:
        with self._lock:
            if text is None:
                self._steps.pop(index, None)
            else:
                self._steps[index] = text
            self._show(", ".join(self._steps.values()))


def build_many(
    specs: Sequence[BuildSpec], *, names: Sequence[str] | None = None, console: Console | None = None
) -> list[Build]:
    """Build all, as many at a time as there are processors; equal ones once.

    On a terminal a bar shows what is being built; elsewhere one line tells of each new build. ``names`` are what the
    designs are called there; without them, the names of their top modules. The first failure, or
    an interrupt, stops all compilers and is raised.
    """
    screen = console or Console(stderr=True)
    distinct = {spec.key(): spec for spec in specs}
    called = dict(zip((spec.key() for spec in specs), names or [spec.interface.top for spec in specs], strict=True))
    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    finished: dict[str, Build] = {}
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("", total=len(distinct))
        board = _Board(lambda text: bar.update(task, description=text))

        def one(index: int, key: str, spec: BuildSpec) -> tuple[str, Build]:
            try:
                return key, make(spec, lambda step: board.step(index, f"{called[key]} ({step})"), children)
            finally:
                board.step(index, None)

        with ThreadPoolExecutor(processors()) as pool, Children(processors()) as children:
            jobs = [pool.submit(one, index, *item) for index, item in enumerate(distinct.items())]
            try:
                for job in as_completed(jobs):
                    key, done = job.result()
                    finished[key] = done
                    bar.advance(task)
                    if not screen.is_terminal and not done.cached:
                        timing = ", ".join(f"{step} {seconds:.1f} s" for step, seconds in done.seconds.items())
                        screen.print(f"built {called[key]}: {timing}", highlight=False)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [finished[spec.key()] for spec in specs]
