"""Chopat's rules, compiled. C1..C10 are the numbered rulings in this folder's README.

A man's place is one number: 0 off, 1..68 the loop's step 0..67 counted from the own start, 69..75 the home cells h1..h7, 76 ghar.
So a side's men are sorted as the rules sort them when their numbers rise, and a place is its own index in the observation.
"""

from math import comb
from typing import NamedTuple

import numpy as np

from ..core.compiling import compiled
from ..core.contract import CHANCE, DECISION, TERMINAL, TRUNCATED, ObservationBounds, state_head
from .config import Config

PLAYERS, MEN = 4, 4  # capacities
LOOP = 68
OFF, LAST_STEP, GHAR = 0, 68, 76
PLACES = 77
JUNCTION = 64  # step of the own junction
PIPS = (1, 2, 3, 4, 8, 11, 16, 25, 30)  # of each value index
VALUES = len(PIPS)
PEGHEDU, FIRST_HIGH = 0, 4  # value indices
VALUE_OF_THROW = (4, 5, 1, 2, 3, 7, 8, 6)  # value index by mouths up
GIVES_PEGHEDU = (0, 0, 0, 0, 0, 1, 0, 1, 1)  # by value index: 11, 25 and 30
MOST_HIGHS = 2  # kept in one turn: the third burns
PLAYER_ENTRIES = LOOP + 8 + 2  # of the observation
ENDINGS = ("", "all men in ghar", "turn cap")
HOME, TURN_CAP = 1, 2

STATE = np.dtype(
    [
        *state_head(PLAYERS),
        ("placed", "i1"),  # how many players have all their men in ghar
        ("places", "i1", (PLAYERS,)),  # they, in their order; -1 behind them
        ("tohd", "i1", (PLAYERS,)),
        ("values", "i1", (VALUES,)),  # how many of each are kept
        ("men", "i1", (PLAYERS * MEN,)),  # player * MEN + man: places, each player's rising; 0 for those who do not play
    ]
)


class Rules(NamedTuple):
    num_players: int
    num_actions: int
    num_outcomes: int
    observation_size: int
    max_legal: int
    men: int
    play_for_places: int
    max_turns: int
    arm: np.ndarray  # i1 (PLAYERS,): S 0, W 1, N 2, E 3
    shift: np.ndarray  # i1 (PLAYERS * PLAYERS,): p * PLAYERS + q is the step in p's frame of q's start
    destination: np.ndarray  # i1 (2 * VALUES * PLACES,): by tohd, value index and place; -1 where the value cannot be used
    safe: np.ndarray  # i1 (PLACES,): 1 where nobody is hit
    strikes: np.ndarray  # i1 (LOOP,): 1 for distances 2, 3 and 4, 2 for those of the other values
    weights: np.ndarray  # f8 (8,): probability by mouths up


def destination(tohd: bool, pips: int, place: int) -> int:
    """Where a man on ``place`` gets by a value of ``pips``; -1 if he cannot use it."""
    if place == OFF:
        return 1 if pips >= 8 else -1  # C3
    if place <= LAST_STEP:
        step = place - 1
        before_home = (JUNCTION - step) % LOOP
        if not tohd or pips <= before_home:
            return 1 + (step + pips) % LOOP  # C5: round again without tohd; the lapped go round to the junction
        home = pips - before_home
    else:
        home = place - LAST_STEP + pips
    return LAST_STEP + home if home <= GHAR - LAST_STEP else -1  # C4


def is_flower(place: int) -> bool:
    """Whether a place is a flower. The pattern repeats on every arm, so that it is the same for all players."""
    return 1 <= place <= LAST_STEP and (place - 1 + 4) % 17 in (0, 4, 13)


def make_rules(config: Config) -> Rules:
    arm = (0, 2) if config.num_players == 2 else tuple(range(config.num_players))
    shift = np.zeros((PLAYERS, PLAYERS), np.int8)
    for p, own in enumerate(arm):
        for q, other in enumerate(arm):
            shift[p, q] = 17 * (other - own) % LOOP
    strikes = np.zeros(LOOP, np.int8)
    for pips in PIPS:
        strikes[pips] = 1 if 2 <= pips <= 4 else 2
    up = config.mouth_up_probability
    safe = [place > LAST_STEP or (config.safe_flowers and is_flower(place)) for place in range(PLACES)]  # C7
    return Rules(
        num_players=config.num_players,
        num_actions=VALUES * MEN,
        num_outcomes=8,
        observation_size=config.num_players * PLAYER_ENTRIES + MEN * PLACES + VALUES + 1 + 4,
        max_legal=VALUES * MEN,
        men=config.men,
        play_for_places=int(config.play_for_places),
        max_turns=config.max_turns,
        arm=np.array((*arm, 0, 0)[:PLAYERS], np.int8),
        shift=shift.reshape(-1),
        destination=np.array([destination(tohd, pips, at) for tohd in (False, True) for pips in PIPS for at in range(PLACES)], np.int8),
        safe=np.array(safe, np.int8),
        strikes=strikes,
        weights=np.array([comb(7, k) * up**k * (1 - up) ** (7 - k) for k in range(8)]),
    )


