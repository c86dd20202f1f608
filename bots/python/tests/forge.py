"""Replays made here, by the verifier's own rules and with a key of its own, to be damaged in every way."""

import json
import uuid
from random import Random
from typing import Any

import scenario
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from parley import v1
from parley.common.v1 import Hex as WireHex
from parley.plunder import v1 as plunder
from parley.proof import receipt
from parley.proof.digest import digest, first_digest, match_seed, next_digest
from parley.proof.encode import encode
from parley.proof.hexes import Hex
from parley.proof.legality import judge
from parley.proof.orders import Choice, read_sheet
from parley.proof.replayfile import Replay
from parley.proof.resolve import resolve
from parley.proof.state import Draw, State, Winner
from parley.proof.turn import Ask, Question

KEY = Ed25519PrivateKey.from_private_bytes(digest(b"a key of tests"))
PUBLIC = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
SECRET = digest(b"a secret of tests")
MATCH = uuid.UUID("01020304-0506-7708-890a-0b0c0d0e0f10")
TURNS = 6


def forged(turns: int = TURNS) -> Replay:
    """A sound replay of a match in which everybody sails at the nearest enemy."""
    first = json.loads((scenario.ROOT / "data/golden/tiny-4-wrapped.jsonl").read_text().splitlines()[0])
    first["rules"] = {"turn_limit": turns}
    match = scenario.read(first)
    rules, grid, state = match.rules, match.grid, match.state
    random = Random(4)
    seats = [
        v1.ReplaySeat(seat=0, name="Ann", added=bytes(range(32))),
        v1.ReplaySeat(seat=1, name="Ben"),
        v1.ReplaySeat(seat=2, name="Cleo", added=bytes(32)),
        v1.ReplaySeat(seat=3, policy="wander"),
    ]
    seed = match_seed(SECRET, (seat.added for seat in seats))
    before = first_digest(rules.text, grid, state)
    header = v1.ReplayHeader(
        format=2,
        match_id=str(MATCH),
        rules=rules.text,
        rules_hash=digest(rules.text.encode()),
        map=v1.ReplayMap(width=grid.width, height=grid.height, wrap=grid.wrap, terrain=grid.terrain),
        initial_state=encode(state, grid),
        genesis_digest=before,
        seats=seats,
        seed_commitment=digest(SECRET),
        receipt_key=PUBLIC,
        ruleset="plunder",
    )
    replay = Replay(header, v1.ReplayEnd(secret=SECRET))
    while state.result is None:
        turn = v1.ReplayTurn(turn=state.turn)
        sheets = {}
        for player in state.living():
            wire = orders(match, state, player.id)
            # Ben comes too late in the second turn, and has nothing in the third.
            late = player.id == 1 and state.turn in (2, 3)
            said = v1.Sheet(plunder=wire)
            if player.id == 1 and state.turn == 3:
                wire, said = plunder.Sheet(), v1.Sheet()
            sheets[player.id], faults = judge(rules, grid, state, player.id, read_sheet(wire))
            assert not faults
            origin = (
                v1.SHEET_ORIGIN_LOCKED
                if not late
                else v1.SHEET_ORIGIN_AT_DEADLINE
                if state.turn == 2
                else v1.SHEET_ORIGIN_ABSENT
            )
            turn.sheets.add(seat=player.id, origin=origin, sheet=said.SerializeToString())
        outcome = resolve(rules, grid, state, seed, sheets, recorder(turn, random))
        state = outcome.state
        before = next_digest(before, grid, state)
        turn.state, turn.digest = encode(state, grid), before
        replay.turns.append(turn)
    match_end(replay, state)
    replay.end.final_digest = before
    sign(replay)
    return replay


def match_end(replay: Replay, state: State) -> None:
    if isinstance(state.result, Winner):
        replay.end.winner = state.result.player
    elif isinstance(state.result, Draw):
        replay.end.draw.seats.extend(state.result.players)


def orders(match: scenario.Scenario, state: State, player: int) -> plunder.Sheet:
    sheet = plunder.Sheet()
    enemies = [unit.hex for unit in state.units.values() if unit.owner != player]
    for unit in state.ships_of(player):
        at, path = unit.hex, []
        for _ in range(3):
            ways = [hex for hex in match.grid.neighbours(at) if match.rules.navigable(match.grid, hex, unit.kind)]
            at = min(ways, key=lambda hex: nearest(match, hex, enemies))
            path.append(WireHex(q=at[0], r=at[1]))
        sheet.units.add(unit=unit.id, move=plunder.Move(path=path), broadside=True)
    for yard in state.structures_of(player):
        if not yard.queue:
            sheet.structures.add(structure=yard.id, build="ship")
    return sheet


def nearest(match: scenario.Scenario, at: Hex, enemies: list[Hex]) -> int:
    return min((match.grid.distance(at, enemy) for enemy in enemies), default=0)


def recorder(turn: v1.ReplayTurn, random: Random) -> Ask:
    """Answers at random, or not at all, and writes it down."""

    def ask(questions: list[Question]) -> dict[int, Choice]:
        given: dict[int, Choice] = {}
        told = []
        # Lots are drawn by ship, so that what happens does not depend on how questions are numbered.
        for each in sorted(questions, key=lambda each: each.unit):
            option = random.choice((1, 1, 0, None))
            if option is not None:
                given[each.unit] = each.options[option]
            picked = [option or 0]
            told.append(v1.ReplayAnswer(seat=each.seat, question=each.number, options=picked, defaulted=option is None))
        turn.windows.add(answers=sorted(told, key=lambda each: (each.seat, each.question)))
        return given

    return ask


def sign(replay: Replay, key: Ed25519PrivateKey = KEY) -> None:
    """Gives every locked sheet of a player its receipt, as the server would for what the replay says now."""
    last: dict[int, bytes] = {}
    for turn in replay.turns:
        for sheet in turn.sheets:
            sheet.ClearField("receipt")
            if sheet.origin == v1.SHEET_ORIGIN_LOCKED:
                previous = last.get(sheet.seat, replay.header.seed_commitment)
                match = uuid.UUID(replay.header.match_id)
                said = receipt.Promised(match, turn.turn, sheet.seat, sheet.sheet, previous)
                sheet.receipt.CopyFrom(signed(said, key))
                last[sheet.seat] = digest(said.bytes())


def signed(said: receipt.Promised, key: Ed25519PrivateKey) -> v1.Receipt:
    """A promise as one leaf of a tree, built level by level from all its leaves."""
    leaf = (said.turn * 7 + said.seat * 11) % 32
    salt = digest(said.bytes() + b"salt")[:16]
    nodes = [digest(b"nobody %d" % place) for place in range(32)]
    nodes[leaf] = digest(said.bytes() + salt)
    path, place = b"", leaf
    while len(nodes) > 1:
        path += nodes[place ^ 1]
        nodes = [digest(b"parley receipt 2" + nodes[at] + nodes[at + 1]) for at in range(0, len(nodes), 2)]
        place //= 2
    fields: dict[str, Any] = {"match_id": str(said.match), "turn": said.turn, "seat": said.seat}
    return v1.Receipt(
        **fields,
        sheet_hash=digest(said.sheet),
        previous=said.previous,
        signature=key.sign(b"parley receipt 3" + nodes[0]),
        salt=salt,
        leaf=leaf,
        path=path,
    )
