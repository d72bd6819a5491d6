"""What a training run can be told, checked before anything starts. Configs are YAML files; every key and its default stand here."""

import difflib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError, model_validator


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class NetworkConfig(_Section):
    kind: Literal["mlp", "conv"] = Field("mlp", description="fully connected, or convolutions over the planes of a board")
    hidden: tuple[Annotated[int, Field(ge=1, le=65_536)], ...] = Field(
        (128, 128), min_length=1, description="widths of the fully connected layers (conv: of those that lead to the values)"
    )
    channels: int = Field(32, ge=1, le=4096, description="channels of each convolution (conv only)")
    convolutions: int = Field(3, ge=1, le=100, description="number of 3x3 convolutions (conv only)")


class RolloutConfig(_Section):
    num_envs: int = Field(1024, ge=1, le=1_000_000, description="games played at a time")
    steps: int = Field(32, ge=1, le=100_000, description="moves made in each game between two updates")
    threads: int = Field(1, ge=1, le=1024, description="threads that the engine spreads the games over")


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
    fixed: tuple[str, ...] = Field((), description="players that do not learn, such as greedy, as further opponents")
    fixed_share: float = Field(0.0, ge=0, le=1, description="share of games in which one of them plays all seats but one")
    snapshot_every: PositiveInt = Field(20, description="iterations between two copies of the current policy into the pool")


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
        None, description="threads of torch; none: as many as there are cores"
    )
    decisions: PositiveInt = Field(10_000_000, description="moves of learning seats after which the run is over")
    checkpoint_every: PositiveInt = Field(50, description="iterations between two checkpoints")
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


def shipped_configs() -> list[str]:
    """Names of the configs that come with the package."""
    return sorted(
        entry.name.removesuffix(".yaml") for entry in resources.files("boardherd.configs").iterdir() if entry.name.endswith(".yaml")
    )


def find_config(name: str) -> tuple[str, str]:
    """The label and the text of a config: a file's path, or the name of one that comes with the package. ValueError if there is none."""
    path = Path(name)
    if path.is_file():
        try:
            return str(path), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{name} is no text file in UTF-8") from None
    if name in shipped_configs():
        return f"{name}.yaml", (resources.files("boardherd.configs") / f"{name}.yaml").read_text(encoding="utf-8")
    raise ValueError(f"no config file {name!r}, and none of that name comes with boardherd: {', '.join(shipped_configs())}")


def load_config(name: str, overrides: Iterable[str] = ()) -> TrainingConfig:
    """Read a config and change it by ``overrides`` such as ``"ppo.learning_rate=1e-3"``.

    ValueError of one line that names the file, the key, and what is allowed there.
    """
    label, text = find_config(name)
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{label} is no valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{label} must hold keys with values, such as 'game: {{name: herd}}'")
    for override in overrides:
        _set(values, override)
    return check_config(label, values)


def _set(values: dict[str, Any], override: str) -> None:
    path, equals, text = override.partition("=")
    *sections, key = path.split(".")
    if not equals or not key:
        raise ValueError(f"override {override!r} must look like ppo.learning_rate=1e-3")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise ValueError(f"override {override!r}: {section} is a single value, it has no key {key!r}")
    try:
        values[key] = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError(f"override {override!r}: {text!r} is no valid YAML value") from None


def check_config(label: str, values: dict[str, Any]) -> TrainingConfig:
    """The config that ``values`` stand for. ValueError of one line that begins with ``label``."""
    try:
        return TrainingConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            allowed = _keys(first["loc"][:-1])
            near = difflib.get_close_matches(str(first["loc"][-1]), allowed, n=1)
            raise ValueError(
                f"{label}: unknown key {where}{f', did you mean {near[0]}?' if near else ''} (allowed here: {', '.join(allowed)})"
            ) from None
        message = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{label}: {where + ': ' if where else ''}{message}{', got ' + repr(first['input']) if where else ''}") from None


def _keys(location: tuple[Any, ...]) -> list[str]:
    model: Any = TrainingConfig
    for part in location:
        model = model.model_fields[part].annotation
    return list(model.model_fields)
