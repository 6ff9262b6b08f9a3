"""What a text does: agree, promise work, list open work, ask; in English and French."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.rules import (
    Language,
    announced_work,
    announces_work,
    ends_with_user_question,
    is_go_ahead,
    language_covered,
    listed_work,
    lists_remaining_work,
    shipped_languages,
)

YES = (
    "ça marche, merci", "fais-le", "ok 👌🏽", "🙏👍", "sounds good!", "k", "let’s do it…", "ok then, next", "parfait, continue", "✅", "allez !",
    "carry-on", "\uff27\uff4f", "on y va", "s’il vous plaît, poursuivez", "keep going", "yes please, go ahead", "C'EST BON",
)  # fmt: skip
NOT_YES = (
    None, "", "tout de suite", "🙏", "go\nahead", "ok, but use sqlite", "yes no", "+1", "vas-y ?", "continue؟", "go 2", "c'est bon pour moi", "just now",
    "let's", "🎉", "don’t", "ok " * 30,
)  # fmt: skip
PROMISES = (
    "We'll now migrate the database.", "I need to check the logs first.", "I'm about to deploy.", "On it.", "Sure, working on this.", "Give me a minute.",
    "Let me look at the output.", "I'll be running the tests.", "I am right now checking.", "If the tests fail I'm now fixing them; I'll run them.",
    "I'll prepare a file so that you can check it.", "- [ ] I'll add tests", "## Let me check the file", "**I'll** fix it", "I'll re-run the suite.",
    "Let us run it", "i must now fix this", "Ok great, starting now", "We're kicking off the build.", "I need to verify if it works.",
    "Je vais m'en occuper.", "Je vais d’abord lire le fichier.", "On va tester ça.", "Permettez-moi de vérifier.", "Je m'apprête à lancer la migration.",
    "Je ferai les tests.", "Je le corrige.", "J'y ajoute un test.", "Puis je lance les tests.", "Il faut que je vérifie.",
    "Je vais vérifier s'il reste des erreurs.", "Je vais corriger s'il te plaît.", "Je vais y jeter un œil.", "Bien sûr : j’écris le test.",
)  # fmt: skip
NO_PROMISES = (
    None, "", "I'll do my best.", "I'll make sure it works.", "I'll get back to you.", "I'll take this into account.", "Let's look at the output.",
    "Let's start with an overview.", "I'll run it once you approve.", "I'll deploy it with your approval.", "I will not change it.", "I'll explain the result.",
    "I'll fix it if you agree.", "I'll do it unless you object.", "Provided you agree, I'll add it.", "Depending on the result, I'll retry.",
    "Then you can run it and I'll check.", "Please confirm and I'll run it.", "`I'll run it`", "I said “I'll fix it”.", "<think>I'll fix it.</think>Done.",
    "See https://example.com/let-me-fix it", "~~~\nLet me check.\n~~~\nDone", "I'm now done.", "It's your call, I'll fix it.", "Your turn: I'll check.",
    "Hier je lance les tests.", "Je précise que je vérifie.", "Je vais faire de mon mieux.", "Je corrigerai le bug avec ton accord.",
    "À moins que tu refuses, je corrige le bug.", "N'hésite pas, je corrige.", "Je termine que quand tu veux.", "Il dit « je vais corriger ».",
    "Je vérifie qu'il marche.", "Je vous laisse lancer les tests.", "C’est ton choix, je corrige.",
)  # fmt: skip
OPEN = (
    "Pending tasks: docs", "There is work left.", "Docs are still to be done.", "The remaining tasks are not done.", "todo : docs", "2/3 files converted.",
    "2 out of 3 files converted", "This is not yet ready.", "Next steps:\n1. Deploy", "# Remaining work\n\n- docs", "I didn't get to the docs.", "Half-done.",
    "We haven't finished.", "To be continued", "☐ docs", "It hasn't been fully tested yet.", "Left to implement: x", "**Remaining:** the docs",
    "Les prochaines étapes", "Il reste 3 fichiers.", "Restant : la doc", "Le cache est partiellement implémenté.", "Il faudra encore tester.",
    "Je n'ai pas pu tester.", "La tâche restante : le cache.", "Non terminé.", "la suite : déployer", "4 sur les 6 tests corrigés",
    "Remaining:\n- [x] API\n- CLI", "Next steps:\n\n- deploy the server",
)  # fmt: skip
CLOSED = (
    None, "", "No remaining tasks.", "The remaining tests now pass.", "3/3 done", "Still to do: nothing.", "Next steps:\n- You can deploy",
    "Next steps:\n- [x] a\n- [x] b", "# Remaining work\n\n- None", "If you want, remaining tasks can be done.", "Remaining tasks are for you.", "What's left?",
    "- [ ] optional: dark mode", "`remaining work`", "Out of scope: remaining tasks", "Tests remain green.", "v1/2 fixed", "Fixed on 1/2/2024.",
    "Il ne reste rien à faire.", "Il reste 3 minutes.", "Les tests restants ont été corrigés.", "En option : reste à faire le cache.", "Aucune tâche restante.",
    "reste à ta disposition", "Hors périmètre : tâches restantes", "Next steps for you:\n1. deploy\n   and then watch it still failing\n2. rest",
)  # fmt: skip


@pytest.mark.parametrize("text", YES)
def test_words_of_agreement_alone_are_a_yes(text: str) -> None:
    assert is_go_ahead(text)


@pytest.mark.parametrize("text", NOT_YES)
def test_anything_of_its_own_is_no_bare_yes(text: str | None) -> None:
    assert not is_go_ahead(text)


@pytest.mark.parametrize("text", PROMISES)
def test_a_promise_is_found(text: str) -> None:
    assert announces_work(text)
    assert lists_remaining_work(text)


@pytest.mark.parametrize("text", NO_PROMISES)
def test_what_is_conditional_denied_quoted_or_left_to_the_user_is_no_promise(text: str | None) -> None:
    assert not announces_work(text)


@pytest.mark.parametrize("text", OPEN)
def test_open_work_is_found(text: str) -> None:
    assert lists_remaining_work(text)


@pytest.mark.parametrize("text", CLOSED)
def test_what_is_done_optional_or_of_the_user_is_not_open(text: str | None) -> None:
    assert not lists_remaining_work(text)


def test_the_sentence_is_found_where_it_stands() -> None:
    text = "Voilà, c’est « prêt ».\n\n- *Now* **I'll** fix  `x` it. Done."
    said = announced_work(text)
    assert said is not None
    assert said.sentence == text[said.start : said.end] == "*Now* **I'll** fix  `x` it."
    assert said.near_end


def test_a_sentence_far_from_the_end_says_so() -> None:
    said = announced_work("I'll fix it. " + "Words follow. " * 60)
    assert said is not None
    assert not said.near_end


def test_an_item_of_a_list_under_a_lead_in_is_what_is_shown() -> None:
    said = listed_work("Remaining:\n- [x] API\n- the docs")
    assert said is not None
    assert said.sentence == "the docs"


@pytest.mark.parametrize(
    ("text", "asks"), [("Done?", True), ("Laquelle ?**", True), ("Is it?\n\n", True), ("a? Yes.", False), ("", False), ("(ok?)", True), ("ماذا؟", True)]
)
def test_a_closing_question_hands_control_back(text: str, asks: bool) -> None:
    assert ends_with_user_question(text) is asks


def test_a_text_in_another_language_says_that_it_was_not_read() -> None:
    assert not language_covered("Ich werde den Fehler jetzt beheben.")
    assert language_covered("Je vais corriger le bug.")
    assert language_covered("42")


def test_a_further_language_is_a_file_of_words() -> None:
    german = Language.from_toml(
        """
        code = "de"
        name = "German"
        common = ["der", "die", "und"]
        [go_ahead]
        core = ["los", "mach weiter"]
        filler = ["bitte"]
        [words]
        action = ["beheben", "prufen"]
        [[promise]]
        openers = ["ich werde"]
        skipped = ["jetzt", "den", "fehler"]
        actions = "action"
        [[open]]
        words = ["noch offen"]
        """
    )
    assert is_go_ahead("Mach weiter, bitte", languages=[german])
    assert announces_work("Ich werde den Fehler jetzt prüfen.", languages=[german])
    assert lists_remaining_work("Zwei Dateien sind noch offen.", languages=[*shipped_languages(), german])
    assert not announces_work("I'll fix it.", languages=[german])


@pytest.mark.parametrize("text", ["name = 'x'", "code = 1\nname = 'x'", "= nothing"])
def test_a_language_file_without_its_code_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"code|Invalid"):
        Language.from_toml(text)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(st.sampled_from("Ii'’ll fix wre?.!-*_`\"«»[]x1/23\n>;:,# \u00a0…éœ👍<think>restà")))
def test_no_text_makes_a_predicate_raise_and_places_are_inside_of_it(text: str) -> None:
    is_go_ahead(text)
    for said in (announced_work(text), listed_work(text)):
        assert said is None or said.sentence == text[said.start : said.end]


NASTY = (
    ".",
    "…",
    " _a____b",
    "____a",
    "“",
    "„",
    "«",
    '"',
    "```",
    "`a",
    "`",
    "<think>",
    "- ",
    "* ",
    "if you ",
    "remaining is done ",
    "will be ",
    "ok, ",
    "??? ",
    "still ",
    "has not been ",
    "1/2 ",
    "3 of ",
    "[ ] ",
    "> ",
    "~~",
    " - ",
    "; ",
    "i still ",
    "'",
    "j'",
    "\u0301",
    "http://",
    "a-",
    "remaining:\n- ",
    "\r",
)


@pytest.mark.parametrize("piece", NASTY, ids=repr)
def test_three_hundred_thousand_characters_of_anything_are_read_in_one_go(piece: str) -> None:
    """Anything quadratic in the text would not come back from this within the hour."""
    text = piece * (300_000 // len(piece))
    assert announced_work(text) is None or text
    assert listed_work(text) is None or text
