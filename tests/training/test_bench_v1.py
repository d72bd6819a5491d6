"""The frozen benchmark: its data stay what they are, it plays as it always did, and nothing finished is lost."""

import json

import numpy as np
import pytest
import torch
from boardherd.envs import make_game
from boardherd.training.bench_v1 import data, openings
from boardherd.training.bench_v1 import score as scoring
from boardherd.training.bench_v1.data import NAME, Table, load_tables
from boardherd.training.bench_v1.score import find_entries, find_tables, score, score_player, spreads
from boardherd.training.checkpoint import save_checkpoint
from boardherd.training.cli import main
from boardherd.training.config import check_config
from boardherd.training.network import make_network

TABLES = load_tables()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tiny(monkeypatch):
    """A table of seconds in place of the real ones."""
    texts = ["2/2x/2 b ? ? 1", "x1/3/2 b ? ? 1", "1x/1x1/2 b ? ? 1", "1x/3/1o a ? ? 2"] * 2
    tables = {"herd": Table("herd", make_game("herd", size=2), 1, {"random": 2, "greedy": 3}, texts)}
    monkeypatch.setattr(scoring, "load_tables", lambda: tables)
    return tables["herd"]


def save_policy(path, seed, **game):
    torch.manual_seed(seed)
    config = check_config("test", {"game": game, "network": {"hidden": [8]}})
    save_checkpoint(path / "checkpoint.pt", config, make_network(make_game(**game), config.network), {})
    return str(path)


# --- the data


def test_altered_data_are_refused(monkeypatch):
    monkeypatch.setattr(data, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match=rf"the data of {NAME} were altered"):
        data.load_tables.__wrapped__()


@pytest.mark.parametrize("name", TABLES)
def test_the_generator_makes_these_openings(name):
    made = openings.make_table(openings.PLANS[name], 2)
    table = TABLES[name]
    assert made["openings"] == table.openings[:2]
    assert made["game"] == {"name": table.game.name, **table.game.config}
    assert (made["seed"], made["opponents"]) == (table.seed, table.opponents)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_generator_makes_all_openings(name):
    assert openings.make_table(openings.PLANS[name])["openings"] == TABLES[name].openings


def test_there_is_a_plan_for_each_table_and_openings_are_positions_to_play_on_from():
    assert openings.PLANS.keys() == TABLES.keys()
    assert {table.game.name for table in TABLES.values()} == {"herd", "chopat", "berd", "bikido"}
    for table in TABLES.values():
        assert len(set(table.openings)) == len(table.openings) == openings.PLANS[table.name]["openings"]
        assert not any(table.game.is_over(table.game.from_position(text)) for text in table.openings)
        assert len(table.openings) % scoring._BLOCK == 0


# What greedy wins on the first block of each table, game for game. If this fails, rules, dice or greedy players have changed, and scores
# can no longer be compared with older ones: then make a benchmark of another name, or take the change back.
GREEDY_WINS = {
    "herd": {"random": [1.0, 1.0, 1.0, 1.0], "greedy": [0.4688, 0.5, 0.5625, 0.5312]},
    "chopat-2": {"random": [1.0, 0.9375, 1.0, 1.0], "greedy": [0.5938, 0.625, 0.5625, 0.5]},
    "chopat-4": {"random": [0.75, 0.5938, 0.75, 0.7812], "greedy": [0.2344, 0.25, 0.3125, 0.2344]},
    "berd": {"random": [0.8438, 0.75, 0.75, 0.875], "greedy": [0.2578, 0.3438, 0.2422, 0.2812]},
    "bikido": {"random": [1.0, 1.0, 1.0, 1.0], "greedy": [0.6875, 0.3125, 0.625, 0.5625]},
}


@pytest.mark.parametrize("name", TABLES)
def test_it_plays_as_it_always_did(name):
    table = TABLES[name]
    greedy = scoring.load_player("greedy", table.game)
    for opponent, wins in GREEDY_WINS[name].items():
        found = scoring._play_block(table, greedy, opponent, 0)
        assert found[0].round(4).tolist() == wins
        fair = 1 / table.game.num_players
        assert found[1] == pytest.approx((found[0] - fair) / (1 - fair))  # as the page on the benchmark says


@pytest.mark.slow
def test_trees_play_as_they_always_did():
    table = TABLES["chopat-2"]
    found = scoring._play_block(table, scoring.load_player("greedy", table.game), "mcts:50", 0)
    assert found[0].round(4).tolist() == [0.5, 0.5, 1.0, 0.5]


def test_other_policies_than_those_published_are_refused(monkeypatch):
    monkeypatch.setattr(data, "fingerprint", lambda name: "0" * 64)
    with pytest.raises(ValueError, match="pretrained:herd is no longer the policy"):
        data.load_tables.__wrapped__()


