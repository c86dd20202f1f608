"""What a player does: a policy sees what a player may see, and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from . import v1
from .plunder import v1 as plunder


def answer(question: v1.Question, *picked: str | v1.Question.Option) -> v1.Answer:
    """The answer that picks these options of a question: `answer(question, "attack")`.

    An option that is a word is named by it; one that is a unit or a structure is given as the question has it. A name
    that the question does not have is a mistake of the policy, and a `ValueError`.
    """
    return v1.Answer(question=question.id, options=[_place(question, option) for option in picked])


def default(question: v1.Question) -> v1.Answer:
    """The answer that counts where none comes in time: in an encounter the peaceful one."""
    return v1.Answer(question=question.id, options=question.default)


def encounter(prompt: v1.Prompt, question: v1.Question) -> plunder.Encounter | None:
    """The encounter that a question of a prompt belongs to; none where it belongs to none."""
    encounters = prompt.so_far.plunder.encounters if question.group else []
    return next((each for each in encounters if each.group == question.group), None)


def _place(question: v1.Question, picked: str | v1.Question.Option) -> int:
    wanted = v1.Question.Option(word=picked) if isinstance(picked, str) else picked
    for place, option in enumerate(question.options):
        if option == wanted:
            return place
    options = ", ".join(map(_named, question.options))
    raise ValueError(f"question {question.id} has no option {_named(wanted)}; it has {options}")


def _named(option: v1.Question.Option) -> str:
    choice = option.WhichOneof("choice")
    return option.word if choice in ("word", None) else f"{choice} {getattr(option, choice)}"


class Policy(ABC):
    """A way to play one seat of one match of the naval game.

    The view is always of the state that the turn is planned in.
    """

    @abstractmethod
    def orders(self, view: plunder.View) -> plunder.Sheet:
        """The orders for the turn that the view is of."""

    @abstractmethod
    def answers(self, view: plunder.View, prompt: v1.Prompt) -> Iterable[v1.Answer]:
        """The answers to the questions of a prompt. One that is left out is answered with its default."""
