"""Parameter sweeps: many training runs of one config with some of its keys varied, chosen by Optuna.

The folder of a sweep holds ``config.yaml`` and ``sweep.yaml`` (what was asked for), ``sweep.db`` (Optuna's study), ``sweep.json`` (what
came out so far), and an ordinary run for each trial. A trial that was interrupted goes on from its checkpoint.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import optuna
import yaml
from filelock import FileLock, Timeout
from optuna.trial import TrialState
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

from ..envs.core.files import write_whole
from .arena import Evaluation
from .config import TrainingConfig, check_config, set_key
from .config_files import checked, read_config
from .ppo import Diverged, train

RESULTS, STUDY = "sweep.json", "sweep.db"
_NEVER_PRUNED = 5  # trials at the beginning


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Range(_Section):
    """What a key may be: a number from ``low`` to ``high``, a whole one if both are, or one of ``values``, which a list stands for."""

    low: int | float | None = None
    high: int | float | None = None
    log: bool = Field(False, description="tried evenly on a logarithmic scale")
    values: tuple[Any, ...] | None = Field(None, min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _list_of_values(cls, given: Any) -> Any:
        return {"values": given} if isinstance(given, list) else given

    @model_validator(mode="after")
    def _makes_sense(self) -> "Range":
        if self.values is not None:
            if self.low is not None or self.high is not None or self.log:
                raise ValueError("must be a list of values, or low and high, not both")
        elif self.low is None or self.high is None:
            raise ValueError("must be a list of values, or have low and high")
        elif self.low >= self.high:
            raise ValueError(f"low must be less than high, {self.low} is not less than {self.high}")
        elif self.log and self.low <= 0:
            raise ValueError(f"low must be more than 0 on a logarithmic scale, it is {self.low}")
        return self

    def ends(self) -> tuple[Any, ...]:
        """The values that tell whether a config takes them all."""
        return self.values if self.values is not None else (self.low, self.high)

    def suggest(self, trial: optuna.Trial, key: str) -> Any:
        if self.values is not None:  # as JSON, for Optuna stores numbers and texts only
            return json.loads(trial.suggest_categorical(key, [json.dumps(value) for value in self.values]))
        assert self.low is not None and self.high is not None
        if isinstance(self.low, int) and isinstance(self.high, int):
            return trial.suggest_int(key, self.low, self.high, log=self.log)
        return trial.suggest_float(key, self.low, self.high, log=self.log)


class SweepConfig(_Section):
    vary: dict[str, Range] = Field(min_length=1, description="keys of the training config, such as ppo.learning_rate")
    trials: PositiveInt = Field(20, description="training runs, those stopped early included")
    objective: tuple[str, ...] = Field(
        (), description="opponents of the config's evaluation whose mean share of wins at the end is to be high; none: all of them"
    )
    seed: int = Field(1, ge=0, lt=2**31, description="of the choice of parameters")
    prune: bool = Field(
        True,
        description="stop a trial whose evaluation is worse than the median of earlier trials after as many evaluations; the first "
        f"{_NEVER_PRUNED} trials are never stopped",
    )


@dataclass(frozen=True)
class Trial:
    """One trial. state: ``complete``, ``pruned`` or ``diverged``. value: the objective, None if it was not reached. wins: share of wins
    against each opponent of the final evaluation. seconds: of training and evaluation, without what an interrupted run took before."""

    folder: str
    state: str
    value: float | None
    parameters: dict[str, Any]
    wins: dict[str, float]
    seconds: float


def best_trial(trials: list[Trial]) -> Trial | None:
    """The trial with the highest objective, None if none reached it."""
    return max((trial for trial in trials if trial.value is not None), key=lambda trial: trial.value or 0, default=None)


def load_sweep(name: str) -> SweepConfig:
    """Read a sweep's config: a file, or one that comes with the package. ValueError of one line that names file and key."""
    return checked(SweepConfig, *read_config(SweepConfig, name, "vary: {ppo.clip: [0.1, 0.2]}"))


def varied(config: TrainingConfig, parameters: dict[str, Any], label: str) -> TrainingConfig:
    """``config`` with other values of some keys. ValueError that begins with ``label`` if they are not possible."""
    values = config.model_dump(mode="json")
    for key, value in parameters.items():
        set_key(values, key, value, label)
    return check_config(label, values)


def check_sweep(config: TrainingConfig, sweep: SweepConfig) -> None:
    """ValueError if the config does not take what the sweep would try, or evaluates against none of the objective's opponents."""
    for key, span in sweep.vary.items():
        if key in ("decisions", "evaluation") or key.startswith("evaluation."):
            raise ValueError(f"vary.{key}: trials that differ in {key} cannot be compared")
        for value in span.ends():
            varied(config, {key: value}, f"vary.{key}")
    unknown = [name for name in sweep.objective if name not in config.evaluation.opponents]
    if unknown:
        raise ValueError(f"objective: {unknown[0]!r} is none of evaluation.opponents: {', '.join(config.evaluation.opponents)}")