# --- who plays where


def test_tables_by_name_or_game():
    assert find_tables() == list(TABLES)
    assert find_tables(["chopat"]) == ["chopat-2", "chopat-4"]
    assert find_tables(["bikido", "herd"]) == ["herd", "bikido"]
    with pytest.raises(ValueError, match="has no game 'hurd'; it has herd, chopat-2"):
        find_tables(["hurd"])


def test_policies_sit_where_they_were_trained_and_others_everywhere(folder):
    four = save_policy(folder / "four", 1, name="chopat", num_players=4)
    assert [entry.table for entry in find_entries([four], list(TABLES))] == ["chopat-4"]
    assert [entry.table for entry in find_entries(["greedy"], list(TABLES))] == list(TABLES)
    small = save_policy(folder / "small", 1, name="herd", size=3)
    with pytest.raises(ValueError, match="was trained on"):
        find_entries([small], list(TABLES))
    with pytest.raises(ValueError, match="no player 'nobody'"):
        find_entries(["nobody"], list(TABLES))


def test_a_folder_stands_for_the_runs_below_it(folder):
    paths = [save_policy(folder / "runs" / "herd" / f"seed-{k}", k, name="herd") for k in (1, 2)]
    entries = find_entries(["runs"], list(TABLES))
    assert [(str(folder / entry.player), entry.table, entry.folder) for entry in entries] == [(path, "herd", "runs") for path in paths]
    assert entries[0].content != entries[1].content
    (folder / "empty").mkdir()
    with pytest.raises(ValueError, match="folder 'empty' holds no run"):
        find_entries(["empty"], list(TABLES))


# --- games and results


def test_a_result_tells_wins_payoffs_and_a_score(tiny, folder):
    entries = find_entries(["greedy"], ["herd"])
    (result,) = score(entries, folder / "out.json", processes=1)
    assert list(result["opponents"]) == ["random", "greedy"]
    assert [part["games"] for part in result["opponents"].values()] == [2 * 8 * 2, 3 * 8 * 2]
    payoffs = [part["payoff"]["value"] for part in result["opponents"].values()]
    assert result["score"]["value"] == pytest.approx(100 * sum(payoffs) / 2, abs=1e-3)
    assert result["score"]["low"] <= result["score"]["value"] <= result["score"]["high"]
    for part in result["opponents"].values():
        assert part["wins"]["value"] == pytest.approx(np.mean(part["wins_by_opening"]), abs=1e-5)
        assert part["payoff"]["value"] == pytest.approx(2 * part["wins"]["value"] - 1, abs=1e-5)
    file = json.loads((folder / "out.json").read_text())
    assert file["benchmark"] == NAME
    assert file["sha256"] == data.SHA256
    assert file["results"] == [result]


def test_a_player_against_itself_is_worth_its_fair_share(tiny):
    """Both sit everywhere with the same dice, and always choose the same: every opening is exactly even."""

    def first_legal(decisions):
        return decisions.action_mask.argmax(axis=1)

    tiny.opponents.clear()
    tiny.opponents["first"] = 2
    load = scoring.load_player
    try:
        scoring.load_player = lambda name, game: first_legal
        result = score_player(first_legal, "herd")
    finally:
        scoring.load_player = load
    assert result["player"] == "first_legal"
    assert result["score"] == {"value": 0, "low": 0, "high": 0}


def test_a_function_is_scored_as_its_name_would_be(tiny, folder):
    (named,) = score(find_entries(["greedy"], ["herd"]), folder / "out.json", processes=1)
    seen = []
    own = score_player(scoring.load_player("greedy", tiny.game), "herd", lambda done, total: seen.append((done, total)))
    assert own["opponents"] == named["opponents"]
    assert own["score"] == named["score"]
    assert seen[-1] == (80, 80)


def test_what_is_finished_is_not_played_again(tiny, folder, monkeypatch):
    entries = find_entries(["greedy", "random"], ["herd"])
    whole = score(entries, folder / "whole.json", processes=1)
    real, calls = scoring._play_block, []

    def interrupted(*arguments):
        if len(calls) == 3:  # two blocks against each opponent
            raise KeyboardInterrupt
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(scoring, "_play_block", interrupted)
    with pytest.raises(KeyboardInterrupt):
        score(entries, folder / "out.json", processes=1)
    (left,) = json.loads((folder / "out.json").read_text())["results"]
    assert list(left["opponents"]) == ["random"]
    assert "score" not in left

    calls.clear()
    monkeypatch.setattr(scoring, "_play_block", lambda *arguments: calls.append(arguments) or real(*arguments))
    seen = []
    assert score(entries, folder / "out.json", 1, lambda done, total, finished: seen.append((done, total, finished))) == whole
    assert len(calls) == 6
    assert seen[0] == (32, 160, "")
    assert seen[-1] == (160, 160, "random, herd, against greedy")
    calls.clear()
    assert score(entries, folder / "out.json", processes=1) == whole
    assert not calls


