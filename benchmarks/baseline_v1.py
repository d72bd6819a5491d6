"""``python -m benchmarks.baseline_v1``: train what the package ships, over several seeds, and score it on boardherd-bench-v1.

Runs that are finished are skipped, others go on from their checkpoints: start it again after any interruption. Its folder gets a run
for each game and seed, ``scores.json`` (as ``boardherd score`` writes it), and the tables ``baseline.md`` and ``baseline.json``.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from boardherd.envs.core.files import write_whole
from boardherd.training.bench_v1.data import NAME, SHA256, load_tables
from boardherd.training.bench_v1.score import Entry, Spread, find_entries, score, spreads
from boardherd.training.cli import main as boardherd

CONFIGS = {
    "herd": ["herd"],
    "chopat-2": ["chopat", "game.num_players=2"],
    "chopat-4": ["chopat"],
    "berd": ["berd"],
    "bikido": ["bikido"],
}
REFERENCES = ("greedy", "random")  # players scored beside the runs


@dataclass(frozen=True)
class Plan:
    games: list[str]
    seeds: int
    decisions: int
    folder: Path
    processes: int | None


def is_finished(run: Path, decisions: int) -> bool:
    """Whether there is nothing left to train. ValueError if the folder holds a run of another length."""
    if (run / "config.yaml").exists():
        begun = yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))["decisions"]
        if begun != decisions:
            raise ValueError(f"{run} was begun with decisions={begun}, not {decisions}: choose another --folder")
    return (run / "evaluation.json").exists()


def train_missing(plan: Plan) -> bool:
    """False if interrupted."""
    for seed in range(1, plan.seeds + 1):
        for name in plan.games:
            run = plan.folder / name / f"seed-{seed}"
            if is_finished(run, plan.decisions):
                continue
            print(f"--- {name}, seed {seed}", flush=True)
            overrides = [f"seed={seed}", f"decisions={plan.decisions}"]
            status = boardherd(["train", *CONFIGS[name], *overrides, "--run", str(run), "--resume"])
            if status:
                return False
    return True


def entries_of(plan: Plan) -> list[Entry]:
    found = []
    for name in plan.games:
        found += find_entries([str(plan.folder / name), *REFERENCES], [name])
    return found


def told(done: int, total: int, finished: str) -> None:
    if finished:
        print(f"{done:,} of {total:,} games; finished: {finished}", flush=True)


def markdown(plan: Plan, found: list[Spread], results: list[dict[str, Any]]) -> str:
    """Tables for ``docs/bench-v1.md``."""
    lines = [
        f"{plan.seeds} seeds, {plan.decisions:,} decisions each, {NAME} (`{SHA256[:12]}`), scores: mean ± standard deviation over seeds.",
        "",
        "| game | score | lowest to highest | greedy | random |",
        "| --- | --- | --- | --- | --- |",
    ]
    reference = {(result["player"], result["table"]): result["score"]["value"] for result in results if result["player"] in REFERENCES}
    for one in found:
        shown = f"{one.mean:.1f} ± {one.deviation:.1f} | {one.lowest:.1f} to {one.highest:.1f}"
        others = " | ".join(f"{reference[player, one.table]:.1f}" for player in REFERENCES)
        lines.append(f"| {one.table} | {shown} | {others} |")
    lines += ["", "Mean share of wins against each opponent:", "", "| game | fair | |", "| --- | --- | --- |"]
    for one in found:
        wins = ", ".join(f"{share:.1%} against `{opponent}`" for opponent, share in one.wins.items())
        lines.append(f"| {one.table} | {1 / load_tables()[one.table].game.num_players:.0%} | {wins} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baseline_v1", description="Train and score the baseline of the benchmark.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(CONFIGS)}; all without one")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each game (default 5)")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="of each run (default 1,000,000)")
    parser.add_argument("--folder", type=Path, default=Path("runs/baseline-v1"), help="default runs/baseline-v1")
    parser.add_argument("--processes", type=int, help="of scoring (default: as many as there are cores)")
    given = parser.parse_args()
    unknown = set(given.games) - set(CONFIGS)
    if unknown:
        parser.error(f"the benchmark has no game {', '.join(sorted(unknown))}; there are {', '.join(CONFIGS)}")
    if given.seeds < 1 or given.decisions < 1:
        parser.error("--seeds and --decisions must be 1 or more")
    plan = Plan(given.games or list(CONFIGS), given.seeds, given.decisions, given.folder, given.processes)
    if not train_missing(plan):
        print("stopped; the same command goes on", file=sys.stderr)
        return 1
    entries = entries_of(plan)
    results = score(entries, plan.folder / "scores.json", plan.processes, told)
    found = spreads(entries, results)
    report = {
        "benchmark": NAME,
        "sha256": SHA256,
        "seeds": plan.seeds,
        "decisions": plan.decisions,
        "games": [one._asdict() for one in found],
    }
    table = markdown(plan, found, results)
    write_whole(plan.folder / "baseline.json", (json.dumps(report, indent=1) + "\n").encode())
    write_whole(plan.folder / "baseline.md", table.encode())
    print(table)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command goes on")
    except ValueError as error:
        sys.exit(str(error))
