"""Tools are defined once, completely or not at all, and nothing changes them afterwards."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import pytest
from pydantic import BaseModel

import agentnb.transports as tr
import agentnb.values.model_parts as model_parts
import agentnb.values.model_selections as model_selections
import agentnb.values.tools as tools_module
from agentnb.errors import CatalogError
from agentnb.values import Value
from agentnb.values.tools import Schema, Tool, ToolContext, schema_from_model, tool
from tests.transports.made import CITY, EMPTY, catalog, definitions, parse_nothing


def defined(**changes: Any) -> dict[str, Any]:
    return {"id": "greet", "description": "Greet.", "input_schema": {"json_schema": EMPTY, "parse": parse_nothing}, "resolve": lambda: "hello", **changes}


def test_a_tool_is_called_on_the_wire_by_its_id_where_every_provider_allows_it() -> None:
    assert catalog().tool_names == {"greet": "greet", "status": "status", "weather_lookup": "weather.lookup"}


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["a.b", "a_b", "a:b"], ["a_b_2e7336", "a_b", "a_b_6783a3"]),
        (["9lives", "get user", "问候", "x" * 70], ["_9lives", "get_user", "tool_d2e119", "x" * 57 + "_c71bd1"]),
        (["a\n"], ["a_"]),
        (["a" * 64, "a" * 65], ["a" * 64, "a" * 57 + "_" + "635361"]),
    ],
)
def test_other_ids_get_a_name_of_their_own(ids: list[str], names: list[str]) -> None:
    assert list(tr.wire_names(ids).values()) == names


def test_a_name_does_not_depend_on_the_order_of_definition() -> None:
    ids = ["a.b", "a_b", "a:b", "9lives"]
    assert tr.wire_names(ids) == {own: tr.wire_names(ids[::-1])[own] for own in ids}


@pytest.mark.parametrize(
    ("tools", "code"),
    [
        ([], "empty_catalog"),
        ([defined(), defined()], "duplicate_tool"),
        ([defined(description=" ")], "blank_description"),
        ([defined(input_schema={"json_schema": {"type": "array"}, "parse": parse_nothing})], "bad_schema"),
        ([defined(input_schema={"json_schema": {"type": "object", "default": float("nan")}, "parse": parse_nothing})], "bad_schema"),
        ([defined(input_schema={"json_schema": {"type": "object", 1: 2}, "parse": parse_nothing})], "bad_schema"),
        ([defined(input_schema={"json_schema": EMPTY, "parse": None})], "bad_schema"),
        ([defined(id=" a")], "bad_tool_id"),
        ([defined(id="a\x00")], "bad_tool_id"),
        ([defined(id="x" * 129)], "bad_tool_id"),
        ([defined(id=7)], "bad_tool_id"),
        ([defined(resolve="hello")], "bad_resolve"),
        ([defined(resolve=lambda a, b, c: None)], "bad_resolve"),
        (["greet"], "bad_tool"),
    ],
)
def test_a_definition_that_cannot_be_is_told_by_its_code(tools: list[Any], code: str) -> None:
    with pytest.raises(CatalogError) as caught:
        tr.define_model_tools(tools)
    assert caught.value.code == code


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(CatalogError) as caught:
        tr.define_model_tools([defined(id="", description=""), defined(), defined(resolve=None)])
    assert [(issue.code, issue.position) for issue in caught.value.issues] == [
        ("bad_tool_id", 0),
        ("blank_description", 0),
        ("bad_resolve", 2),
        ("duplicate_tool", 2),
    ]
    assert isinstance(caught.value, ValueError)


def test_what_becomes_of_the_given_schema_changes_nothing() -> None:
    schema = copy.deepcopy(CITY)
    sealed = tr.define_model_tools([defined(input_schema={"json_schema": schema, "parse": parse_nothing})])
    functions, digest = sealed.functions, sealed.digest
    schema["properties"]["town"] = {"type": "string"}
    sealed.functions[0]["parameters"]["properties"].clear()
    sealed["greet"].json_schema.clear()
    assert sealed.functions == functions
    assert sealed.digest == digest
    assert functions[0]["parameters"] == CITY


def test_digests_are_equal_exactly_for_equal_tools() -> None:
    assert catalog().digest == catalog().digest
    assert tr.define_model_tools([*definitions()[:2]]).digest != catalog().digest


def test_a_transport_takes_sealed_tools_only() -> None:
    with pytest.raises(CatalogError, match="unsealed_tools"):
        tr.StageTransport("t", tools=definitions(), stages=[])  # type: ignore[arg-type]  # the mistake that is tested


def test_characters_are_code_points() -> None:
    assert tr.char_count({"d": "😀"}) == 9
    with pytest.raises(ValueError, match="not JSON compliant"):
        tr.canonical_json(float("nan"))


def test_the_schema_of_a_model_can_go_without_titles_but_never_without_a_property_called_title() -> None:
    class Book(BaseModel):
        title: str
        year: int = 0

    assert tr.char_count(schema_from_model(Book).json_schema) == 163
    plain = schema_from_model(Book, strip_titles=True)
    assert tr.char_count(plain.json_schema) == 117
    assert "title" in plain.json_schema["properties"]
    assert plain.parse({"title": "Emma"}).year == 0


def test_titles_in_values_stay() -> None:
    class Made(BaseModel):
        inner: dict[str, Any] = {"title": "kept"}

    assert schema_from_model(Made, strip_titles=True).json_schema["properties"]["inner"]["default"] == {"title": "kept"}


@tool(effects="reads")
def forecast(city: str, days: int = 3, *, context: ToolContext) -> str:
    """Look up the weather.

    Args:
        city: name of the city,
            in English.
        days: how many days.
        context: not for the model.
    """
    return f"{city} {days} {context.stage}"


def test_a_function_becomes_a_tool_with_the_schema_of_its_signature() -> None:
    assert forecast.name == forecast.id == "forecast"
    assert forecast.description == "Look up the weather."
    assert forecast.effects == "reads"
    assert forecast.input_schema.json_schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "name of the city, in English."},
            "days": {"type": "integer", "default": 3, "description": "how many days."},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


def test_a_tool_of_a_function_is_selected_and_runs() -> None:
    transport = tr.StageTransport("t", tools=tr.define_model_tools([forecast]), stages=[{"id": "s", "toolIds": ["forecast"]}])
    selection = tr.ModelSelection(tool_id="forecast", input={"city": "Oslo"})
    assert transport.prepare("s").resolve(selection, "s") == "Oslo 3 s"
    assert forecast("Oslo", context=ToolContext(tool_id="x", stage="by hand")) == "Oslo 3 by hand"


def test_parameters_may_have_any_name() -> None:
    @tool(description="Echo.")
    def echo(json: str, model_config: int, _private: bool = True) -> tuple[str, int, bool]:
        return json, model_config, _private

    assert echo.resolve(echo.input_schema.parse({"json": "{}", "model_config": 1})) == ("{}", 1, True)


def test_a_function_that_no_json_object_can_call_is_refused() -> None:
    def anything(*values: int) -> None:
        """Do it."""

    def undescribed(value: int) -> None:
        return None

    with pytest.raises(TypeError, match="arguments of a tool come by name"):
        tool(anything)
    with pytest.raises(TypeError, match="has no description"):
        tool(undescribed)


def test_a_tool_shows_no_address_of_memory() -> None:
    assert "0x" not in repr(forecast)


def test_a_tool_made_by_hand_is_not_called_like_a_function() -> None:
    made = Tool(name="a", description="A.", input_schema=Schema(json_schema=EMPTY, parse=parse_nothing), resolve=lambda: 1)
    with pytest.raises(TypeError, match="was not made of a function"):
        made()
    assert tr.define_model_tools([made]).ids == ("a",)


def test_every_field_of_what_is_written_here_has_a_sentence() -> None:
    for module in (model_parts, model_selections, tools_module):
        kinds = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, Value) and kind.__module__ == module.__name__]
        assert kinds
        for kind in kinds:
            schema = kind.model_json_schema(by_alias=False).get("properties", {})
            assert [name for name, field in kind.model_fields.items() if not (field.description or "").endswith(".")] == [], kind
            assert {name: schema[name]["description"] for name in kind.model_fields} == {name: field.description for name, field in kind.model_fields.items()}
