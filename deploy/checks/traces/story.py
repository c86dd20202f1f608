"""The match that is traced, played through the real service, and what its traces have to tell.

Six players with a ship each, in three lanes between land. In turn 1 the ships of lane 3 want one tile in tick 2; in
tick 3 those of lane 1 want one tile, and those of lane 2 pass each other. All attack. In turn 2 two contests go on, and
a ship of lane 2 fires a broadside. In turn 3 those who contested sail home, and nobody fights.
"""

import asyncio
import secrets
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bots" / "python"))

from parley import lobby, v1
from parley.common.v1 import Hex
from parley.connect import ConnectError, Token, connect
from parley.plunder import v1 as plunder
from parley.policy import answer
from parley.refusal import Refusal
from parley.session import CallRefused, Session

import grpc
from running import Fault

ANSWERS_WITHIN = 10.0
"""Seconds that the service may take for one call."""
TURNS = 3
SEARCHABLE = 8
"""Bytes that are not found by chance."""
# The last tile of each lane, of which the first is column 0.
LANES = {0: 6, 2: 5, 4: 4}
ROWS = ["H.....H", "#######", "H....H#", "#######", "H...H##"]


@dataclass
class Caller:
    """A span of a caller, which a lock-in came with."""

    turn: int
    sampled: bool
    trace: str = field(default_factory=lambda: secrets.token_hex(16))
    span: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def traceparent(self) -> str:
        """As W3C Trace Context has it."""
        return f"00-{self.trace}-{self.span}-{int(self.sampled):02}"


@dataclass
class Turn:
    """A turn as its players were told it."""

    trace: str
    lock_ins: int
    """Those that came without a span of their caller."""
    windows: list[tuple[int, int]]
    """Ticks in which ships met, and how many encounters waited there."""
    ticks: dict[int, tuple[int, int]]
    """Moves and encounters of each tick in which something happened."""
    fights: list[tuple[int, int, str, int]]
    """Tick, group, kind and exchanges of each fight."""


@dataclass
class Played:
    """A match that was played."""

    id: str
    turns: dict[int, Turn] = field(default_factory=dict)
    callers: list[Caller] = field(default_factory=list)
    secrets: dict[str, bytes] = field(default_factory=dict)
    """What no trace may hold, by what it is."""


