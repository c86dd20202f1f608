"""A policy in a session, to the end of the match."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from . import v1
from .common import v1 as common
from .plunder import v1 as plunder
from .policy import Policy, default
from .refusal import Refusal
from .session import CallRefused, Session, SessionError, SessionRefused, Snapshot

log = logging.getLogger(__name__)
"""Tells every refused sheet and answer as a warning, which Python writes to standard error unless told otherwise."""


class OtherGame(SessionError):
    """The match is of a game that policies here do not play."""

    def __init__(self) -> None:
        super().__init__("the match is not one of the naval game, which is the only one that policies here play")


@dataclass
class MatchEnd:
    """How a match ended for whoever played it."""

    result: common.MatchResult | None = None
    """Who won; none where the match was stopped."""
    stopped: str | None = None
    """Why it was stopped, where it was and this is known."""
    turn: int = 0
    """The last turn that this player was told of."""
    refused_sheets: int = 0
    """Sheets of the policy that the server refused; an empty one was locked instead."""
    refused_answers: int = 0
    """Windows in which the server refused the policy's answers; the defaults were sent instead."""

    @property
    def refused(self) -> int:
        """How much of what the policy said was refused; 0 if it played by the rules."""
        return self.refused_sheets + self.refused_answers


async def play(session: Session, policy: Policy) -> MatchEnd:
    """Plays a match to its end.

    What comes too late, because the connection was lost or the turn went on, is no error: the next turn is played.
    What the server refuses for what it says is logged as a warning, with the turn, the order, the rule and the reason.
    Whoever is eliminated keeps watching, without the board.
    """
    player = _Player(session, policy)
    async with session:
        while True:
            item = await session.next()
            over = await (player.snapshot(item.view) if isinstance(item, Snapshot) else player.news(item))
            if over:
                return player.end


class _Player:
    """A policy at the table."""

    def __init__(self, session: Session, policy: Policy) -> None:
        self.session = session
        self.policy = policy
        self.view: plunder.View | None = None
        """Of the turn that is played."""
        self.newest = 0
        """The newest turn that the server has spoken of; orders for an older one would come too late."""
        self.locked = 0
        """The newest turn that is planned and locked; it is not planned again when its news come late."""
        self.out = False
        """Eliminated: there is nothing left to do but to watch."""
        self.end = MatchEnd()

    async def news(self, news: v1.News) -> bool:
        """Acts on news; true at the end of the match."""
        match news.WhichOneof("what"):
            case "turn_opened":
                await self.turn(news.turn_opened)
            case "prompt":
                await self.answer(news.prompt)
            case "outcome":
                self.end.turn = news.outcome.turn
                if news.outcome.HasField("ended"):
                    self.end.result = news.outcome.ended.result
                    return True
                await self.turn(news.outcome.next)
            case "match_stopped":
                self.end.stopped = news.match_stopped.reason
                return True
        return False

    async def snapshot(self, snapshot: v1.GetViewResponse) -> bool:
        """Acts on how things are; true at the end of the match."""
        self.view = self.seen()
        turn = self.view.turn if self.view is not None else 0
        self.newest = max(self.newest, turn)
        self.end.turn = max(self.end.turn, turn - 1, 0)
        if snapshot.phase == v1.PHASE_OVER:
            if self.view is not None and self.view.HasField("result"):
                self.end.result = self.view.result
            return True
        if snapshot.phase == v1.PHASE_PLANNING and not snapshot.locked and turn > self.locked:
            await self.plan()
        if snapshot.HasField("prompt"):
            await self.answer(snapshot.prompt)
        return False

    async def turn(self, opened: v1.TurnOpened) -> None:
        """A turn can be planned."""
        self.view = self.seen()
        if opened.turn >= self.newest and opened.turn > self.locked:
            self.newest = opened.turn
            await self.plan()

    async def plan(self) -> None:
        """Locks the policy's orders, or none where they are refused."""
        if self.out:
            return
        view = await self.known_view()
        if view is None:
            return
        if not is_alive(view):
            self.out = True
            self.session.stop_board()
            return
        sheet = self.policy.orders(view)
        self.newest = max(self.newest, view.turn)
        refusal = await self.lock(view.turn, sheet)
        if refusal is not None and refusal.is_about_content:
            self.end.refused_sheets += 1
            tell(f"turn {view.turn}: sheet refused", refusal, "nothing is ordered instead")
            refusal = await self.lock(view.turn, plunder.Sheet())
        if refusal is None:
            self.locked = view.turn
        else:
            self.untimely(refusal)

    async def lock(self, turn: int, sheet: plunder.Sheet) -> Refusal | None:
        try:
            await self.session.lock_in(turn, v1.Sheet(plunder=sheet))
        except CallRefused as refused:
            return refused.refusal
        return None

    async def answer(self, prompt: v1.Prompt) -> None:
        """Answers what is asked, with the defaults where the policy says nothing or its answers are refused.

        A default is sent too, because the turn would wait for it until the deadline, which may never come.
        """
        if prompt.turn < self.newest or not prompt.questions:
            return
        view = await self.known_view()
        if view is None:
            return
        answers = list(self.policy.answers(view, prompt))
        answered = {each.question for each in answers}
        answers += [default(question) for question in prompt.questions if question.id not in answered]
        refusal = await self.send(prompt, answers)
        if refusal is not None and refusal.is_about_content:
            self.end.refused_answers += 1
            where = f"turn {prompt.turn}, window {prompt.window}: answer refused"
            tell(where, refusal, "the defaults count instead")
            refusal = await self.send(prompt, [default(question) for question in prompt.questions])
            # Where questions had been answered already, this is refused again, and they need no answer.
            if refusal is not None and refusal.is_about_content:
                return
        if refusal is not None:
            self.untimely(refusal)

    async def send(self, prompt: v1.Prompt, answers: list[v1.Answer]) -> Refusal | None:
        try:
            await self.session.answer(prompt.turn, prompt.window, answers)
        except CallRefused as refused:
            return refused.refusal
        return None

    async def known_view(self) -> plunder.View | None:
        """The view of the turn, asked for where the session has none; none for those who have no match."""
        if self.view is None:
            try:
                await self.session.get_view()
            except CallRefused as refused:
                self.untimely(refused.refusal)
                return None
            self.view = self.seen()
        return self.view

    def seen(self) -> plunder.View | None:
        """The view that the session has now."""
        return naval(self.session.view) if self.session.view is not None else None

    def untimely(self, refusal: Refusal) -> None:
        """Something came too late, which is no error."""
        if not refusal.is_untimely:
            raise SessionRefused(refusal)
        log.info("too late: %s", refusal)
        self.newest = max(self.newest, refusal.turn)


def naval(view: v1.View) -> plunder.View:
    """The view of a match of the naval game."""
    if view.WhichOneof("game") != "plunder":
        raise OtherGame
    return view.plunder


def tell(what: str, refusal: Refusal, instead: str) -> None:
    """Logs a refusal, a line for each fault."""
    for reason in refusal.reasons():
        log.warning("%s (%s), %s: %s", what, refusal.name, instead, reason)


def is_alive(view: plunder.View) -> bool:
    """Whether the viewer is still in the match."""
    return view.HasField("seat") and any(player.id == view.seat and player.alive for player in view.players)
