"""Frameworks that come with an extra of this package."""

import importlib
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """The imported ``module``. ImportError that names the ``extra`` to install if it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f'{module} cannot be imported ({error}): pip install "boardherd[{extra}]"') from error
