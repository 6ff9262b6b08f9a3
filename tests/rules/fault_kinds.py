"""The kinds of runs that `faults` makes: fifteen faults, and what looks like them and is healthy."""

from __future__ import annotations

import random

from agentnb.rules import Limits
from tests.rules.faults import DONE, FILES, Made, Maker, among, asked, edit, kind, look_up, read, run_tests


def only(*rules: str) -> frozenset[str]:
    """Name the rules that should fire."""
    return frozenset(rules)


@kind
def loop(rng: random.Random, language: str) -> Made:
    made = asked(rng, language)
    path = rng.choice(FILES)
    for number in range(rng.randint(6, 12)):
        thought = among(
            rng, language, en=("Let me look again.", "Perhaps here.", "Once more."), fr=("Je regarde encore.", "Peut-être ici.", "Encore une fois.")
        )
        made.step(f"{thought} {number}", {"name": "Bash", "input": {"command": f"grep -n total {path}"}, "output": "12: total = 0"})
    return Made(made.say(rng.choice(DONE[language])).turn(), only("no_progress"))


@kind
def ping_pong(rng: random.Random, language: str) -> Made:
    made = asked(rng, language)
    first, second = rng.sample(FILES, 2)
    for _ in range(rng.randint(4, 6)):
        made.step(None, read(first)).step(None, {"name": "Bash", "input": {"command": f"wc -l {second}"}, "output": f"61 {second}"})
    return Made(made.say(rng.choice(DONE[language])).turn(), only("no_progress"))


@kind
def failing_retry(rng: random.Random, language: str) -> Made:
    made = asked(rng, language)
    for _ in range(rng.randint(6, 9)):
        made.step(None, {"name": "search_orders", "input": {"order": "W100"}, "output": "Error: no such order", "failed": True})
    return Made(made.say(among(rng, language, en=("The order does not exist.",), fr=("La commande n'existe pas.",))).turn(), only("no_progress"))


@kind
def announced_not_done(rng: random.Random, language: str) -> Made:
    text = among(
        rng,
        language,
        en=(
            "Good idea. I'll add the test and run the suite.",
            "Understood, let me check the configuration first.",
            "I am going to refactor the cache now.",
            "The cause is the time zone. Next, I will patch the parser.",
            "Working on it.",
            "Implementation to follow shortly.",
            "We'll migrate the table first.",
        ),
        fr=(
            "Très bien, je vais ajouter le test et lancer la suite.",
            "D'accord, je commence par la configuration.",
            "Je m'en occupe.",
            "La cause est le fuseau horaire. Je corrigerai l'analyseur.",
            "Laisse-moi regarder les journaux.",
            "Mise en œuvre sous peu.",
            "Nous allons migrer la table.",
        ),
    )
    return Made(asked(rng, language).say(text).turn(), only("no_action"))


@kind
def handed_back(rng: random.Random, language: str) -> Made:
    text = among(
        rng,
        language,
        en=(
            "The parser is fixed.\n\nRemaining:\n- the command line\n- the docs",
            "3 of 5 modules are migrated.",
            "The server part works. The client still needs tests.",
            "Done so far:\n- [x] parser\n- [ ] writer",
            "The export is partially implemented.",
            "I haven't updated the fixtures.",
            "Somebody has to look at the writer too.",
        ),
        fr=(
            "L'analyseur est corrigé.\n\nReste à faire :\n- la ligne de commande\n- la doc",
            "3 sur 5 modules sont migrés.",
            "Le serveur marche. Il reste deux fichiers à migrer.",
            "Fait :\n- [x] lecture\n- [ ] écriture",
            "L'export est partiellement écrit.",
            "Je n'ai pas eu le temps de tester.",
            "Quelqu'un devra regarder l'écriture.",
        ),
    )
    path = rng.choice(FILES)
    return Made(asked(rng, language).step(None, read(path)).step(None, edit(path)).step(None, run_tests(True)).say(text).turn(), only("remaining_work"))


