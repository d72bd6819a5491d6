"""What a training run shows and writes down while it goes on."""

import json
import signal
import threading
import uuid
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ..envs.core.files import write_whole
from .arena import Evaluation
from .config import TrainingConfig


class RunLog:
    """``metrics.jsonl``, one line an entry, and the same numbers for TensorBoard. What was logged after ``iteration`` is dropped:
    it belongs to a future that a resumed run does not continue."""

    def __init__(self, run: Path, iteration: int, config: TrainingConfig):
        from torch.utils.tensorboard import SummaryWriter

        path = run / "metrics.jsonl"
        kept = []
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except json.JSONDecodeError:
                    break  # the run was killed while it wrote this line
                if not isinstance(entry, dict) or not isinstance(entry.get("iteration"), int):
                    raise ValueError(f"{path} holds a line that no run wrote: {line[:80]!r}")
                if entry["iteration"] < iteration or (entry["iteration"] == iteration and "ppo/policy_loss" in entry):
                    kept.append(line + "\n")
        write_whole(path, "".join(kept).encode())
        self._file = path.open("a", encoding="utf-8")
        self._tensorboard = SummaryWriter(str(run), purge_step=iteration + 1 if iteration else None)
        self._wandb = _wandb_run(run, config) if config.wandb else None

    def write(self, iteration: int, decisions: int, metrics: dict[str, float]) -> None:
        self._file.write(json.dumps({"iteration": iteration, "decisions": decisions, **metrics}) + "\n")
        self._file.flush()
        for name, value in metrics.items():
            self._tensorboard.add_scalar(name, value, iteration)
        if self._wandb:
            self._wandb.log(metrics | {"decisions": decisions}, step=iteration)

    def __enter__(self) -> "RunLog":
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.close()
        self._tensorboard.close()
        if self._wandb:
            self._wandb.finish()


def _wandb_run(run: Path, config: TrainingConfig) -> Any:
    """The run's own run at Weights & Biases, gone on with when the run is resumed."""
    import wandb

    path = run / "wandb-id"
    if not path.exists():
        write_whole(path, uuid.uuid4().hex.encode())
    return wandb.init(
        project=config.wandb, id=path.read_text(), resume="allow", name=run.name, dir=str(run), config=config.model_dump(mode="json")
    )


class Stop:
    """Turns the first Ctrl-C (or SIGTERM) into a wish to stop. escalate: a second one interrupts at once (``torchrun`` sends
    several for one)."""

    def __init__(self, escalate: bool = True) -> None:
        self.asked, self._escalate = False, escalate
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Stop":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def _ask(self, number: int, frame: Any) -> None:
        if self.asked and self._escalate:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *_: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


class TrainingProgress:
    """A bar with speed and win rates."""

    def __init__(self, total: int, done: int):
        texts = "[progress.percentage]{task.percentage:>3.0f}%", "{task.fields[speed]}"
        self._bar = Progress(
            TextColumn(texts[0]), BarColumn(None), TextColumn(texts[1]), TimeElapsedColumn(), TimeRemainingColumn(),
            console=Console(stderr=True),
        )  # fmt: skip
        self._task = self._bar.add_task("training", total=total, completed=done, speed="")

    def __enter__(self) -> "TrainingProgress":
        self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        self._bar.console.print(text)

    def advance(self, decisions: int, metrics: dict[str, float]) -> None:
        speed = f"{metrics['speed/decisions_per_second'] / 1000:.1f} k decisions/s"
        self._bar.update(self._task, completed=decisions, speed=speed)

    def evaluated(self, results: dict[str, Evaluation], when: str = "evaluation") -> dict[str, float]:
        """Show win rates, and return them as metrics."""
        mine = {name: result.scores[0] for name, result in results.items()}
        rates = ", ".join(f"{score.wins:.1%} against {name}" for name, score in mine.items())
        self.say(f"after {self._bar.tasks[0].completed:,.0f} decisions: wins {rates}")
        return {
            f"{when}/{key} against {name}": value
            for name, score in mine.items()
            for key, value in (("wins", score.wins), ("payoff", score.payoff))
        }
