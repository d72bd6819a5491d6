"""Whole training runs: they learn, and survive being killed."""

import json
import signal
import subprocess
import sys
import time

import pytest
from boardherd.training.checkpoint import read_checkpoint
from boardherd.training.config import check_config
from boardherd.training.ppo import train

pytestmark = pytest.mark.slow

QUICK = {
    "torch_threads": 2,
    "rollout": {"num_envs": 128, "steps": 32},
    "ppo": {"minibatch": 1024},
    "evaluation": {"opponents": ["random"], "every": 1000, "games": 400, "final_games": 800},
}


@pytest.mark.parametrize(
    ("game", "decisions", "fair"),
    [
        ({"name": "herd", "size": 3}, 250_000, 1 / 2),
        ({"name": "chopat", "num_players": 3}, 150_000, 1 / 3),
        ({"name": "berd", "num_players": 3, "path": 28, "tokens": 5}, 250_000, 1 / 3),
        ({"name": "bikido"}, 150_000, 1 / 2),
    ],
    ids=lambda value: value["name"] if isinstance(value, dict) else None,
)
def test_a_short_run_learns(tmp_path, game, decisions, fair):
    config = check_config("test", QUICK | {"game": game, "decisions": decisions})
    score = train(config, tmp_path / "run")["random"].scores[0]
    assert score.wins_low > fair + 0.1


def test_a_killed_run_goes_on(tmp_path):
    run = tmp_path / "run"
    settings = ["game.size=2", "rollout.num_envs=32", "rollout.steps=8", "checkpoint_every=2", "decisions=20000"]
    settings += ["evaluation.every=1000", "evaluation.games=2", "evaluation.final_games=10", "network.hidden=[16]", "torch_threads=1"]
    command = [sys.executable, "-c", "import sys; from boardherd.training.cli import main; sys.exit(main())", "train", "herd", *settings]
    for _ in range(3):
        process = subprocess.Popen([*command, "--run", str(run), "--resume"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        before = (run / "checkpoint.pt").stat().st_mtime_ns if (run / "checkpoint.pt").exists() else 0
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if (run / "checkpoint.pt").exists() and (run / "checkpoint.pt").stat().st_mtime_ns > before:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        process.wait()
        assert read_checkpoint(run)["training"]["ranks"][0]["iteration"] >= 0
    finished = subprocess.run([*command, "--run", str(run), "--resume"], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert json.loads((run / "evaluation.json").read_text())["random"]["games"] == 10
    entries = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    learned = [entry["iteration"] for entry in entries if "learning_rate" in entry]
    assert learned == list(range(1, len(learned) + 1))  # nothing twice, nothing missing