@kind
def empty_answer(rng: random.Random, language: str) -> Made:
    made = asked(rng, language).step(None, read(rng.choice(FILES)))
    return Made(made.say(rng.choice(("", " \n", "<think>so it is</think>"))).turn(), only("empty_final_response"))


@kind
def cut_answer(rng: random.Random, language: str) -> Made:
    text = among(
        rng,
        language,
        en=("The function is\n\n```python\ndef total(", "First, the parser reads"),
        fr=("La fonction est\n\n```python\ndef total(", "D'abord, l'analyseur lit"),
    )
    return Made(
        asked(rng, language).step(None, read(rng.choice(FILES))).say(text, reason=rng.choice(("length", "max_tokens", "MAX_TOKENS"))).turn(),
        only("length_recovery"),
    )


@kind
def unverified_write(rng: random.Random, language: str) -> Made:
    path = rng.choice(FILES)
    made = asked(rng, language).step(None, read(path))
    if rng.random() < 0.5:
        made.step(None, run_tests(True))
    return Made(made.step(None, edit(path)).say(rng.choice(DONE[language])).turn(), only("verify_before_done"))


@kind
def handed_in_unchecked(rng: random.Random, language: str) -> Made:
    """The agent ends by a tool, as many do, and not by words."""
    path, words = rng.choice(FILES), rng.choice(DONE[language])
    finish = {"name": rng.choice(("finish", "submit", "attempt_completion")), "input": rng.choice(({}, {"message": words}, {"result": words}))}
    return Made(asked(rng, language).step(None, read(path)).step(None, edit(path)).step(words, finish).turn(), only("verify_before_done"))


@kind
def red_check_ignored(rng: random.Random, language: str) -> Made:
    path = rng.choice(FILES)
    return Made(asked(rng, language).step(None, edit(path)).step(None, run_tests(False)).say(rng.choice(DONE[language])).turn(), only("verify_failed"))


@kind
def endless_reading(rng: random.Random, language: str) -> Made:
    made = asked(rng, language)
    for number in range(rng.randint(11, 30)):
        made.step(None, read(f"src/part_{number}.py"))
    return Made(made.say(rng.choice(DONE[language])).turn(), only("exploration"))


@kind
def endless_lookups(rng: random.Random, language: str) -> Made:
    """Where reading is the task it still has an end."""
    made = Maker(among(rng, language, en=("Research the market for kites.",), fr=("Fais une recherche sur le marché du cerf-volant.",)))
    for number in range(rng.randint(41, 60)):
        made.step(None, look_up(number))
    return Made(made.say(among(rng, language, en=("The market is growing.",), fr=("Le marché grandit.",))).turn(), only("exploration"))


@kind
def limit_reached(rng: random.Random, language: str) -> Made:
    made = asked(rng, language)
    for number in range(9):
        made.step(None, edit(f"src/part_{number}.py", str(number)), run_tests(True, 10 + number))
    return Made(made.say(rng.choice(DONE[language])).turn(), only("wrap_up"), {"limits": Limits(steps=10)})


@kind
def yes_ignored(rng: random.Random, language: str) -> Made:
    made = Maker(
        among(
            rng, language, en=("go", "ok, go ahead", "yes please, continue", "👍", "lgtm"), fr=("vas-y", "oui, continue stp", "d'accord", "c'est parti", "ok")
        )
    )
    text = among(rng, language, en=("Great choice.", "Which branch should I take?"), fr=("Très bon choix.", "Sur quelle branche ?"))
    return Made(made.say(text).turn(), only("go_ahead"))


@kind
def delivery_missing(rng: random.Random, language: str) -> Made:
    text = among(rng, language, en=("Here is the outline of the report.",), fr=("Voici le plan du rapport.",))
    return Made(asked(rng, language).say(text).turn(), only("delivery"), {"delivery_required": True})


@kind
def healthy_fix(rng: random.Random, language: str) -> Made:
    path = rng.choice(FILES)
    made = asked(rng, language).step(None, read(path)).step(None, edit(path)).step(None, run_tests(True))
    return Made(made.say(rng.choice(DONE[language])).turn(), only())


