"""Processes that learn together, one per rank, as ``torchrun`` starts them (data-parallel training).

Each plays its share of the games, gradients are averaged, so that all hold the same network. Alone, everything here does nothing.
"""

import os
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

_PATIENCE = timedelta(hours=2)  # others wait while the first one evaluates


class Ranks:
    """rank: of this process; size: how many there are; local_rank: among those on this machine."""

    def __init__(self) -> None:
        self.rank, self.size, self.local_rank = (
            int(os.environ.get(name, default)) for name, default in (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0))
        )
        if self.size > 1 and not dist.is_initialized():
            dist.init_process_group("gloo", timeout=_PATIENCE)  # of gradients as small as these nothing faster is needed

    @property
    def is_first(self) -> bool:
        """Whether this process evaluates, logs and saves."""
        return self.rank == 0

    def share(self, what: str, total: int) -> int:
        """This rank's part of a number that is told for all. ValueError if it cannot be shared evenly."""
        if total % self.size:
            raise ValueError(f"{what}: {total} cannot be shared by {self.size} processes, choose a multiple")
        return total // self.size

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """The sum over all ranks, in the dtype and on the device of ``values``."""
        if self.size == 1:
            return values
        summed = values.cpu()
        dist.all_reduce(summed)
        return summed.to(values.device)

    def least(self, value: int) -> int:
        """The smallest of what the ranks have."""
        if self.size == 1:
            return value
        lowest = torch.tensor(value)
        dist.all_reduce(lowest, dist.ReduceOp.MIN)
        return int(lowest)

    def any(self, wish: bool) -> bool:
        """Whether any rank wishes so."""
        return bool(self.total(torch.tensor(int(wish))))

    def gather(self, value: Any) -> list[Any]:
        """What all ranks have, by rank; told to every one of them."""
        if self.size == 1:
            return [value]
        values: list[Any] = [None] * self.size
        dist.all_gather_object(values, value)
        return values