def run_sweep(
    config: TrainingConfig, sweep: SweepConfig, run: str | Path, resume: bool = False, say: Callable[[str], None] = print
) -> list[Trial] | None:
    """Train as many trials as are still missing, one after the other, in folders below ``run``.

    resume: go on with the sweep that the folder holds; then only ``sweep.trials`` may differ from before. say: told what is tried.
    Returns all trials in the order in which they began, None if stopped by Ctrl-C. ValueError as from ``check_sweep``, or if the folder
    holds a sweep that is not to be resumed, or another one.
    """
    run = Path(run)
    if run.exists() and not run.is_dir():
        raise ValueError(f"{str(run)!r} is no folder")
    check_sweep(config, sweep)
    run.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(run / ".lock", timeout=0):
            _check_folder(config, sweep, run, resume)
            return _run_sweep(config, sweep, run, say)
    except Timeout:
        raise ValueError(f"another sweep is going on in {str(run)!r}") from None


def _check_folder(config: TrainingConfig, sweep: SweepConfig, run: Path, resume: bool) -> None:
    """Write down what was asked for, if it is what was asked for before."""
    if (run / STUDY).exists():
        if not resume:
            raise ValueError(f"{str(run)!r} already holds a sweep: add --resume to go on with it, or choose another folder by --run")
        for file, now in (("config.yaml", config), ("sweep.yaml", sweep)):
            before = yaml.safe_load((run / file).read_text(encoding="utf-8"))
            for key, value in now.model_dump(mode="json").items():
                if key != "trials" and before.get(key) != value:
                    raise ValueError(f"{str(run)!r} was begun with {key}: {before.get(key)}, it cannot go on with {key}: {value}")
    write_whole(run / "config.yaml", config.to_yaml().encode())
    write_whole(run / "sweep.yaml", yaml.safe_dump(sweep.model_dump(mode="json"), sort_keys=False).encode())


def _run_sweep(config: TrainingConfig, sweep: SweepConfig, run: Path, say: Callable[[str], None]) -> list[Trial] | None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    pruner = optuna.pruners.MedianPruner(_NEVER_PRUNED, n_warmup_steps=1) if sweep.prune else optuna.pruners.NopPruner()
    study = optuna.create_study(
        study_name="sweep", storage=f"sqlite:///{run / STUDY}", direction="maximize", pruner=pruner, load_if_exists=True
    )
    _take_up(study)
    while (number := len(_begun(study))) < sweep.trials or study.get_trials(states=(TrialState.WAITING,)):
        # Seeded by place in the sweep, so that one that was interrupted goes on as it would have.
        study.sampler = optuna.samplers.TPESampler(seed=sweep.seed + number)
        trial = study.ask()
        folder = trial.user_attrs.get("folder", f"trial-{number:03d}")
        trial.set_user_attr("folder", folder)
        parameters = {key: span.suggest(trial, key) for key, span in sweep.vary.items()}
        trial.set_user_attr("parameters", parameters)
        say(f"{folder}, of {sweep.trials}: {', '.join(f'{key}={value}' for key, value in parameters.items())}")
        if not _run_trial(study, trial, varied(config, parameters, folder), sweep, run / folder):
            return None
        _write_results(study, sweep, run)
    return _write_results(study, sweep, run)


def _begun(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    """All trials but those that were interrupted and have gone on under another number."""
    return [trial for trial in study.get_trials(deepcopy=False) if trial.state not in (TrialState.FAIL, TrialState.WAITING)]


def _take_up(study: optuna.Study) -> None:
    """Put trials that were interrupted first in the queue, as new ones with their old folders."""
    for trial in study.get_trials(states=(TrialState.RUNNING,)):
        if "parameters" in trial.user_attrs:
            study.enqueue_trial(trial.params, user_attrs={"folder": trial.user_attrs["folder"]})
        study.tell(trial.number, state=TrialState.FAIL)


def _run_trial(study: optuna.Study, trial: optuna.Trial, config: TrainingConfig, sweep: SweepConfig, folder: Path) -> bool:
    """Train, and let the study know. False if stopped; the trial is then still running, as far as the study knows."""
    opponents = sweep.objective or config.evaluation.opponents

    def objective(results: dict[str, Evaluation]) -> float:
        return sum(results[name].scores[0].wins for name in opponents) / len(opponents)

    def watch(iteration: int, results: dict[str, Evaluation]) -> None:
        trial.report(objective(results), iteration // config.evaluation.every)
        if trial.should_prune():
            raise optuna.TrialPruned

    began = time.perf_counter()
    try:
        final = train(config, folder, resume=True, watch=watch)
    except (optuna.TrialPruned, Diverged) as reason:
        trial.set_user_attr("diverged", isinstance(reason, Diverged))
        trial.set_user_attr("seconds", time.perf_counter() - began)
        study.tell(trial, state=TrialState.PRUNED)
        return True
    if final is None:
        return False
    trial.set_user_attr("wins", {name: result.scores[0].wins for name, result in final.items()})
    trial.set_user_attr("seconds", time.perf_counter() - began)
    study.tell(trial, objective(final))
    return True


def _write_results(study: optuna.Study, sweep: SweepConfig, run: Path) -> list[Trial]:
    trials = [
        Trial(
            folder=one.user_attrs["folder"],
            state="diverged" if one.user_attrs.get("diverged") else one.state.name.lower(),
            value=one.value if one.state == TrialState.COMPLETE else None,
            parameters=one.user_attrs["parameters"],
            wins=one.user_attrs.get("wins", {}),
            seconds=round(one.user_attrs["seconds"], 1),
        )
        for one in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
    ]
    report: dict[str, Any] = {"objective": list(sweep.objective) or "all opponents", "trials": [asdict(trial) for trial in trials]}
    best = best_trial(trials)
    report["best"] = best.folder if best else None
    write_whole(run / RESULTS, (json.dumps(report, indent=1) + "\n").encode())
    return trials
