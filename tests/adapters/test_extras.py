"""A library that is missing is told with the extra to install."""

import subprocess
import sys

import pytest
from boardherd.envs.adapters.extras import require


def test_a_missing_library_names_its_extra():
    with pytest.raises(ImportError, match=r'needs no_such_library, .* pip install "boardherd\[nothing\]"') as caught:
        require("no_such_library.part", "nothing")
    assert caught.value.name == "no_such_library"
    assert require("json", "nothing").loads("1") == 1


def test_the_adapter_of_sb3_says_so():
    code = "import sys; sys.modules['stable_baselines3'] = None; import boardherd.envs.adapters.sb3"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'pip install "boardherd[sb3]"' in done.stderr.splitlines()[-1]
