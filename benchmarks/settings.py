"""What discount, lambda, entropy and the form of the value do in each game: short runs that differ in one setting each.

``python -m benchmarks.settings [GAME ...] [--decisions N] [--runs DIR]`` draws ``docs/settings-GAME.svg`` and writes
``docs/settings.json``, the shares of games won against random players at the ends. Runs that are finished are not done again.
"""

import argparse
import json
from pathlib import Path

from boardherd.envs import GAMES
from boardherd.envs.core.files import write_whole
from boardherd.training.config import load_config
from boardherd.training.plots import curve, picture, plot_panels, read_metrics
from boardherd.training.ppo import CHECKPOINT, FINAL_EVALUATION, train

SETTINGS = {
    "discount": ("ppo.discount", (1.0, 0.99, 0.95)),
    "lambda": ("ppo.gae_lambda", (0.8, 0.95, 1.0)),
    "entropy": ("ppo.entropy", (0.0, 0.01, 0.04)),
    "value of": ("network.value", ("seats", "own")),
}
ALL = [
    "evaluation.opponents=[random]",
    "evaluation.every=3",
    "evaluation.games=200",
    "evaluation.final_games=1000",
    "torch_threads=1",
    "rollout.threads=1",
    "league.fixed_share=0",
]
METRIC = "evaluation/wins against random"


def _finished(run: Path) -> bool:
    return (run / FINAL_EVALUATION).exists() and (run / CHECKPOINT).exists()


def _trained(game: str, key: str, value: float | str, decisions: int, runs: Path) -> Path:
    changes = [f"{key}={value}"]
    if key == "ppo.entropy":
        changes.append(f"ppo.final_entropy={float(value) / 10}")
    usual, changed = load_config(game), load_config(game, changes)
    run = runs / (f"{game}-usual" if usual == changed else f"{game}-{key}-{value}")
    if not _finished(run):
        config = load_config(game, [f"decisions={decisions}", *ALL, *changes])
        if train(config, run, resume=True) is None:
            raise SystemExit("stopped; the same command goes on")
    return run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.settings", description="Short runs that differ in one setting each.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)}; all without one")
    parser.add_argument("--decisions", type=int, default=400_000, help="of each run")
    parser.add_argument("--runs", type=Path, default=Path("runs/settings"), help="where the runs go")
    chosen = parser.parse_args()
    table = Path("docs/settings.json")
    results = json.loads(table.read_text()) if table.exists() else {}
    for game in chosen.games or GAMES:
        panels, ends = {}, {}
        for title, (key, values) in SETTINGS.items():
            runs = {str(value): _trained(game, key, value, chosen.decisions, chosen.runs) for value in values}
            panels[title] = {label: curve(read_metrics(run), METRIC) for label, run in runs.items()}
            ends[title] = {label: json.loads((run / FINAL_EVALUATION).read_text())["random"]["scores"][0] for label, run in runs.items()}
        results[game] = {
            title: {label: [round(score[part], 3) for part in ("wins", "wins_low", "wins_high")] for label, score in scores.items()}
            for title, scores in ends.items()
        }
        write_whole(Path(f"docs/settings-{game}.svg"), picture(plot_panels(panels, f"{game}: wins against random"), "svg"))
        write_whole(table, (json.dumps(results, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
