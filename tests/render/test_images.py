"""Images are told by media type and size; pictures come only from data whose first bytes are those of a picture, and nothing is ever loaded."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb import render
from agentnb.render._markup import LARGEST_PICTURE, picture
from agentnb.values import Part, Turn
from tests.render.pages import Page
from tests.render.pictures import GIF, JPEG, SVG, WEBP, data_address, image_part, png
from tests.render.samples import ATTACKS, TurnMaker, hostile_turn

PNG = png()
ALONE = base64.b64encode(PNG).decode()


def turn_of(*texts: str, kind: Any = "image") -> Turn:
    maker = TurnMaker("t")
    maker.say("user", *texts, kind=kind)
    return maker.turn()


def pictures(html: str) -> list[str]:
    return [str(element.attributes["src"]) for element in Page(html).elements if element.tag == "img"]


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (image_part(data_address(PNG)), f"image image/png · {len(PNG)} B"),
        (image_part(data_address(PNG), "image/png"), f"image image/png · {len(PNG)} B"),
        (image_part(ALONE, "image/jpeg"), f"image image/png · {len(PNG)} B"),
        (image_part(base64.urlsafe_b64encode(JPEG).decode()), f"image image/jpeg · {len(JPEG)} B"),
        (image_part(base64.encodebytes(GIF).decode()), f"image image/gif · {len(GIF)} B"),
        (image_part(base64.b64encode(WEBP).decode().rstrip("=")), f"image image/webp · {len(WEBP)} B"),
        (image_part(data_address(png(padding=3_000))), "image image/png · 3.1 kB"),
        (image_part(data_address(SVG, "image/svg+xml"), "image/svg+xml"), f"image image/svg+xml · {len(SVG)} B"),
        (image_part("data:image/svg+xml,%3Csvg/%3E"), "image image/svg+xml · 6 B"),
        (image_part(data_address(b"abc", "<b>")), "image of unknown type · 3 B"),
        (image_part("https://example.com/a.png", "image/png"), "image image/png · https://example.com/a.png"),
        (image_part("photo.png"), "image photo.png"),
        (image_part("screenshots/first"), "image screenshots/first"),
        (image_part("data:nothing"), "image data:nothing"),
        (image_part(None, "image/png"), "image image/png · nothing was recorded of it"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_image_is_told_by_media_type_and_size_or_by_its_address(part: Part, told: str) -> None:
    assert render.image_text(part) == told


def test_the_bytes_of_an_image_are_given_and_none_of_what_was_not_recorded() -> None:
    recorded = [data_address(PNG), ALONE, ALONE.rstrip("="), base64.encodebytes(PNG).decode(), base64.urlsafe_b64encode(PNG).decode()]
    assert {image_part(text).image_bytes() for text in recorded} == {PNG}
    assert image_part(data_address(SVG, "image/svg+xml")).image_bytes() == SVG
    assert image_part("data:image/svg+xml,%3Csvg/%3E").image_bytes() == b"<svg/>"
    missing = ["https://example.com/a.png", "photo", "", None, "data:", "data:image/png;base64,%%%", "data:image/png;base64,A", "[trimmed]", "é" * 50]
    assert {image_part(text).image_bytes() for text in missing} == {None}
    assert image_part(data_address(PNG), type="text").image_bytes() is None


@settings(derandomize=True)
@given(st.binary(max_size=300), st.booleans(), st.booleans(), st.booleans())
def test_the_size_is_that_of_the_decoded_data(data: bytes, broken_into_lines: bool, padded: bool, url_safe: bool) -> None:
    written = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(PNG + data).decode()
    written = written if padded else written.rstrip("=")
    part = image_part(re.sub("(.{76})", "\\1\r\n", written) if broken_into_lines else written)
    assert part.image_bytes() == PNG + data
    assert part.image_data is not None
    assert part.image_data.size == len(PNG + data)


@settings(derandomize=True)
@given(st.one_of(st.text(), st.text().map("data:{}".format), st.text(alphabet="AZaz09+/=-_ \n").map("data:image/png;base64,{}".format)))
def test_nothing_recorded_raises(text: str) -> None:
    part = image_part(text, text)
    part.image_bytes()
    render.image_text(part)
    Page(render.render_image(part))
    Page(render.render_turn(turn_of(text)))


def test_a_small_picture_stands_inside_its_folded_line() -> None:
    html = render.render_turn(turn_of(data_address(PNG)))
    page = Page(html)
    assert f"image · image/png · {len(PNG)} B" in page.text
    (found,) = (element for element in page.elements if element.tag == "img")
    assert found.around[-1] == "details"
    assert found.attributes == {"src": data_address(PNG), "alt": f"image, image/png · {len(PNG)} B", "loading": "lazy", "decoding": "async"}
    assert all("open" not in element.attributes for element in page.all(class_="image"))


def test_a_large_picture_is_told_with_how_to_get_it() -> None:
    large = png(padding=5_000)
    html = render.render_turn(turn_of(data_address(large)))
    assert pictures(html) == []
    assert "open it in the live view; part.image_bytes() has its bytes" in Page(html).text
    assert pictures(render.render_image(image_part(data_address(large)))) == [data_address(large)]


def test_many_pictures_stay_within_the_budget() -> None:
    maker = TurnMaker("t", prompt="Look at these.")
    for _ in range(30):
        maker.say("user", "A photo:")
        maker.say("user", *[data_address(png(padding=3_000))] * 4, kind="image")
    for budget in (4_000, 25_000, 200_000):
        html = render.render_turn(maker.turn(), budget=budget)
        assert len(html.encode()) <= budget
        assert "A photo:" in Page(html).text or budget < 25_000


def test_a_picture_gives_way_before_words_do() -> None:
    turn = turn_of("Look at what came. " * 200, kind="text")
    shown = tuple(image_part(data_address(png(padding=4_000)), part_index=at) for at in range(1, 9))
    turn = turn.model_copy(update={"messages": (turn.messages[0].model_copy(update={"parts": (*turn.messages[0].parts, *shown)}),)})
    html = render.render_turn(turn)
    assert Page(html).text.count("Look at what came.") == 200
    assert pictures(html) == []


def test_a_live_view_holds_no_picture_and_says_where_it_is() -> None:
    html = render.render_turn(turn_of("https://example.com/a.png", data_address(PNG)), live=True)
    assert pictures(html) == []
    (line,) = Page(html).all(class_="image")
    assert {key: line.attributes[key] for key in ("data-turn", "data-message", "data-part")} == {"data-turn": "t", "data-message": "0", "data-part": "1"}


@pytest.mark.parametrize("text", [data_address(SVG, "image/svg+xml"), data_address(SVG), base64.b64encode(SVG).decode(), "data:image/svg+xml,%3Csvg/%3E"])
def test_an_svg_is_never_a_picture_whatever_it_is_called(text: str) -> None:
    for html in (render.render_turn(turn_of(text)), render.render_turn(turn_of(text), live=True), render.render_image(image_part(text, "image/png"))):
        assert pictures(html) == []
        assert "data-message" not in html


def test_what_is_no_picture_says_why() -> None:
    assert "only PNG, JPEG, GIF and WebP are" in render.render_image(image_part(data_address(SVG, "image/svg+xml")))
    assert "too large to show here (at most 2.0 MB)" in render.render_image(image_part(data_address(png(padding=LARGEST_PICTURE))))
    assert "its data is broken" in render.render_image(image_part(data_address(PNG) + "!"))
    assert "photo.png" in render.render_image(image_part("photo.png"))


def test_the_images_of_a_result_stand_in_its_call() -> None:
    maker = TurnMaker("t", prompt="Take a screenshot.")
    maker.step("I take one.", {"name": "screenshot", "arguments": {}, "output": ""})
    call = next(call for call in maker.calls if call.name == "screenshot")
    shown = image_part(data_address(PNG), call_id=call.call_id, role="tool", message_index=9)
    turn = maker.turn()
    turn = turn.model_copy(update={"messages": (*turn.messages, turn.messages[0].model_copy(update={"message_index": 9, "role": "tool", "parts": (shown,)}))})
    for html in (render.render_turn(turn), render.render_call(call, turn=turn)):
        (found,) = (element for element in Page(html).elements if element.tag == "img")
        assert found.around.count("details") == 2
        assert "no output" not in Page(html).text


def test_injected_images_are_no_text() -> None:
    maker = TurnMaker("t", prompt="Look.")
    maker.say("user", data_address(PNG), kind="image", injected=True)
    html = render.render_turn(maker.turn())
    assert "1 image" in Page(html).text
    assert "base64" not in Page(html).text
    assert len(pictures(html)) == 1


def test_a_message_tells_its_images() -> None:
    turn = turn_of(data_address(PNG), "https://example.com/a.png")
    assert render.plain_message(turn.messages[0]).endswith(f"2 parts · image image/png · {len(PNG)} B · image https://example.com/a.png")
    assert len(pictures(render.render_message(turn.messages[0]))) == 1


def test_a_picture_is_made_of_picture_data_only() -> None:
    for seen in (PNG, GIF, JPEG, WEBP):
        assert pictures(picture(seen, "x")) == pictures(picture(base64.b64encode(seen).decode(), "x")) != []
    hostile: list[bytes | str] = [
        b"", "", SVG, base64.b64encode(SVG).decode(), "https://example.com/a.png", "javascript:alert(1)", data_address(PNG), f'{ALONE}" onerror="x',
        ALONE[:-6] + "<img>", ALONE + "é", b"\x89PNG\r\n\x1a", b"<script>" + PNG, PNG + bytes(LARGEST_PICTURE), "A" * 10_000_000, ALONE[:40] + "=" + ALONE[40:],
    ]  # fmt: skip
    for data in hostile:
        with pytest.raises(ValueError, match=r"made here|a picture is a PNG"):
            picture(data, "x")


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_hostile_words_around_and_inside_a_picture_stay_words(attack: str) -> None:
    inside = PNG + attack.encode("utf-8", "replace")
    assert pictures(picture(inside, attack)) == [data_address(inside)]
    part = image_part(data_address(PNG, attack.replace(",", "")), attack)
    for html in (picture(PNG, attack), render.render_image(part), render.render_turn(hostile_turn(attack), live=True)):
        Page(html)
    for text in (attack, f"https://example.com/{attack}", f"data:{attack},{attack}"):
        assert pictures(render.render_turn(turn_of(text))) == []
