"""Several processes that learn together, as torchrun starts them."""

import json
import os
import subprocess
import sys

import pytest
import torch
from boardherd.training.checkpoint import read_checkpoint
from boardherd.training.config import check_config
from boardherd.training.ppo import Trainer, train
from boardherd.training.ranks import Ranks

SETTINGS = {
    "game": {"name": "herd", "size": 2},
    "torch_threads": 1,
    "network": {"hidden": [16]},
    "rollout": {"num_envs": 32, "steps": 16, "threads": 1},
    "ppo": {"minibatch": 128},
    "league": {"share": 0.5, "snapshot_every": 2, "promotion": "better", "promotion_games": 10},
    "evaluation": {"every": 4, "games": 4, "final_games": 8},
    "checkpoint_every": 2,
}
SCRIPT = """
import sys, yaml
from boardherd.training.config import load_config
from boardherd.training.ppo import train
train(load_config(sys.argv[1], sys.argv[3:]), sys.argv[2], resume=True)
"""


def test_alone_everything_stays_what_it_is():
    ranks = Ranks()
    assert (ranks.rank, ranks.size, ranks.is_first) == (0, 1, True)
    assert ranks.share("rollout.num_envs", 7) == 7
    assert ranks.gather("x") == ["x"]
    assert ranks.least(3) == 3


def test_a_number_that_cannot_be_shared_is_refused():
    ranks = Ranks()
    ranks.size = 2
    with pytest.raises(ValueError, match=r"rollout\.num_envs: 7 cannot be shared by 2 processes"):
        ranks.share("rollout.num_envs", 7)


def test_a_run_of_several_processes_is_not_gone_on_with_by_one(tmp_path):
    config = check_config("test", SETTINGS | {"decisions": 500})
    train(config, tmp_path)
    saved = read_checkpoint(tmp_path)
    saved["training"]["ranks"] *= 2
    torch.save(saved, tmp_path / "checkpoint.pt")
    with pytest.raises(ValueError, match="saved by 2 processes, these are 1"):
        train(config, tmp_path, resume=True)


@pytest.mark.slow
def test_two_processes_learn_one_policy_and_go_on(tmp_path):
    (tmp_path / "config.yaml").write_text(json.dumps(SETTINGS))
    (tmp_path / "script.py").write_text(SCRIPT)
    run = tmp_path / "run"

    def launch(decisions):
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(tmp_path / "script.py")]
        command += [str(tmp_path / "config.yaml"), str(run), f"decisions={decisions}"]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        return read_checkpoint(run)

    saved = launch(4000)
    first, second = saved["training"]["ranks"]
    assert first["decisions"] == second["decisions"] >= 4000
    assert first["iteration"] == second["iteration"]
    moments = [state["optimizer"]["state"][0]["exp_avg"] for state in (first, second)]
    assert torch.equal(*moments)  # both made the same steps
    assert not torch.equal(first["games"], second["games"])  # in games of their own
    again = launch(8000)
    assert again["training"]["ranks"][0]["iteration"] > first["iteration"]
    learned = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    numbers = [entry["iteration"] for entry in learned if "learning_rate" in entry]
    assert numbers == list(range(1, len(numbers) + 1))
    assert json.loads((run / "evaluation.json").read_text())["random"]["games"] == 8


def test_one_process_learns_what_its_shards_learn_together():
    """The gradient does not depend on how a minibatch is cut."""
    networks = []
    for threads in (1, 2):
        trainer = Trainer(check_config("test", SETTINGS | {"torch_threads": threads, "ppo": {"minibatch": 4096, "epochs": 1}}))
        assert trainer.shards.count == threads
        trainer.iterate()
        networks.append(trainer.network)
    for one, two in zip(networks[0].parameters(), networks[1].parameters(), strict=True):
        torch.testing.assert_close(one, two, atol=1e-5, rtol=1e-4)
