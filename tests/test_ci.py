"""What the README promises is what is run."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEST_COMMAND = 'python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e ".[all,dev]" && .venv/bin/python -m pytest'


def test_the_readme_and_ci_give_the_same_test_command():
    for file in ("README.md", ".ci/run"):
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert any(line.startswith(TEST_COMMAND) for line in lines), f"{file} lacks the line {TEST_COMMAND}"


def test_constraints_pin_everything_that_is_depended_on():
    """Each line of constraints.txt, and of what .ci/frameworks pins beyond it, names one version."""
    for file in (ROOT / "constraints.txt", *(ROOT / ".ci").glob("pins-*.txt")):
        pins = [line for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        assert pins and all(line.count("==") == 1 for line in pins)


def test_every_framework_has_its_tests_in_ci():
    """No test may be skipped everywhere: what tests ask for by importorskip is imported by .ci/frameworks, or it fails."""
    script = (ROOT / ".ci" / "frameworks").read_text(encoding="utf-8")
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == ".ci/frameworks"
    for file in (ROOT / "tests" / "adapters").glob("*.py"):
        for module in re.findall(r'importorskip\("([\w.]+)"\)', file.read_text(encoding="utf-8")):
            assert re.search(rf"\b{module}\b", script), f"{file.name} needs {module}"