def state_dtype(config: Config) -> np.dtype:
    return STATE  # of fixed capacity: other numbers of players and men compile nothing anew


def observation_bounds(config: Config) -> ObservationBounds:
    rules = make_rules(config)
    high = np.zeros(rules.observation_size, np.int8)
    men = config.num_players * PLAYER_ENTRIES
    high[:men] = config.men
    high[PLAYER_ENTRIES - 1 : men : PLAYER_ENTRIES] = 1  # tohd
    high[men : men + config.men * PLACES] = 1
    values = men + MEN * PLACES
    # Two high throws, a peghedu for each, and the low throw that ends the throwing.
    high[values : values + VALUES] = (2, 1, 1, 1, 2, 2, 2, 2, 2)
    high[values + VALUES] = 1
    high[[values + VALUES + 1 + int(rules.arm[player]) for player in range(config.num_players)]] = 1
    return ObservationBounds(np.zeros_like(high), high)


@compiled
def start(rules, state):
    state["node"], state["player"], state["ending"], state["turn"] = CHANCE, -1, 0, 0  # C8: nobody is up yet
    state["payoff"][:] = 0.0
    state["placed"] = 0
    state["places"][:] = -1
    state["tohd"][:] = 0
    state["values"][:] = 0
    state["men"][:] = OFF


@compiled
def chance(rules, state, weights):
    if state["player"] < 0:
        for player in range(rules.num_players):
            weights[player] = 1.0 / rules.num_players
        return rules.num_players
    for up in range(8):
        weights[up] = rules.weights[up]
    return 8


@compiled
def resolve(rules, state, outcome):
    if state["player"] < 0:
        state["player"] = outcome
        return
    values, value = state["values"], VALUE_OF_THROW[outcome]
    if value >= FIRST_HIGH and highs_kept(values) < MOST_HIGHS:
        values[value] += 1
        # C2: nobody has moved yet, so that the men stand as when the turn began; sorted, the first one is off if any is.
        if GIVES_PEGHEDU[value] == 1 and state["men"][int(state["player"]) * MEN] != OFF:
            values[PEGHEDU] += 1
        return
    if value >= FIRST_HIGH:
        values[:] = 0  # C1
    else:
        values[value] += 1
    play_on(rules, state)


@compiled
def highs_kept(values):
    count = 0
    for value in range(FIRST_HIGH, VALUES):
        count += int(values[value])
    return count


@compiled
def can_move(rules, state):
    """Whether any man of the player who is up can use any value kept."""
    values, men = state["values"], state["men"]
    player = int(state["player"])
    tohd = int(state["tohd"][player])
    for value in range(VALUES):
        if values[value] > 0:
            row = (tohd * VALUES + value) * PLACES
            for man in range(player * MEN, player * MEN + rules.men):
                if rules.destination[row + int(men[man])] >= 0:
                    return True
    return False


@compiled
def play_on(rules, state):
    """After the last throw and after each move: the player uses values while any can be used, and loses what is left (C6)."""
    if can_move(rules, state):
        state["node"] = DECISION
    else:
        end_turn(rules, state)


@compiled
def is_home(rules, state, player):
    """Whether all men of ``player`` are in ghar: sorted, the first one is there only with all the others."""
    return state["men"][player * MEN] == GHAR


@compiled
def end_turn(rules, state):
    state["values"][:] = 0
    state["turn"] += 1
    player = int(state["player"])
    while True:
        player = (player + 1) % rules.num_players
        if not is_home(rules, state, player):  # C9
            break
    state["player"] = player
    state["node"] = CHANCE
    if state["turn"] >= rules.max_turns:  # C10
        finish(rules, state, TRUNCATED, TURN_CAP)


@compiled
def progress(place):
    """C10: how far a man is: 0 off, 1..68 on the loop, 66..72 in the home column, 73 in ghar."""
    return place if place <= LAST_STEP else place - 3


@compiled
def standing(rules, state, player):
    """C10: a number that compares players, by men in ghar and then by progress."""
    total = 0
    for man in range(player * MEN, player * MEN + rules.men):
        place = int(state["men"][man])
        total += progress(place) + (1000 if place == GHAR else 0)
    return total


@compiled
def finish(rules, state, node, ending):
    """The game is over. Those with all men in ghar have the best standing, so one count serves wins, places and the cap."""
    state["node"], state["ending"] = node, ending
    payoff, places, last = state["payoff"], state["places"], rules.num_players - 1
    placed = int(state["placed"])
    for player in range(rules.num_players):
        own = standing(rules, state, player)
        better, equal = 0, 0
        for other in range(rules.num_players):
            theirs = standing(rules, state, other)
            better += int(theirs > own)
            equal += int(theirs == own)
        if rules.play_for_places == 1:  # C9, C10: equals share the mean of the places that they take up
            payoff[player] = (last - 2 * better - (equal - 1)) / last
        else:
            payoff[player] = (rules.num_players - equal) / (equal * last) if better == 0 else -1.0 / last
    if rules.play_for_places == 1:
        for i in range(placed):  # C9: those at home come in their own order
            payoff[int(places[i])] = (last - 2 * i) / last


