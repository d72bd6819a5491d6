"""What a training run can be told, checked before anything starts. Configs are YAML files; every key and its default stand here."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, model_validator

from .config_files import checked, read_config


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class NetworkConfig(_Section):
    kind: Literal["mlp", "conv"] = Field("mlp", description="fully connected, or convolutions over the planes of a board")
    hidden: tuple[Annotated[int, Field(ge=1, le=65_536)], ...] = Field(
        (128, 128), min_length=1, description="widths of the fully connected layers (conv: of those that lead to the values)"
    )
    value: Literal["seats", "own"] = Field(
        "seats", description="foretell what every seat will be paid, or only the deciding one (the others then share the opposite)"
    )
    channels: int = Field(32, ge=1, le=4096, description="channels of each convolution (conv only)")
    convolutions: int = Field(3, ge=1, le=100, description="number of 3x3 convolutions (conv only)")


class RolloutConfig(_Section):
    num_envs: int = Field(1024, ge=1, le=1_000_000, description="games played at a time")
    steps: int = Field(32, ge=1, le=100_000, description="moves made in each game between two updates")
    threads: Annotated[int, Field(ge=1, le=1024)] | None = Field(
        None, description="threads that the engine spreads the games over; none: as many as there are cores, each with 256 games or more"
    )


class PPOConfig(_Section):
    learning_rate: PositiveFloat = 1e-3
    final_learning_rate: float = Field(0.0, ge=0, description="reached linearly at the end of the run")
    entropy: float = Field(0.01, ge=0, description="weight of the entropy bonus; entropy is divided by its maximum, log(legal moves)")
    final_entropy: float = Field(0.001, ge=0, description="reached linearly at the end of the run")
    discount: float = Field(1.0, gt=0, le=1, description="per own decision")
    gae_lambda: float = Field(0.95, ge=0, le=1)
    clip: PositiveFloat = 0.2
    value_weight: float = Field(0.5, ge=0)
    epochs: PositiveInt = 3
    minibatch: PositiveInt = 4096
    max_grad_norm: PositiveFloat = 0.5


class LeagueConfig(_Section):
    share: float = Field(0.2, ge=0, le=1, description="share of games in which half the seats are played by an earlier policy")
    pool_size: PositiveInt = Field(6, description="earlier policies kept")
    weighting: Literal["hard", "variance", "uniform"] = Field(
        "hard", description="which of them are drawn more often: those seldom beaten, those of like strength, none"
    )
    fixed: tuple[str, ...] = Field((), description="players that do not learn, such as greedy, as further opponents")
    fixed_share: float = Field(0.0, ge=0, le=1, description="share of games in which one of them plays all seats but one")
    snapshot_every: PositiveInt = Field(20, description="iterations between two copies of the current policy into the pool")
    promotion: Literal["always", "better"] = Field(
        "always", description="better: only if the lower end of its 95 % interval of payoffs against the newest member is above zero"
    )
    promotion_games: PositiveInt = Field(200, description="games in which that is found out")


class EvaluationConfig(_Section):
    opponents: tuple[str, ...] = Field(
        ("random", "greedy"), min_length=1, description="each of these in turn plays all seats but the policy's"
    )
    every: PositiveInt = Field(50, description="iterations between two evaluations; there is one before the first, too")
    games: PositiveInt = Field(200, description="games against each opponent")
    final_games: PositiveInt = Field(1000, description="games against each opponent at the end of the run")


class RLlibConfig(_Section):
    address: str | None = Field(None, description="of a Ray cluster, such as auto or HOST:6379; none: this machine alone")
    env_runners: int = Field(2, ge=0, le=10_000, description="processes that play; 0: the one that learns plays, too")


class TrainingConfig(_Section):
    game: dict[str, Any] = Field(description="name, and the options of that game")
    seed: int = Field(1, ge=0, lt=2**63)
    device: str = Field("auto", pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$", description="auto, cpu, cuda, cuda:1, mps")
    torch_threads: Annotated[int, Field(ge=1, le=1024)] | None = Field(
        None, description="threads that learn, and that choose moves; none: as many as there are cores"
    )
    decisions: PositiveInt = Field(10_000_000, description="moves of learning seats after which the run is over")
    checkpoint_every: PositiveInt = Field(50, description="iterations between two checkpoints")
    wandb: str | None = Field(None, description="project of Weights & Biases to log to, beside TensorBoard")
    network: NetworkConfig = NetworkConfig()
    rollout: RolloutConfig = RolloutConfig()
    ppo: PPOConfig = PPOConfig()
    league: LeagueConfig = LeagueConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    rllib: RLlibConfig = RLlibConfig()

    @model_validator(mode="after")
    def _game_is_named(self) -> "TrainingConfig":
        if not isinstance(self.game.get("name"), str):
            raise ValueError(f"game.name must be the name of a game, as in game: {{name: herd}}, got {self.game.get('name')!r}")
        return self

    @property
    def game_name(self) -> str:
        return self.game["name"]

    @property
    def game_options(self) -> dict[str, Any]:
        return {key: value for key, value in self.game.items() if key != "name"}

    def to_yaml(self) -> str:
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)


def load_config(name: str, overrides: Iterable[str] = ()) -> TrainingConfig:
    """Read a config and change it by ``overrides`` such as ``"ppo.learning_rate=1e-3"``.

    ValueError of one line that names the file, the key, and what is allowed there.
    """
    label, values = read_config(TrainingConfig, name, "game: {name: herd}")
    for override in overrides:
        _set(values, override)
    return check_config(label, values)


def _set(values: dict[str, Any], override: str) -> None:
    path, equals, text = override.partition("=")
    if not equals or not path.split(".")[-1]:
        raise ValueError(f"override {override!r} must look like ppo.learning_rate=1e-3")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError(f"override {override!r}: {text!r} is no valid YAML value") from None
    set_key(values, path, value, f"override {override!r}")


def set_key(values: dict[str, Any], path: str, value: Any, label: str) -> None:
    """Change a key such as ``ppo.learning_rate``. ValueError that begins with ``label`` if something on the way is no section."""
    *sections, key = path.split(".")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise ValueError(f"{label}: {section} is a single value, it has no key {key!r}")
    values[key] = value


def check_config(label: str, values: dict[str, Any]) -> TrainingConfig:
    """The config that ``values`` stand for. ValueError of one line that begins with ``label``."""
    return checked(TrainingConfig, label, values)
