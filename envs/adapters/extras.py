"""Libraries that not everybody has."""

import importlib
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """Import a module of a library that comes with ``extra``. ImportError that says how to install it if it is not there."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        message = f'this needs {missing.name}, which is not installed: pip install "boardherd[{extra}]"'
        raise ModuleNotFoundError(message, name=missing.name) from None
