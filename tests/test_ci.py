"""What the README promises is what is run."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
TEST_COMMAND = 'python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e ".[all,dev]" && .venv/bin/python -m pytest'


def test_the_readme_and_ci_give_the_same_test_command():
    for file in ("README.md", ".ci/run"):
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert any(line.startswith(TEST_COMMAND) for line in lines), f"{file} lacks the line {TEST_COMMAND}"


def test_constraints_pin_everything_that_is_depended_on():
    """Each line of constraints.txt names one version."""
    pins = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert all(line.count("==") == 1 for line in pins)
