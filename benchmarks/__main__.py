"""``python -m benchmarks [NAME …] [--seconds S] [--rounds R] [--minutes M] [--json FILE]``: tables, and the same figures as JSON.

Names: batches, against_openspiel, against_pettingzoo, against_c, against_sb3, footprint; all of them without a name. One whose peer is
not installed (``pip install open-spiel``, the extra ``sb3``, a C compiler) is left out and says so.
"""

import argparse
import importlib
import json
from pathlib import Path

from boardherd.training.bench import machine
from rich.console import Console
from rich.table import Table

from .timing import Row

NAMES = ("batches", "against_openspiel", "against_pettingzoo", "against_c", "against_sb3", "footprint")


def _text(value: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"


def _table(title: str, rows: list[Row]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in rows[0].figures:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(row.what, *(_text(value) for value in row.figures.values()))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed beside peers, in the same run.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all without one")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement (default 1)")
    parser.add_argument("--rounds", type=int, default=3, help="whose median counts (default 3)")
    parser.add_argument("--minutes", type=float, default=0.0, help="against_sb3: let both sides also learn that long (default: not)")
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"), help="where the figures go (default benchmarks.json)")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    console = Console()
    report = {"machine": machine(), "seconds": chosen.seconds, "rounds": chosen.rounds}
    for name in chosen.names or NAMES:
        module = importlib.import_module(f".{name}", __package__)
        try:
            rows = module.run(chosen.seconds, chosen.rounds)
            learned = module.run_for(chosen.minutes) if chosen.minutes and hasattr(module, "run_for") else []
        except (ImportError, FileNotFoundError) as missing:
            console.print(f"{name}: left out, {missing}")
            continue
        report[name] = {row.what: row.figures for row in rows + learned}
        console.print(_table(f"{name}: {module.__doc__.splitlines()[0]}", rows))
        if learned:
            console.print(_table(f"{name}: what was learned in {chosen.minutes:g} minutes", learned))
    chosen.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    console.print(f"{chosen.json} written")


if __name__ == "__main__":
    main()
