"""Writing files so that nothing is ever half written."""

import os
import secrets
from pathlib import Path


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file, its folder made if need be: at every moment either the old one or the whole new one is there.

    What is no regular file (a device, a pipe) is written to directly. OSError if it can't be written; the old file then stays.
    """
    path = Path(os.path.realpath(path))  # of a link, the file it points to is replaced
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
