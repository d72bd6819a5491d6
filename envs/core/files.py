"""Writing files so that nothing is ever half written."""

import os
import secrets
from pathlib import Path


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file, its folder made if need be: at every moment either the old one or the whole new one is there.

    What is no regular file (a device, a pipe) is written to directly. OSError that names ``path`` if it can't be written; the old
    file then stays.
    """
    target = Path(os.path.realpath(path))  # of a link, the file it points to is replaced
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            _replace(target, data)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
