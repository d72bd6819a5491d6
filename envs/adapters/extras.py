"""What the adapters need beyond the core."""

import importlib
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """The module of that name. ImportError that names boardherd's extra if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise
        raise ImportError(f'this needs {error.name}, which is not installed: pip install "boardherd[{extra}]"') from error
