import pytest
from boardherd.envs.adapters.extras import require


def test_a_missing_framework_says_which_extra_to_install():
    assert require("json", "sb3").__name__ == "json"
    with pytest.raises(ImportError, match=r'no_such_module cannot be imported .*: pip install "boardherd\[sb3\]"'):
        require("no_such_module", "sb3")
