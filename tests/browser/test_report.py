"""A report is one file: it opens without a network, asks for nothing, and holds what people said."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser
from typer.testing import CliRunner

import agentnb as anb
from agentnb.cli import app
from tests.browser.sessions import write_session

KEY = "sk-ant-api03-" + "a1B2" * 24


def test_a_report_opens_offline_with_ratings_and_without_secrets(browser: Browser, tmp_path: Path) -> None:
    session = write_session(tmp_path / "session.jsonl")
    session.write_text(session.read_text("utf-8").replace("Where is order W0?", f"Where is order W0? My key is {KEY}."), "utf-8")
    with anb.open(session, workspace=tmp_path / "triage") as ws:
        ws.rate(
            ws.sql("select call_id from tool_errors").fetchall()[0][0], "wrong", answer="to the card", note="not the gift card", reasons=["made up"], by="ana"
        )
    out = tmp_path / "run.html"
    ran = CliRunner().invoke(app, ["report", str(session), "--workspace", str(tmp_path / "triage"), "-o", str(out)])
    assert ran.exit_code == 0, ran.output
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(out.as_uri())
    words = page.locator("body").inner_text()
    context.close()
    assert asked == [out.as_uri()]
    assert wrong == []
    for said in ("scoreboard", "ratings", "wrong", "not the gift card", "made up", "picked", "payment method does not match"):
        assert said in words
    assert "a1B2a1B2" not in out.read_text("utf-8")
    assert json.dumps(KEY)[1:-1] not in words
