"""From a policy's logits to moves: the most likely ones, or some drawn by the games' seeds. Without torch."""

import numpy as np

from ..envs.core.compiling import compiled
from ..envs.core.random import mix, next_seed, unit_float

NO_ACTION = -1  # fills lists of legal actions


@compiled
def sample_choices(logits, actions, uniforms, choices, log_probs):
    """Draw from softmax(logits) over the legal actions of each row by uniform numbers in [0, 1).

    logits: float32 (B, W), used up. actions: int16 (B, at least W), legal ones, then NO_ACTION. Written: choices int64 (B,), places in
    the rows of ``actions``, and their log-probabilities float32 (B,).
    """
    for i in range(len(logits)):
        row, legal = logits[i], actions[i]
        count = 1
        highest = row[0]
        while count < len(row) and legal[count] != NO_ACTION:
            highest = max(highest, row[count])
            count += 1
        total = np.float32(0.0)
        for k in range(count):
            row[k] = np.exp(row[k] - highest)
            total += row[k]
        left = np.float32(uniforms[i]) * total
        choice = 0
        while choice < count - 1 and left >= row[choice]:
            left -= row[choice]
            choice += 1
        while row[choice] == 0.0:  # rounding must not pick what has no probability
            choice -= 1
        choices[i] = choice
        log_probs[i] = np.log(row[choice] / total)


@compiled
def draw_uniforms(seeds, uniforms):
    """Write a number in [0, 1) drawn by each of ``seeds`` (u8, advanced in place) to ``uniforms`` (float32)."""
    for i in range(len(seeds)):
        seeds[i] = next_seed(seeds[i])
        uniforms[i] = unit_float(mix(seeds[i]))


def choose(logits: np.ndarray, actions: np.ndarray, seeds: np.ndarray, sample: bool) -> np.ndarray:
    """The most likely actions, int64 (B,), or if ``sample`` some drawn from softmax(logits) over the legal ones.

    logits: float32 (B, W), used up; where there is no action, lower than any other. actions: integers (B, at
    least W), legal ones by rising index, then NO_ACTION. seeds: uint64 (B,), advanced in place if ``sample``.
    """
    count = len(logits)
    if sample:
        uniforms, log_probs, choices = np.empty(count, np.float32), np.empty(count, np.float32), np.empty(count, np.int64)
        draw_uniforms(seeds, uniforms)
        sample_choices(logits, actions, uniforms, choices, log_probs)
    else:
        choices = logits.argmax(axis=1).astype(np.int64)
    return actions[np.arange(count), choices].astype(np.int64)
