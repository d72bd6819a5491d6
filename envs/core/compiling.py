"""Compilation by Numba, with a disk cache that never serves stale code.

Numba notices an edit in the file of a compiled function, but not in the functions that it calls from other files. So the
cache lives in a folder named after a fingerprint of all the package's sources: any edit starts a new folder.

Where it is: ``boardherd`` in the user's cache folder (``~/.cache/boardherd`` on Linux), or the folder that the environment
variable ``BOARDHERD_CACHE_DIR`` names. It may be deleted at any time. Folders that nobody used for a month are removed.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import platformdirs

_UNUSED_SECONDS = 30 * 24 * 3600


def sources_fingerprint(folder: Path) -> str:
    """Hex digest of the names and contents of all Python files below ``folder``."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _usable_folder(base: Path, name: str) -> Path:
    folder = base / name
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in base.iterdir():
        if other.is_dir() and time.time() - other.stat().st_mtime > _UNUSED_SECONDS:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def _cache_folder() -> Path:
    name = sources_fingerprint(Path(__file__).parent.parent)
    chosen = os.environ.get("BOARDHERD_CACHE_DIR")
    base = Path(chosen) if chosen else platformdirs.user_cache_path("boardherd")
    try:
        return _usable_folder(base / "compiled", name)
    except OSError:  # a read-only home folder must not keep anybody from playing
        return _usable_folder(Path(tempfile.gettempdir()) / f"boardherd-{os.getuid() if hasattr(os, 'getuid') else 'user'}", name)


CACHE_FOLDER = _cache_folder()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` with Numba, cached on disk, the interpreter's lock released while it runs.

    It may not allocate (Numba's ``_nrt=False``): arrays are then passed without counting references, which would cost more
    than many a rule does. Scratch space comes from the caller.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python and can be stepped through in a debugger.
    """
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False, no_cfunc_wrapper=True)(function)
    finally:
        numba.config.CACHE_DIR = before