@compiled
def legal(rules, state, mask):
    values, men = state["values"], state["men"]
    player = int(state["player"])
    tohd, first = int(state["tohd"][player]), player * MEN
    mask[:] = 0
    count = 0
    for value in range(VALUES):
        if values[value] > 0:
            row = (tohd * VALUES + value) * PLACES
            before = -1
            for man in range(rules.men):
                place = int(men[first + man])
                if place != before and rules.destination[row + place] >= 0:
                    mask[MEN * value + man] = 1
                    count += 1
                before = place
    return count


@compiled
def put_man(men, first, last, man, place):
    """Move the man at index ``man`` to ``place`` and keep first..last-1 sorted."""
    while man + 1 < last and men[man + 1] < place:
        men[man] = men[man + 1]
        man += 1
    while man > first and men[man - 1] > place:
        men[man] = men[man - 1]
        man -= 1
    men[man] = place


@compiled
def seen_by(rules, other, player, place):
    """The place in ``other``'s frame of the loop cell that is ``place`` for ``player``."""
    there = place + int(rules.shift[other * PLAYERS + player])
    return there if there <= LAST_STEP else there - LOOP


@compiled
def hit(rules, state, player, place):
    """Send all enemy men on ``player``'s loop cell ``place`` off; whether there were any."""
    men = state["men"]
    found = False
    for enemy in range(rules.num_players):
        if enemy != player:
            there = seen_by(rules, enemy, player, place)
            first = enemy * MEN
            for man in range(first, first + rules.men):
                if men[man] == there:
                    put_man(men, first, first + rules.men, man, OFF)
                    found = True
    return found


@compiled
def apply(rules, state, action):
    value, player = action // MEN, int(state["player"])
    men, first = state["men"], player * MEN
    man = first + action % MEN
    place = int(rules.destination[(int(state["tohd"][player]) * VALUES + value) * PLACES + int(men[man])])
    state["values"][value] -= 1
    put_man(men, first, first + rules.men, man, place)
    if rules.safe[place] == 0 and hit(rules, state, player, place):
        state["tohd"][player] = 1  # C5
    if is_home(rules, state, player):  # C9
        state["places"][int(state["placed"])] = player
        state["placed"] += 1
        state["values"][:] = 0
        if rules.play_for_places == 0 or state["placed"] == rules.num_players - 1:
            finish(rules, state, TERMINAL, HOME)
            return
    play_on(rules, state)


@compiled
def observe(rules, state, player, out):
    men, values, tohd = state["men"], state["values"], state["tohd"]
    out[:] = 0
    base = 0
    for k in range(rules.num_players):
        other = player + k
        if other >= rules.num_players:
            other -= rules.num_players
        for man in range(other * MEN, other * MEN + rules.men):
            place = int(men[man])
            if place == OFF:
                out[base + LOOP + 8] += 1
            elif place <= LAST_STEP:
                out[base + seen_by(rules, player, other, place) - 1] += 1
            else:
                out[base + place - 1] += 1
        out[base + LOOP + 9] = tohd[other]
        base += PLAYER_ENTRIES
    for man in range(rules.men):
        out[base + man * PLACES + int(men[player * MEN + man])] = 1
    base += MEN * PLACES
    for value in range(VALUES):
        out[base + value] = values[value]
    out[base + VALUES] = np.int8(state["node"] == DECISION and state["player"] == player)
    out[base + VALUES + 1 + int(rules.arm[player])] = 1


@compiled
def enemies_on(rules, state, player, place):
    """How many enemy men a man of ``player`` hits by landing on ``place``, and the sum of their progress."""
    count, total = 0, 0
    if place == OFF or rules.safe[place] == 1:
        return count, total
    men = state["men"]
    for enemy in range(rules.num_players):
        if enemy != player:
            there = seen_by(rules, enemy, player, place)
            for man in range(enemy * MEN, enemy * MEN + rules.men):
                if men[man] == there:
                    count += 1
                    total += there
    return count, total


@compiled
def threats(rules, state, player, place):
    """How many enemy men could hit a man of ``player`` on ``place`` by a single value: by 2, 3 or 4, and by another one."""
    low, other = 0, 0
    if place == OFF or rules.safe[place] == 1:
        return low, other
    men = state["men"]
    for enemy in range(rules.num_players):
        if enemy != player:
            there = seen_by(rules, enemy, player, place)
            for man in range(enemy * MEN, enemy * MEN + rules.men):
                place_of_enemy = int(men[man])
                if place_of_enemy == OFF:
                    other += int(there == 1)  # C7: entering hits on the own start
                elif place_of_enemy <= LAST_STEP:
                    distance = there - place_of_enemy
                    if distance < 0:
                        distance += LOOP
                    if state["tohd"][enemy] == 0 or distance <= before_junction(place_of_enemy):
                        low += int(rules.strikes[distance] == 1)
                        other += int(rules.strikes[distance] == 2)
    return low, other


@compiled
def before_junction(place):
    """Cells from a loop place on to its player's junction."""
    return JUNCTION + 1 - place if place <= JUNCTION + 1 else JUNCTION + 1 + LOOP - place
