"""Chopat's greedy player: hit, go home, keep safe."""

from ..core.compiling import compiled
from .rules import GHAR, LAST_STEP, MEN, OFF, PLACES, VALUES, before_junction, enemies_on, progress, threats

HIT, FINISH, HOMEWARD, ENTER, FLOWER = 50.0, 60.0, 40.0, 20.0, 5.0
LOW, OTHER = 0.3, 0.1  # rough chances that an enemy man in striking distance hits: by 2, 3 or 4, and by another value


@compiled
def safety(rules, state, player, place):
    """What a place is worth for being safe: a flower something, an open cell less than nothing by what its man may lose."""
    if OFF < place <= LAST_STEP and rules.safe[place] == 1:
        return FLOWER
    low, other = threats(rules, state, player, place)
    return -(LOW * low + OTHER * other) * (10.0 + place)


@compiled
def score_actions(rules, state, mask, scratch, scores):
    """Each move by itself: men hit and the progress they lose, men entered and brought home, safety gained, steps gained."""
    player = int(state["player"])
    tohd = int(state["tohd"][player])
    for action in range(rules.num_actions):
        if mask[action] == 0:
            continue
        source = int(state["men"][player * MEN + action % MEN])
        target = int(rules.destination[(tohd * VALUES + action // MEN) * PLACES + source])
        hits, lost = enemies_on(rules, state, player, target)
        score = HIT * hits + lost + 0.1 * (progress(target) - progress(source))
        score += safety(rules, state, player, target) - safety(rules, state, player, source)
        if source == OFF:
            score += ENTER
        elif source <= LAST_STEP < target:
            score += HOMEWARD
        elif target <= LAST_STEP and before_junction(target) > before_junction(source):
            score -= HOMEWARD  # past the own junction without tohd: another lap
        if target == GHAR:
            score += FINISH
        scores[action] = score
