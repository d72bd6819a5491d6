"""Sweeps: what may vary, which trials are run, and what survives an interruption."""

import json
from types import SimpleNamespace

import pytest
import yaml
from boardherd.training import sweep as sweeping
from boardherd.training.cli import main
from boardherd.training.config import load_config
from boardherd.training.config_files import checked
from boardherd.training.ppo import Diverged
from boardherd.training.sweep import Range, SweepConfig, best_trial, load_sweep, run_sweep, varied

VARY = {"ppo.learning_rate": {"low": 1e-4, "high": 1e-2, "log": True}, "ppo.epochs": {"low": 1, "high": 4}, "network.hidden": [[8], [8, 8]]}
SMALL = ["game.size=2", "rollout.num_envs=16", "rollout.steps=8", "evaluation.games=4", "evaluation.final_games=10", "torch_threads=1"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def config():
    return load_config("smoke", ["game.size=2"])


def a_sweep(**changes):
    return checked(SweepConfig, "test", {"vary": VARY, "trials": 8, **changes})


def outcome(**wins):
    return {name: SimpleNamespace(scores=[SimpleNamespace(wins=share)]) for name, share in wins.items()}


@pytest.fixture
def trained(monkeypatch):
    """Stands in for training: wins depend on the parameters. Returns the folders trained in, with how often; ``stop_at`` stops before the
    end, ``decisive`` says what an evaluation in the middle tells."""
    log = SimpleNamespace(folders=[], configs=[], stop_at=None, diverge_at=None, decisive=lambda wins: wins)

    def train(config, run, resume, watch):
        log.folders.append(run.name)
        log.configs.append(config)
        wins = round(1 / (1 + abs(config.ppo.learning_rate - 1e-3) * 500), 6)
        watch(0, outcome(random=0.5, greedy=0.1))
        if len(log.folders) == log.stop_at:
            return None
        if len(log.folders) == log.diverge_at:
            raise Diverged("a loss is no finite number")
        watch(config.evaluation.every, outcome(random=1, greedy=log.decisive(wins)))
        return outcome(random=1.0, greedy=wins)

    monkeypatch.setattr(sweeping, "train", train)
    return log


def parameters(trials):
    return [(trial.folder, trial.state, trial.value, trial.parameters) for trial in trials]


# --- what may vary


def test_ranges_are_whole_numbers_others_or_values():
    vary = a_sweep().vary
    assert (vary["ppo.epochs"].low, type(vary["ppo.epochs"].low)) == (1, int)
    assert vary["ppo.learning_rate"].log
    assert vary["network.hidden"].ends() == ([8], [8, 8])
    assert Range.model_validate({"low": "1e-4", "high": 1}).low == 1e-4  # what YAML 1.1 takes for a text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trials: 3", "wrong.yaml: vary: Field required"),
        ("vary: {}", "wrong.yaml: vary: Dictionary should have at least 1 item"),
        ("vary: {ppo.clip: 3}", "wrong.yaml: vary.ppo.clip: Input should be a valid dictionary"),
        ("vary: {ppo.clip: []}", "wrong.yaml: vary.ppo.clip.values: Tuple should have at least 1 item"),
        ("vary: {ppo.clip: {low: 1}}", "wrong.yaml: vary.ppo.clip: must be a list of values, or have low and high"),
        ("vary: {ppo.clip: {low: 2, high: 1}}", "wrong.yaml: vary.ppo.clip: low must be less than high, 2 is not less than 1"),
        ("vary: {ppo.clip: {low: 0, high: 1, log: true}}", "low must be more than 0 on a logarithmic scale"),
        ("vary: {ppo.clip: {low: 0.1, hihg: 1}}", "unknown key vary.ppo.clip.hihg, did you mean high? (allowed here: low, high,"),
        ("vary: {ppo.clip: [0.1]}\ntrial: 3", "wrong.yaml: unknown key trial, did you mean trials?"),
        ("vary: {ppo.clip: [0.1]}\ntrials: 0", "wrong.yaml: trials: Input should be greater than 0, got 0"),
        ("vary: {ppo.clip: [0.1, -1]}", "vary.ppo.clip: ppo.clip: Input should be greater than 0, got -1"),
        ("vary: {ppo.clap: [0.1]}", "vary.ppo.clap: unknown key ppo.clap, did you mean clip?"),
        ("vary: {game.size.x: [0.1]}", "vary.game.size.x: size is a single value, it has no key 'x'"),
        ("vary: {decisions: [10, 20]}", "vary.decisions: trials that differ in decisions cannot be compared"),
        ("vary: {evaluation.games: [10, 20]}", "cannot be compared"),
        ("vary: {ppo.clip: [0.1]}\nobjective: [nobody]", "objective: 'nobody' is none of evaluation.opponents: random, greedy"),
        ("just text", "wrong.yaml must hold keys with values"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text, message, folder, capsys):
    (folder / "wrong.yaml").write_text(text)
    assert main(["sweep", "smoke", "wrong.yaml"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (folder / "runs").exists()


def test_missing_names_tell_what_there_is(capsys):
    assert main(["sweep", "smoke", "nowhere"]) == 2
    assert "no config file 'nowhere', and none of that name comes with boardherd: sweep" in capsys.readouterr().err
    assert main(["sweep", "sweep", "sweep"]) == 2
    assert "no config file 'sweep'" in capsys.readouterr().err
    assert main(["sweep", "smoke", "sweep", "--resume"]) == 2
    assert "--resume needs --run DIR" in capsys.readouterr().err


def test_the_shipped_sweep_goes_with_the_shipped_configs():
    for name in ("smoke", "herd", "chopat", "berd", "bikido"):
        sweeping.check_sweep(load_config(name), load_sweep("sweep"))


# --- which trials are run


def test_trials_are_the_config_with_what_was_chosen(config, trained, folder):
    trials = run_sweep(config, a_sweep(objective=["greedy"]), folder / "run", say=lambda text: None)
    assert trained.folders == [trial.folder for trial in trials] == [f"trial-{k:03d}" for k in range(8)]
    for trial, used in zip(trials, trained.configs, strict=True):
        assert used == varied(config, trial.parameters, "test")
        assert used.ppo.learning_rate == trial.parameters["ppo.learning_rate"]
        assert 1e-4 <= used.ppo.learning_rate <= 1e-2
        assert used.ppo.epochs in (1, 2, 3, 4)
        assert list(used.network.hidden) in ([8], [8, 8])
    assert len({trial.parameters["ppo.learning_rate"] for trial in trials}) == 8
    done = [trial for trial in trials if trial.state == "complete"]
    assert all(trial.value == trial.wins["greedy"] for trial in done)
    report = json.loads((folder / "run" / "sweep.json").read_text())
    assert report["best"] == best_trial(trials).folder == max(done, key=lambda trial: trial.value).folder
    assert [trial["parameters"] for trial in report["trials"]] == [trial.parameters for trial in trials]
    assert yaml.safe_load((folder / "run" / "sweep.yaml").read_text())["objective"] == ["greedy"]


def test_without_an_objective_all_opponents_count(config, trained, folder):
    (trial,) = run_sweep(config, a_sweep(trials=1), folder / "run", say=lambda text: None)
    assert trial.value == pytest.approx((trial.wins["random"] + trial.wins["greedy"]) / 2)


def test_trials_below_the_median_are_stopped_but_not_the_first(config, trained, folder):
    trained.decisive = lambda wins: 1 / len(trained.folders)  # each worse than all before
    trials = run_sweep(config, a_sweep(objective=["greedy"]), folder / "pruned", say=lambda text: None)
    assert [trial.state for trial in trials] == ["complete"] * 5 + ["pruned"] * 3
    assert [trial.value for trial in trials[5:]] == [None] * 3
    trained.folders.clear()
    trials = run_sweep(config, a_sweep(objective=["greedy"], prune=False), folder / "all", say=lambda text: None)
    assert {trial.state for trial in trials} == {"complete"}


def test_a_trial_that_diverges_is_told_and_passed_over(config, trained, folder):
    trained.diverge_at = 2
    trials = run_sweep(config, a_sweep(trials=3), folder / "run", say=lambda text: None)
    assert [trial.state for trial in trials] == ["complete", "diverged", "complete"]


# --- interruptions


@pytest.mark.parametrize("stop_at", [1, 12])  # the first ten are drawn at random, later ones depend on those before
def test_a_stopped_sweep_goes_on_as_if_nothing_had_happened(config, trained, folder, stop_at):
    settings = a_sweep(prune=False, trials=13)
    whole = run_sweep(config, settings, folder / "whole", say=lambda text: None)
    trained.folders.clear()
    trained.stop_at = stop_at
    assert run_sweep(config, settings, folder / "run", say=lambda text: None) is None
    resumed = run_sweep(config, settings, folder / "run", resume=True, say=lambda text: None)
    assert parameters(resumed) == parameters(whole)
    assert trained.folders == sorted([f"trial-{k:03d}" for k in range(13)] + [f"trial-{stop_at - 1:03d}"])
    trained.folders.clear()
    trained.stop_at = None
    more = run_sweep(config, a_sweep(prune=False, trials=14), folder / "run", resume=True, say=lambda text: None)
    assert parameters(more)[:13] == parameters(whole)
    assert trained.folders == ["trial-013"]


def test_another_sweep_does_not_go_on_in_the_same_folder(config, trained, folder):
    run_sweep(config, a_sweep(trials=1), folder / "run", say=lambda text: None)
    with pytest.raises(ValueError, match="already holds a sweep: add --resume"):
        run_sweep(config, a_sweep(trials=1), folder / "run")
    with pytest.raises(ValueError, match="was begun with seed: 1, it cannot go on with seed: 2"):
        run_sweep(config, a_sweep(trials=1, seed=2), folder / "run", resume=True)
    other = load_config("smoke", ["game.size=3"])
    with pytest.raises(ValueError, match=r"was begun with game: .*'size': 2"):
        run_sweep(other, a_sweep(trials=1), folder / "run", resume=True)


# --- the command


def test_a_small_sweep_ends_with_a_table(folder, capsys):
    (folder / "two.yaml").write_text("vary: {ppo.learning_rate: [0.001, 0.003]}\ntrials: 2\nobjective: [random]\n")
    assert main(["sweep", "smoke", "two.yaml", *SMALL, "decisions=500", "--run", "run"]) == 0
    shown = capsys.readouterr().out
    assert "trial-000, of 2: ppo.learning_rate=" in shown
    assert "mean wins" in shown
    assert "results: run/sweep.json" in shown
    assert "boardherd train smoke game.size=2" in shown
    for trial in ("trial-000", "trial-001"):
        assert (folder / "run" / trial / "evaluation.json").exists()
        assert (folder / "run" / trial / "checkpoint.pt").exists()


def test_a_stopped_sweep_tells_how_to_go_on(trained, capsys):
    trained.stop_at = 1
    assert main(["sweep", "smoke", "sweep", "ppo.clip=0.1", "--run", "run"]) == 130
    assert "to go on: boardherd sweep smoke sweep ppo.clip=0.1 --run run --resume" in capsys.readouterr().out


def test_help_has_an_example(capsys):
    assert main(["sweep", "--help"]) == 0
    assert "Example: boardherd sweep" in capsys.readouterr().out
