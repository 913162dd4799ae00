"""What the example prints of a study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minilm.encoder import KINDS
from minilm.engine_products import Measured
from minilm.study import Study, ranking
from tilewright.generators.commands.tables import Column, mark, percent, show

LEAST_COSINE = {"int8": 0.99, "bf16": 0.999}
_COLUMNS = ("products", "MACs", "cycles", "utilisation", "seconds")


def show_study(engine: str, found: Study, sentences: Sequence[str], seconds: float) -> bool:
    """Prints all tables; whether everything is as it must be."""
    groups = {kind: [run for run in found.measured if run.kind == kind] for kind in KINDS}
    _show_runs("product", groups, found, f"{engine}: six layers, {len(sentences)} sentences")
    layers = sorted({run.layer for run in found.measured})
    _show_runs("layer", {str(n + 1): [r for r in found.measured if r.layer == n] for n in layers}, found, "")
    columns = (Column("seconds of wall time"), Column("", right=True))
    rows = [(name, f"{spent:.1f}") for name, spent in found.seconds.items()]
    show(columns, [*rows, ("all", f"{seconds:.1f}")])
    _show_sentences(found, sentences)
    values, differing = sum(run.values for run in found.measured), sum(run.differing for run in found.measured)
    least = found.cosines.min()
    verdicts = (
        (f"{values:,} results compared, {differing:,} differ from the reference", differing == 0),
        (f"smallest cosine with the float network {least:.5f}", least >= LEAST_COSINE[engine]),
        ("ranking of the others as in floats", found.same_ranking),
    )
    show((Column(""), Column("")), [(text, mark(good)) for text, good in verdicts])
    print(f"{found.cycles_per_second:,.0f} simulated cycles a second\n")
    return all(good for _, good in verdicts)


def _show_runs(name: str, groups: dict[str, list[Measured]], found: Study, title: str) -> None:
    rows = [(group, *_cells(found, runs)) for group, runs in groups.items()]
    rows.append(("all", *_cells(found, found.measured)))
    show((Column(name), *(Column(column, right=True) for column in _COLUMNS)), rows, title)


def _cells(found: Study, runs: Sequence[Measured]) -> tuple[str, ...]:
    return (
        f"{sum(run.products for run in runs):,}",
        f"{sum(run.macs for run in runs):,}",
        f"{sum(run.cycles for run in runs):,}",
        percent(found.utilisation(runs)),
        f"{sum(run.seconds for run in runs):.1f}",
    )


def _show_sentences(found: Study, sentences: Sequence[str]) -> None:
    nearest = ranking(found.on_engine)[:, 0]
    likeness = np.sum(found.on_engine * found.on_engine[nearest], axis=1)
    rows = [
        (text, f"{cosine:.5f}", sentences[near], f"{like:.3f}")
        for text, cosine, near, like in zip(sentences, found.cosines, nearest, likeness, strict=True)
    ]
    columns = (Column("sentence", prose=True), Column("cosine", right=True), Column("nearest", prose=True))
    show((*columns, Column("likeness", right=True)), rows)