def test_a_checkpoint_that_changed_is_played_anew(tiny, folder):
    path = save_policy(folder / "run", 1, name="herd", size=2)
    (one,) = score(find_entries([path], ["herd"]), folder / "out.json", processes=1)
    entries = find_entries([path], ["herd"])
    save_policy(folder / "run", 2, name="herd", size=2)
    scoring._loaded.cache_clear()
    (same,) = score(entries, folder / "out.json", processes=1)
    assert same == one
    (other,) = score(find_entries([path], ["herd"]), folder / "out.json", processes=1)
    assert other["opponents"] != one["opponents"]
    assert len(json.loads((folder / "out.json").read_text())["results"]) == 1


def test_a_checkpoint_that_changes_meanwhile_is_refused(tiny, folder):
    path = save_policy(folder / "run", 1, name="herd", size=2)
    entries = find_entries([path], ["herd"])
    save_policy(folder / "run", 2, name="herd", size=2)
    scoring._loaded.cache_clear()
    with pytest.raises(ValueError, match="was changed while it was scored"):
        score(entries, folder / "out.json", processes=1)


def test_spread_over_runs(tiny, folder):
    for k in (1, 2, 3):
        save_policy(folder / "runs" / f"seed-{k}", k, name="herd", size=2)
    entries = find_entries(["runs", "random"], ["herd"])
    results = score(entries, folder / "out.json", processes=1)
    (found,) = spreads(entries, results)
    scores = [result["score"]["value"] for result in results[:3]]
    assert (found.folder, found.table, found.runs) == ("runs", "herd", 3)
    assert found.mean == pytest.approx(np.mean(scores))
    assert found.deviation == pytest.approx(np.std(scores, ddof=1))
    assert (found.lowest, found.highest) == (min(scores), max(scores))
    assert found.wins["greedy"] == pytest.approx(np.mean([result["opponents"]["greedy"]["wins"]["value"] for result in results[:3]]))


@pytest.mark.slow
def test_processes_play_what_one_process_plays(folder, monkeypatch):
    """Of the real table, which the processes read themselves; only against random players, for time."""
    tables = {"herd": TABLES["herd"]._replace(opponents={"random": TABLES["herd"].opponents["random"]})}
    monkeypatch.setattr(scoring, "load_tables", lambda: tables)
    path = save_policy(folder / "run", 1, name="herd")
    entries = find_entries([path, "greedy"], ["herd"])
    assert score(entries, folder / "two.json", processes=2) == score(entries, folder / "one.json", processes=1)


# --- the command


def test_the_command_shows_scores_and_the_spread(tiny, folder, capsys):
    for k in (1, 2):
        save_policy(folder / "runs" / f"seed-{k}", k, name="herd", size=2)
    assert main(["score", "runs", "greedy", "--game", "herd", "--processes", "1", "--out", "new/out.json"]) == 0
    shown = capsys.readouterr()
    assert "the standard deviation of a run's score" in shown.out
    assert "seed-2" in shown.out
    assert f"{NAME} ({data.SHA256[:12]}), results: new/out.json" in shown.out
    assert "finished: greedy, herd, against greedy" in shown.err
    assert len(json.loads((folder / "new" / "out.json").read_text())["results"]) == 3


def test_an_interruption_tells_how_to_go_on(tiny, capsys, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring, "_play_block", interrupted)
    assert main(["score", "greedy", "--processes", "1"]) == 130
    assert "stopped; what is finished is in bench-v1.json, and the same command goes on" in capsys.readouterr().out


OTHER = {"benchmark": "boardherd-bench-v0", "sha256": "1", "results": []}


@pytest.mark.parametrize(
    ("arguments", "content", "message"),
    [
        (["nobody"], None, "no player 'nobody'"),
        (["greedy", "--game", "hurd"], None, "has no game 'hurd'"),
        (["greedy"], "[]", "'bench-v1.json' is no file of benchmark results"),
        (["greedy"], "text", "'bench-v1.json' is no file of benchmark results"),
        (["greedy"], json.dumps(OTHER), "'bench-v1.json' holds results of boardherd-bench-v0 with the hash 1, this is boardherd-bench-v1"),
        (["greedy"], json.dumps(OTHER | {"benchmark": NAME}), "with the hash 1, this is"),
    ],
)
def test_wrong_input_is_one_line(arguments, content, message, folder, capsys):
    if content is not None:
        (folder / "bench-v1.json").write_text(content)
    assert main(["score", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
