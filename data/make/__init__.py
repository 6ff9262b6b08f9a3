"""HOW THE RECORDINGS ARE MADE: one module per story, over a writer for each format.

`python -m data.make` writes every file below data/, the same bytes each time: ids come from a seed, times from a fixed start, outputs of
commands from outputs/. `python -m data.make --rehearse` really runs those commands again, in a project in a temporary folder, and keeps
what they print.
"""
