import copy
import importlib
import itertools
import os
import pickle
import random
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from boardherd.envs import GAMES

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the tests import PettingZoo's own games in a way it deprecates
    from pettingzoo.test import render_test

every_game = pytest.mark.parametrize("name", GAMES)


def face(name):
    return importlib.import_module(f"boardherd.envs.{name}_v0")


def play_some(env, moves, rng):
    for _ in range(moves):
        mask = env.observe(env.agent_selection)["action_mask"]
        if not mask.any():
            return
        env.step(rng.choice(np.flatnonzero(mask).tolist()))


@pytest.fixture
def fast_window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("boardherd.envs.core.rendering.FRAMES_PER_SECOND", 1000)


@every_game
@pytest.mark.usefixtures("fast_window")
def test_pettingzoo_checks_the_rendering(name):
    render_test(face(name).env)
    render_test(face(name).raw_env)


@every_game
def test_text_says_how_things_stand(name):
    env, rng = face(name).env(render_mode="ansi"), random.Random(0)
    env.reset(seed=0)
    seen = {env.render()}
    for _ in range(6):
        play_some(env, 1, rng)
        seen.add(env.render())
    assert len(seen) == 7
    play_some(env, 100_000, rng)
    assert isinstance(env.render(), str)


@every_game
def test_pixels_have_one_size_through_a_game_and_show_the_moves(name):
    env, rng = face(name).env(render_mode="rgb_array"), random.Random(0)
    env.reset(seed=0)
    frames = [env.render()]
    for moves in (1, 5, 20, 60, 100_000):
        play_some(env, moves, rng)
        frames.append(env.render())
    assert {(frame.shape, frame.dtype) for frame in frames} == {(frames[0].shape, np.dtype(np.uint8))}
    assert frames[0].ndim == 3
    assert frames[0].shape[2] == 3
    for before, after in itertools.pairwise(frames):
        assert (before != after).any()
        assert len(np.unique(after)) > 3


@every_game
def test_svg(name):
    env = face(name).env()
    env.reset(seed=0)
    play_some(env, 5, random.Random(0))
    root = ElementTree.fromstring(env.unwrapped.svg())
    assert root.tag.endswith("svg")
    assert env.unwrapped._repr_svg_() == env.unwrapped.svg()
    single = gymnasium.make(f"boardherd/{name.capitalize()}-v0").unwrapped
    single.reset(seed=0)
    assert single._repr_svg_().startswith("<svg")


@every_game
@pytest.mark.usefixtures("fast_window")
def test_a_window_shows_every_move_and_can_be_copied_away(name):
    env = face(name).env(render_mode="human")
    env.reset(seed=0)
    import pygame

    window = pygame.display.get_surface()
    first = pygame.surfarray.array3d(window)
    play_some(env, 3, random.Random(0))
    assert (pygame.surfarray.array3d(window) != first).any()
    env.reset(seed=0)
    np.testing.assert_array_equal(pygame.surfarray.array3d(window), first)
    assert env.render() is None
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.unwrapped.state().tobytes() == env.unwrapped.state().tobytes()
        twin.close()
    assert pygame.display.get_init()
    env.close()
    assert not pygame.display.get_init()
    env.close()


@every_game
def test_single_learner_modes(name):
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        env = gymnasium.make(f"boardherd/{name.capitalize()}-v0", render_mode=mode)
        env.reset(seed=0)
        assert isinstance(env.render(), kind)
        env.close()


@every_game
def test_no_mode_only_warns(name):
    env = face(name).env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_pixels_need_no_display():
    code = (
        "from boardherd.envs import herd_v0\n"
        "env = herd_v0.env(render_mode='rgb_array'); env.reset(); print(len(set(env.render().ravel().tolist())) > 3)"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert output.stdout.split()[-1] == "True"
