"""Berd's greedy player: come home and capture with as many tokens as possible, else run on and leave nothing alone."""

from ..core.compiling import compiled
from .rules import CORNER, GIVE, SPLIT, square_at


@compiled
def move_value(rules, state, progress, die):
    """10 for a token home or captured, 5 for each captive that comes along with it, less what is left behind unprotected."""
    player = int(state["player"])
    starts, corners, owner, top, load = state["starts"], state["corners"], state["owner"], state["top"], state["load"]
    source = square_at(rules, state, player, progress)
    captives = int(load[source]) if progress > 0 else 0
    own = int(top[source]) if progress > 0 else int(starts[player])
    value = -3.0 - captives if own == 2 else 0.0
    progress += die
    if progress >= rules.path:
        return value + 10.0 + 5.0 * captives
    value += 0.3 * progress
    square = square_at(rules, state, player, progress)
    if owner[square] >= 0:
        return value + 10.0 + 5.0 * int(load[square]) if owner[square] != player else value
    corner = rules.corner_at[square]
    if corner >= 0:
        for other in range(rules.num_players):
            if corners[other] == corner and starts[other] > 0:
                value += 10.0
    return value


@compiled
def score_actions(rules, state, mask, scratch, scores):
    """Takes all captives along; gives an own token rather than a captive, and from the pile last, where tokens count already."""
    n, phase = rules.num_players, state["phase"]
    for action in range(rules.num_actions):
        if mask[action] == 0:
            continue
        if phase == CORNER:
            scores[action] = 0.0
        elif phase == SPLIT:
            scores[action] = 0.0 if action == rules.go else 1.0
        elif phase == GIVE:
            source = (action - rules.first_gift) // n
            own = action - rules.first_gift == source * n
            scores[action] = -2.0 if source == rules.path else (0.0 if own else -1.0)
        else:
            die = (action - 4) // rules.path + 1
            scores[action] = move_value(rules, state, action - 4 - (die - 1) * rules.path, die)
