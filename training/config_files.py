"""YAML configs of any kind: found, read, and checked against a pydantic model. Whatever is wrong is told in one line."""

import difflib
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)


def shipped_configs(model: type[BaseModel]) -> list[str]:
    """Names of the configs for ``model`` that come with the package: those with no keys but its own."""
    files = [entry for entry in resources.files("boardherd.configs").iterdir() if entry.name.endswith(".yaml")]
    keys = {file.name.removesuffix(".yaml"): yaml.safe_load(file.read_text(encoding="utf-8")).keys() for file in files}
    return sorted(name for name in keys if keys[name] <= model.model_fields.keys())


def read_config(model: type[BaseModel], name: str, example: str) -> tuple[str, dict[str, Any]]:
    """The label and the content of a config: a file's path, or the name of one that comes with the package.

    example: of a key with a value, for the error. ValueError if there is no such config, or if it is no YAML with keys.
    """
    label, text = _find(model, name)
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{label} is no valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{label} must hold keys with values, such as {example!r}")
    return label, values


def _find(model: type[BaseModel], name: str) -> tuple[str, str]:
    path = Path(name)
    if path.is_file():
        try:
            return str(path), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{name} is no text file in UTF-8") from None
    shipped = shipped_configs(model)
    if name in shipped:
        return f"{name}.yaml", (resources.files("boardherd.configs") / f"{name}.yaml").read_text(encoding="utf-8")
    raise ValueError(f"no config file {name!r}, and none of that name comes with boardherd: {', '.join(shipped)}")


def checked(model: type[Model], label: str, values: dict[str, Any]) -> Model:
    """The ``model`` that ``values`` stand for. ValueError of one line that begins with ``label`` and names the key."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        allowed = _keys(model, first["loc"][:-1])
        near = difflib.get_close_matches(str(first["loc"][-1]), allowed, n=1)
        raise ValueError(f"{label}: unknown key {where}{f', did you mean {near[0]}?' if near else ''} (allowed here: {', '.join(allowed)})")
    message = first["msg"].removeprefix("Value error, ")
    raise ValueError(f"{label}: {where + ': ' if where else ''}{message}{', got ' + repr(first['input']) if where else ''}")


def _keys(model: Any, location: tuple[Any, ...]) -> list[str]:
    """The keys of the section at ``location``, which lies in models and in dicts of models."""
    for part in location:
        model = model.model_fields[part].annotation if hasattr(model, "model_fields") else get_args(model)[-1]
    return list(model.model_fields)