@kind
def healthy_red_then_green(rng: random.Random, language: str) -> Made:
    path, made = rng.choice(FILES), asked(rng, language)
    for number in range(rng.randint(3, 7)):
        made.step(None, edit(path, str(number))).step(None, run_tests(False))
    return Made(made.step(None, edit(path, "right")).step(None, run_tests(True)).say(rng.choice(DONE[language])).turn(), only())


@kind
def healthy_polling(rng: random.Random, language: str) -> Made:
    made = asked(rng, language).step(None, {"name": "Bash", "input": {"command": "make build &"}, "output": "started"})
    for _ in range(rng.randint(8, 20)):
        made.step(None, {"name": "BashOutput", "input": {"bash_id": "b1"}, "output": "still building"})
    return Made(made.say(rng.choice(DONE[language])).turn(), only())


@kind
def healthy_watching(rng: random.Random, language: str) -> Made:
    made = asked(rng, language)
    for number in range(rng.randint(6, 9)):
        made.step(None, {"name": "Bash", "input": {"command": "tail -1 build.log"}, "output": f"step {number} of 9"})
    return Made(made.say(rng.choice(DONE[language])).turn(), only())


@kind
def healthy_question(rng: random.Random, language: str) -> Made:
    text = among(
        rng,
        language,
        en=("I can do that in two ways. Which one do you prefer?", "I'll fix it. On which branch?"),
        fr=("Il y a deux façons. Laquelle préfères-tu ?", "Je vais le corriger. Sur quelle branche ?"),
    )
    return Made(asked(rng, language).say(text).turn(), only())


@kind
def healthy_offer(rng: random.Random, language: str) -> Made:
    text = among(
        rng,
        language,
        en=(
            "The build is slow because of the linker. If you like, I'll switch it.",
            "Let me know and I'll change it.",
            "I'll leave the cache as it is. Tell me when to deploy it.",
        ),
        fr=("L'éditeur de liens est lent. Si tu veux, je vais le changer.", "Dis-moi et je le change.", "Je lance la migration dès que vous confirmez."),
    )
    return Made(asked(rng, language).say(text).turn(), only())


@kind
def healthy_next_steps_of_the_user(rng: random.Random, language: str) -> Made:
    path = rng.choice(FILES)
    text = among(
        rng,
        language,
        en=(
            "All green.\n\nNext steps for you:\n- deploy\n- watch the logs",
            "All tests pass. You can now deploy it.",
            "Done. Optional next steps: a dark theme.",
        ),
        fr=(
            "Tout est vert.\n\nProchaines étapes pour vous :\n- déployer",
            "Les tests passent. Tu peux déployer.",
            "Fait. Améliorations possibles : un thème sombre.",
        ),
    )
    return Made(asked(rng, language).step(None, edit(path)).step(None, run_tests(True)).say(text).turn(), only())


@kind
def healthy_status(rng: random.Random, language: str) -> Made:
    made = Maker(among(rng, language, en=("What is left?",), fr=("Que reste-t-il ?",)))
    return Made(made.say(among(rng, language, en=("Remaining: the command line.",), fr=("Reste à faire : la ligne de commande.",))).turn(), only())


@kind
def healthy_notes(rng: random.Random, language: str) -> Made:
    text = among(rng, language, en=("The notes are in docs/notes.md.",), fr=("Les notes sont dans docs/notes.md.",))
    return Made(asked(rng, language).step(None, edit("docs/notes.md")).say(text).turn(), only())


@kind
def healthy_design(rng: random.Random, language: str) -> Made:
    """What looks like a fault to word lists: plans of a design, and what others do not do yet."""
    path = rng.choice(FILES)
    text = among(
        rng,
        language,
        en=(
            "In this design we will use Postgres for the queue.",
            "The syntax is not yet supported by Python 3.8, so the old form stays.",
            "The job will run every night.",
            "It says `I'll fix it later` in the log.",
        ),
        fr=(
            "Le mot-clé n'est pas encore connu de Python 3.8 : l'ancienne forme demeure.",
            "La tâche tournera chaque nuit.",
            "Le journal dit « je vais corriger plus tard ».",
            "Le reste du code est inchangé.",
        ),
    )
    return Made(asked(rng, language).step(None, edit(path)).step(None, run_tests(True)).say(text).turn(), only())