def hexes(row: int, columns: range) -> list[Hex]:
    """Tiles of a row."""
    return [Hex(q=column - row // 2, r=row) for column in columns]


def settings() -> v1.MatchSettings:
    """The match."""
    starts = [tile for row, last in LANES.items() for tile in hexes(row, range(0, last + 1, last))]
    chart = plunder.MapChoice(drawn=plunder.DrawnMap(rows=ROWS, starts=starts))
    return v1.MatchSettings(
        game=v1.GameSettings(plunder=plunder.Settings(map=chart, changes={"economy": {"start_ships": 1}})),
        seats=[v1.SeatChoice() for _ in starts],
        planning_time=timedelta(),
        decision_time=timedelta(),
        start_when_full=True,
    )


async def play(address: str) -> Played:
    """Plays the match, and tells what happened."""
    try:
        channel = await connect(address)
        try:
            return await Match(channel).play()
        finally:
            await channel.close()
    except (lobby.LobbyError, ConnectError) as error:
        raise Fault(str(error)) from None
    except CallRefused as error:
        raise Fault(f"the service refused a call of a session: {error.refusal}") from None
    except grpc.aio.AioRpcError as error:
        raise Fault(f"the service refused a call: {Refusal.from_error(error)}") from None


class Match:
    """The match while it is played."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.stub = v1.PlayStub(channel)
        self.tokens: list[str] = []
        self.played = Played("")

    async def play(self) -> Played:
        """From the beginning to the end."""
        created = await lobby.create(self.channel, settings())
        self.played.id = created.match.match_id
        self.hide("the host's token", created.host_token.encode())
        for seat in range(2 * len(LANES)):
            joined = await lobby.join(self.channel, self.played.id, seat=seat)
            self.tokens.append(joined.player_token)
            self.hide(f"the token of seat {seat}", joined.player_token.encode())
        watch = v1.WatchRequest(match_id=self.played.id, after=0, views=True)
        news = [
            self.stub.Watch(watch, metadata=Token(token).metadata, timeout=ANSWERS_WITHIN * TURNS)
            for token in self.tokens
        ]
        opened = await self.next(news[0], "turn_opened")
        view = opened.turn_opened.view.plunder
        for turn in range(1, TURNS + 1):
            if view.turn != turn or len(view.units) != len(self.tokens):
                raise Fault(f"turn {turn} does not begin with {len(self.tokens)} ships")
            quiet = await self.lock_all(turn, view)
            windows = await self.answer_all(turn, news, 2 if turn == 1 else 0)
            outcome = (await self.next(news[0], "outcome")).outcome
            if outcome.turn != turn or len(outcome.trace_id) != 16:
                raise Fault(f"the outcome of turn {turn} names no trace")
            ticks, fights = told(outcome.shared.plunder.events)
            self.played.turns[turn] = Turn(outcome.trace_id.hex(), quiet, windows, ticks, fights)
            view = outcome.next.view.plunder
        for stream in news:
            stream.cancel()
        return self.played

    def hide(self, what: str, secret: bytes) -> None:
        """Something that no trace may hold."""
        if len(secret) < SEARCHABLE:
            raise Fault(f"{what} is too short to be searched for")
        self.played.secrets[what] = secret

    async def next(self, stream: grpc.aio.UnaryStreamCall, kind: str) -> v1.News:
        """The next news of a kind."""
        while True:
            try:
                answer = await asyncio.wait_for(stream.read(), ANSWERS_WITHIN)
            except asyncio.TimeoutError:
                raise Fault(f"nobody was told of {kind} within {ANSWERS_WITHIN:.0f} s") from None
            if answer is grpc.aio.EOF:
                raise Fault(f"the news ended before {kind}")
            if answer.news.WhichOneof("what") == kind:
                return answer.news

    async def lock_all(self, turn: int, view: plunder.View) -> int:
        """Locks everybody in, and tells how many said nothing of a trace of their own."""
        units = {unit.owner: unit for unit in view.units}
        quiet = 0
        for seat, token in enumerate(self.tokens):
            ordered = orders(turn, seat, units[seat].id)
            sheet = v1.Sheet(plunder=ordered)
            said = ordered.SerializeToString()
            # The bytes of the sheet that is sent have these within them, and so does whatever holds that sheet.
            # Shorter ones would be found by chance; attributes that could hold them are not allowed either.
            if len(said) >= SEARCHABLE:
                self.hide(f"the orders of seat {seat} in turn {turn}", said)
            caller = None
            # Seat 0 keeps its trace, seat 1 does not. Seat 2 says it within a session.
            if turn == 1 and seat < 3:
                caller = Caller(turn, sampled=seat != 1)
                self.played.callers.append(caller)
            quiet += caller is None
            if seat == 2:
                traceparent = caller.traceparent if caller else ""
                async with Session(
                    self.channel, self.played.id, Token(token), after=0, views=False, traceparent=traceparent
                ) as session:
                    await asyncio.wait_for(session.lock_in(turn, sheet), ANSWERS_WITHIN)
                continue
            request_id = lobby.fresh_id()
            self.hide(f"the request of seat {seat} in turn {turn}", request_id.encode())
            request = v1.LockInRequest(request_id=request_id, match_id=self.played.id, turn=turn, sheet=sheet)
            metadata = Token(token).metadata + ([("traceparent", caller.traceparent)] if caller else [])
            locked = await self.stub.LockIn(request, metadata=metadata, timeout=ANSWERS_WITHIN)
            self.hide(f"the receipt of seat {seat} in turn {turn}", locked.receipt.SerializeToString())
        return quiet

    async def answer_all(self, turn: int, news: list[grpc.aio.UnaryStreamCall], windows: int) -> list[tuple[int, int]]:
        """Attacks wherever ships met, and tells where that was."""
        found = []
        for tick, seats in ((2, (4, 5)), (3, (0, 1, 2, 3)))[:windows]:
            places = set()
            for seat in seats:
                prompt = (await self.next(news[seat], "prompt")).prompt
                # Each seat is asked once, so that its own window is the first whatever others were asked before.
                if (prompt.turn, prompt.window) != (turn, 1):
                    asked = f"window {prompt.window} of turn {prompt.turn}"
                    raise Fault(f"seat {seat} is asked in {asked}, and has to be in window 1 of turn {turn}")
                if {question.tick for question in prompt.questions} != {tick}:
                    raise Fault(f"seat {seat} is not asked about tick {tick} of turn {turn}, or not about it alone")
                places |= {encounter.site.SerializeToString() for encounter in prompt.so_far.plunder.encounters}
                request_id = lobby.fresh_id()
                self.hide(f"the answer of seat {seat} in turn {turn}", request_id.encode())
                request = v1.AnswerRequest(
                    request_id=request_id,
                    match_id=self.played.id,
                    turn=turn,
                    window=prompt.window,
                    answers=[answer(question, "attack") for question in prompt.questions],
                )
                await self.stub.Answer(request, metadata=Token(self.tokens[seat]).metadata, timeout=ANSWERS_WITHIN)
            found.append((tick, len(places)))
        return found


def orders(turn: int, seat: int, unit: int) -> plunder.Sheet:
    """What a seat orders."""
    row, last = list(LANES.items())[seat // 2]
    lane = hexes(row, range(last + 1))
    if seat % 2 == 1:
        lane.reverse()
    if turn == 1:
        order = plunder.UnitOrder(unit=unit, move=plunder.Move(path=lane[1 : 3 if last == 4 else 4]))
    elif turn == 2 and row == 2:
        order = plunder.UnitOrder(unit=unit, hold=plunder.Hold(), broadside=seat == 2)
    elif turn == 3 and row != 2:
        order = plunder.UnitOrder(unit=unit, move=plunder.Move(path=lane[(last - 1) // 2 - 1 :: -1]))
    else:
        return plunder.Sheet()
    return plunder.Sheet(units=[order])


def told(events: list[plunder.Event]) -> tuple[dict[int, tuple[int, int]], list[tuple[int, int, str, int]]]:
    """The ticks and the fights of a turn, as its outcome tells them."""
    ticks: dict[int, tuple[int, int]] = {}
    fights: dict[tuple[int, int], tuple[str, int]] = {}
    met: dict[int, str] = {}
    others = {plunder.STAGE_CONTESTS: "contest", plunder.STAGE_BROADSIDES: "broadside"}
    for event in events:
        what = event.WhichOneof("what")
        if what not in ("moved", "gave_way", "waited", "blocked", "met", "exchanged"):
            continue
        moves, meetings = ticks.get(event.tick, (0, 0))
        ticks[event.tick] = (moves + (what == "moved"), meetings + (what == "met"))
        if what == "met":
            met[event.group] = "passing" if event.met.kind == plunder.ENCOUNTER_KIND_PASSING else "entry"
        if what == "exchanged":
            kind = others.get(event.stage) or met[event.group]
            _, exchanges = fights.get((event.tick, event.group), (kind, 0))
            fights[event.tick, event.group] = (kind, exchanges + 1)
    return ticks, [(tick, group, kind, count) for (tick, group), (kind, count) in fights.items()]
