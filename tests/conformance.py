"""FunctAI's contract cases, read in place: they are not part of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.conftest import RECORDINGS

CONFORMANCE = RECORDINGS.parent / "conformance"


def cases_in(folder: str, *kinds: str) -> list[Path]:
    """Return the files of a folder of cases, of these kinds if any are named; none where the cases are not."""
    paths = sorted((CONFORMANCE / "functai" / folder).glob("*.json"))
    return [path for path in paths if not kinds or read_case(path).get("kind") in kinds]


def read_case(path: Path) -> dict[str, Any]:
    """Return one case."""
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return case


def validator(name: str) -> Draft202012Validator:
    """Return what checks a value against one of FunctAI's JSON Schemas: call, conversation, event, interface or rating."""
    schemas = {path.name.partition(".")[0]: json.loads(path.read_text(encoding="utf-8")) for path in (CONFORMANCE / "functai" / "schema").glob("*.json")}
    registry: Registry[Any] = Registry().with_resources([(schema["$id"], Resource.from_contents(schema)) for schema in schemas.values()])
    return Draft202012Validator(schemas[name], registry=registry)
