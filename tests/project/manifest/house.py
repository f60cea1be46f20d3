"""What holds for the repository as a whole, and for those who meet it first."""

from __future__ import annotations

HOUSE: dict[str, str] = {
    "HO-4": "the words that the contributors' page explains are in use",
    "HO-5": "a fact that proves a call hopeless ends it; one that cannot be read is unknown",
    "HO-6": "one HTTP client sends forms, judges answers and blocks no event loop",
    "HO-7": "fields of an answer are read by their type, in one place",
    "HO-8": "numbers in sentences agree with their nouns",
    "HO-9": "a field that is not quoted is described by its measure",
    "HO-10": "signs of injection come from one table, and each server asks for its own",
    "HO-12": "what talks to a service knows neither the protocol nor a tool",
    "HO-13": "imports inside a server and inside the kit point one way",
    "HO-14": "no modules import each other, not even inside functions",
    "HO-17": "counts in instructions follow the tools on offer and agree with their verbs",
    "HO-18": "with an old catalogue a server is slower, and right all the same",
    "HO-19": "any server writes its own catalogue; scripts, demo and bench keep the same sizes",
    "HO-20": "each example is a value that its server takes; the workspace names every server",
    "HO-21": "what is stated has a test, and what a test names is stated",
    "HO-23": "a skip is a failure, and what is not there is left out and named",
    "HO-25": "constants carry the reason for their value",
}
"""Layers, words and tests."""

FIRST_USE: dict[str, str] = {
    "F-1": "the first screen of the README says what this is before any command",
    "F-3": "the picture and the dialogs in the READMEs are real questions",
    "F-4": "every snippet is taken as printed and keeps its secrets in files",
    "F-6": "installing prints what registers a server, and a second run updates it",
    "F-7": "an installed command lists its tools without a network",
    "F-8": "each distribution has a command of its own name",
    "F-9": "a server is found by each of its names",
    "F-10": "what describes a server starts it",
    "F-11": "a registry's description asks for little, and empty answers start",
    "F-12": "a bundle's page speaks plainly; it holds an icon, addresses and no tool of ours",
    "F-13": "the owner is written by hand in one place",
    "F-14": "a release is a list of commands, and none is made while nobody owns it",
    "F-15": "the versions of Python that packages name are those that are tested",
    "F-16": "where nobody is at the terminal the demo declines",
    "F-17": "the demo ends well when it is interrupted, at its question too",
    "F-18": "the demo fits the terminal, ASCII ones included",
    "F-19": "what the Inspector printed is shown, and judged in a line each",
    "F-20": "options are parsed only if there are any, and no refusal shows a secret",
    "F-21": "each setting that is refused is told in its own words",
    "F-22": "a wrong setting ends the process with one line",
    "F-23": "empty lists of prompts and resources are answered early",
    "F-24": "prompts go with their tools, are answered early, and hold values on separate lines",
    "F-25": "the description of an argument stands alone, and listings have budgets",
    "F-26": "presets stand in the README with their price",
}
"""Installing and starting."""