@kind
def healthy_reading(rng: random.Random, language: str) -> Made:
    made = asked(rng, language)
    for number in range(rng.randint(3, 9)):
        made.step(None, read(f"src/part_{number}.py"))
    return Made(made.say(among(rng, language, en=("The time is lost in the linker.",), fr=("Le temps est perdu à l'édition de liens.",))).turn(), only())


@kind
def healthy_lookups(rng: random.Random, language: str) -> Made:
    """The task names what has to be looked up."""
    made = Maker(among(rng, language, en=("Compare the prices of all my bookings.",), fr=("Compare les prix de mes réservations.",)))
    for number in range(rng.randint(11, 25)):
        made.step(None, look_up(number))
    return Made(made.say(among(rng, language, en=("The third is the cheapest.",), fr=("La troisième est la moins chère.",))).turn(), only())


@kind
def healthy_review(rng: random.Random, language: str) -> Made:
    made = Maker(among(rng, language, en=("Review the module src and report.",), fr=("Relis tout le dossier src et fais le point.",)))
    for number in range(rng.randint(11, 30)):
        made.step(None, read(f"src/part_{number}.py"))
    return Made(made.say(among(rng, language, en=("Two findings: the cache and the lock.",), fr=("Deux remarques : le cache et le verrou.",))).turn(), only())


@kind
def healthy_piped_check(rng: random.Random, language: str) -> Made:
    """A pipe hides the exit code, and what is shown is green."""
    path = rng.choice(FILES)
    check = rng.choice(
        (
            {"name": "Bash", "input": {"command": "npm run check 2>&1 | tail -10"}, "output": "Checked 22 files in 23ms. No fixes applied."},
            {"name": "Bash", "input": {"command": 'npm run lint 2>&1 | grep -E "(error|warning)" | head -20'}, "output": "(no output)"},
            {"name": "Bash", "input": {"command": "npm test | tail -3"}, "output": "Suites: ok\nall specs passed"},
        )
    )
    return Made(asked(rng, language).step(None, edit(path)).step(None, check).say(rng.choice(DONE[language])).turn(), only())


@kind
def healthy_script(rng: random.Random, language: str) -> Made:
    """A script that was written and run needs no other check."""
    name, run = rng.choice((("hello.sh", "chmod +x tools/hello.sh && tools/hello.sh"), ("hello.py", "cd tools && python3 hello.py")))
    made = Maker(among(rng, language, en=("Write a script that greets, and run it.",), fr=("Écris un script qui salue, et lance-le.",)))
    made.step(None, {"name": "Write", "input": {"file_path": f"tools/{name}", "content": "hello"}})
    made.step(None, {"name": "Bash", "input": {"command": run}, "output": "Hello world"})
    return Made(made.say(among(rng, language, en=("It says: Hello world.",), fr=("Il dit : Hello world.",))).turn(), only())


@kind
def healthy_hand_over(rng: random.Random, language: str) -> Made:
    """The answer was given beside the call that shows the files, and nothing is left to say."""
    text = among(rng, language, en=("The report is ready: sales grew by 4 %.",), fr=("Le rapport est prêt : les ventes gagnent 4 %.",))
    show = rng.choice(("present_files", "TodoWrite", "update_plan"))
    return Made(asked(rng, language).step(text, {"name": show, "input": {"files": ["report.md"]}}).say("").turn(), only())


@kind
def healthy_interrupted(rng: random.Random, language: str) -> Made:
    text = among(rng, language, en=("I'll now run the",), fr=("Je vais maintenant lancer",))
    return Made(asked(rng, language).step(None, read(rng.choice(FILES))).say(text).turn(state="interrupted"), only())
