import copy
import threading
import time

import pytest
from boardherd.envs import make_vec


def helpers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "boardherd"}


def played(vec, steps=60):
    for _ in range(steps):
        vec.step(vec.sample())
    return vec.save()


@pytest.mark.parametrize(("num_envs", "threads"), [(1, 4), (5, 4), (100, 8), (300, 3)])
def test_any_number_of_threads_gives_the_same_games(num_envs, threads):
    one, many = (make_vec("herd", num_envs=num_envs, seed=2, threads=count, size=3) for count in (1, threads))
    assert played(many) == played(one)


def test_helpers_that_went_to_sleep_are_woken():
    one, two = (make_vec("herd", num_envs=64, seed=4, threads=count, size=3) for count in (1, 2))
    for _ in range(20):
        time.sleep(0.002)
        for vec in (one, two):
            vec.step(vec.sample())
    assert two.save() == one.save()


def test_helpers_leave_with_their_batch():
    before = helpers()
    vec = make_vec("herd", num_envs=64, seed=0, threads=3, size=3)
    assert len(helpers() - before) == 2
    copied = copy.deepcopy(vec)
    mine = helpers() - before
    assert len(mine) == 4
    assert played(copied) == played(vec)
    del vec, copied
    for thread in mine:
        thread.join(10)
        assert not thread.is_alive()


def test_helpers_leave_whatever_they_are_doing():
    before = helpers()
    for count in range(100):
        vec = make_vec("herd", num_envs=64, seed=0, threads=3, size=3)
        played(vec, count % 5)
        mine = helpers() - before
        del vec
    for thread in mine:
        thread.join(10)
    assert not any(thread.is_alive() for thread in helpers() - before)
