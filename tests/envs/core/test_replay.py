import json
import random

import pytest
from boardherd.envs import GAMES, make_game
from boardherd.envs.core.replay import Event, Record, read_record, replay, throw, write_record

every_game = pytest.mark.parametrize("name", GAMES)


def random_record(game, events, seed=3):
    """A record of at most so many random events."""
    record, rng = Record(game, ["random"] * game.num_players, seed), random.Random(seed)
    state = record.first_state()
    while not game.is_over(state) and len(record.events) < events:
        if game.node(state) == "chance":
            text, state = throw(game, state)
            record.events.append(Event("throw", text))
        else:
            text = rng.choice(list(game.moves(state)))
            state = game.play(state, text)
            record.events.append(Event("move", text))
    return record, state


@every_game
def test_a_record_read_back_plays_to_the_same_bytes(name, tmp_path):
    game = make_game(name)
    record, last = random_record(game, 60)
    write_record(tmp_path / "new" / "game.jsonl", record)
    read = read_record(tmp_path / "new" / "game.jsonl", make_game)
    assert read == record
    *_, state = replay(read)
    assert state.tobytes() == last.tobytes()


@every_game
def test_the_text_of_a_throw_leads_to_the_state_that_the_generator_draws(name):
    game = make_game(name)
    record, _ = random_record(game, 100)
    state = record.first_state()
    for event in record.events:
        before, state = state, (throw(game, state)[1] if event.kind == "throw" else game.play(state, event.text))
        if event.kind == "throw":
            resolved = game.resolve(before, event.text)
            resolved["rng"] = state["rng"]
            assert resolved.tobytes() == state.tobytes()


def test_a_finished_game_ends_with_its_result(tmp_path):
    game = make_game("herd", size=2)
    record, last = random_record(game, 100_000)
    write_record(tmp_path / "game.jsonl", record)
    lines = [json.loads(line) for line in (tmp_path / "game.jsonl").read_text().splitlines()]
    assert lines[-1] == {"result": "board full", "payoffs": game.payoffs(last).tolist()}
    assert len(lines) == len(record.events) + 2
    assert read_record(tmp_path / "game.jsonl", make_game) == record


def test_dice_from_elsewhere_and_another_start(tmp_path):
    record = Record(make_game("herd", size=2), ["a", "b"], None, "2/3/2 a ? ? 0", [Event("throw", "1-4"), Event("move", "+b3")])
    write_record(tmp_path / "game.jsonl", record)
    read = read_record(tmp_path / "game.jsonl", make_game)
    assert read == record
    assert read.game.position(list(replay(read))[-1]) == "2/2x/2 b ? ? 1"


HEADER = {"record": "boardherd game 1", "game": "herd", "config": {"size": 2, "max_turns": 500}, "seed": None, "players": ["x", "y"]}
THROW, MOVE = {"throw": "1-4"}, {"move": "+b3"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "line 1: no record of a game"),
        (["{"], "line 1: no valid JSON"),
        (["[1]"], "line 1: must be a JSON object"),
        ([{"record": "boardherd game 9"}], "line 1: no record of a game"),
        (
            [{key: HEADER[key] for key in HEADER if key != "seed"}],
            "line 1: the header must have the keys record, game, config, seed, players",
        ),
        ([HEADER | {"seed": "7"}], 'line 1: seed must be an integer of 0 or more, or null, got "7"'),
        ([HEADER | {"seed": -1}], "line 1: seed must be an integer of 0 or more"),
        ([HEADER | {"game": "hurd"}], "line 1: no game is called 'hurd'; did you mean 'herd'"),
        ([HEADER | {"config": {"sise": 2}}], "line 1: herd has no option 'sise'; it has size, max_turns"),
        ([HEADER | {"config": {"name": 2}}], "line 1: "),
        ([HEADER | {"players": ["x"]}], "line 1: players must be 2 names"),
        ([HEADER, {"position": "2/3/2"}], "line 2: herd position '2/3/2': "),
        ([HEADER, {"position": "2/3/2 a ? ? 0"}, THROW, {"move": "+c9"}], r"line 4: move '\+c9' is not legal .* \+a1 \(0\)"),
        ([HEADER, {"throw": "7-7"}], "line 2: outcome '7-7' cannot happen .* possible: 1-1"),
        (
            [HEADER | {"seed": 3}, {"throw": "1-1"}, MOVE, {"throw": "1-1"}, {"move": "-b3"}],
            "line .: throw '1-1' is not what the record's seed",
        ),
        ([HEADER, THROW, {"play": "+b3"}], 'line 3: must be {"throw": text} or {"move": text}'),
        ([HEADER, THROW, {"move": 3}], 'line 3: must be {"move": text} and nothing else'),
        ([HEADER, {}, MOVE], "line 2: must be"),
        ([HEADER, THROW, {"result": "board full", "payoffs": [1, -1]}], "line 3: no result can stand here, the game goes on"),
    ],
)
def test_every_error_names_the_line(lines, message, tmp_path):
    path = tmp_path / "game.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    with pytest.raises(ValueError, match=message) as caught:
        read_record(path, make_game)
    assert str(caught.value).startswith(f"{str(path)!r}, line ")
    assert "\n" not in str(caught.value)


def test_a_wrong_or_missing_result_is_refused(tmp_path):
    path = tmp_path / "game.jsonl"
    write_record(path, random_record(make_game("herd", size=2), 100_000)[0])
    *lines, result = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines))
    with pytest.raises(ValueError, match=f"line {len(lines)}: the game is over, so a last line must follow: .*board full"):
        read_record(path, make_game)
    path.write_text("".join([*lines, result.replace("board full", "turn cap")]))
    with pytest.raises(ValueError, match=f"line {len(lines) + 1}: the result is .*board full.*got .*turn cap"):
        read_record(path, make_game)


def test_binary_files_are_refused(tmp_path):
    (tmp_path / "game.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is no text"):
        read_record(tmp_path / "game.jsonl", make_game)


def test_an_impossible_record_is_not_written_and_the_old_file_stays(tmp_path):
    path = tmp_path / "game.jsonl"
    path.write_text("old")
    with pytest.raises(ValueError, match="line 2"):
        write_record(path, Record(make_game("herd"), ["x", "y"], 1, None, [Event("move", "+a1")]))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
