"""Replays that were tampered with: each kind is found, and named with turn, tick, subject or question, and field."""

import copy
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import forge
import pytest

from parley import v1
from parley.plunder import v1 as plunder
from parley.proof.digest import digest
from parley.proof.encode import decode, encode
from parley.proof.hexes import Grid
from parley.proof.prove import Unproven, prove
from parley.proof.replayfile import FIRST_LINE, FileFault, Replay, read, write
from parley.proof.state import Build, Engagement, State
from parley.verify import main

SOUND = forge.forged()
Damage = Callable[[Replay], None]


def copied() -> Replay:
    return read(write(SOUND))


def grid_of(replay: Replay) -> Grid:
    told = replay.header.map
    return Grid(told.width, told.height, told.wrap, told.terrain)


def with_state(replay: Replay, turn: int, change: Callable[[State], None]) -> None:
    """Changes the state that a turn is said to have led to."""
    grid = grid_of(replay)
    record = replay.turns[turn - 1]
    state = decode(record.state, grid)
    change(state)
    record.state = encode(state, grid)


def with_opening(replay: Replay, change: Callable[[State], None]) -> None:
    grid = grid_of(replay)
    state = decode(replay.header.initial_state, grid)
    change(state)
    replay.header.initial_state = encode(state, grid)


def with_sheet(replay: Replay, turn: int, seat: int, change: Callable[[plunder.Sheet], None]) -> None:
    """Changes what a player is said to have ordered."""
    record = replay.turns[turn - 1].sheets[seat]
    sheet = v1.Sheet.FromString(record.sheet)
    change(sheet.plunder)
    record.sheet = sheet.SerializeToString()


def with_rules(replay: Replay, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes the rules and their hash with them."""
    tree = json.loads(replay.header.rules)
    change(tree)
    replay.header.rules = json.dumps(tree, separators=(",", ":"))
    replay.header.rules_hash = digest(replay.header.rules.encode())


DAMAGES: list[tuple[str, str]] = []
ACTIONS: dict[str, Damage] = {}


def damage(expected: str) -> Callable[[Damage], Damage]:
    """A kind of tampering and what is said of it; the beginning is enough."""

    def take(action: Damage) -> Damage:
        DAMAGES.append((action.__name__, expected))
        ACTIONS[action.__name__] = action
        return action

    return take


@damage("the header: match_id is no UUID")
def no_match(replay: Replay) -> None:
    replay.header.match_id = "x"


@damage("turn 1: seat 0, receipt: match_id is 01020304")
def another_match(replay: Replay) -> None:
    replay.header.match_id = replay.header.match_id.replace("01", "02", 1)


@damage("the header: rules_hash is not the hash of the rules (R13.3)")
def other_rules(replay: Replay) -> None:
    replay.header.rules = replay.header.rules.replace('"damage":2', '"damage":3', 1)


@damage("the header: genesis_digest is not")
def other_rules_with_their_hash(replay: Replay) -> None:
    with_rules(replay, lambda tree: tree["combat"].update(damage=3))


@damage("the header: rules cannot be played by: the rules: the key 'fog' is missing")
def less_rules(replay: Replay) -> None:
    with_rules(replay, lambda tree: tree.pop("fog"))


@damage("the header: rules cannot be played by: the stages are not in the order of R5.6")
def other_stages(replay: Replay) -> None:
    with_rules(replay, lambda tree: tree["stages"].reverse())


@damage("the header: rules are not the text that a hash is made of (R13.3)")
def rules_written_otherwise(replay: Replay) -> None:
    replay.header.rules += " "
    replay.header.rules_hash = digest(replay.header.rules.encode())


@damage("the header: genesis_digest is not")
def another_map(replay: Replay) -> None:
    terrain = bytearray(replay.header.map.terrain)
    terrain[terrain.index(1)] = 0
    replay.header.map.terrain = bytes(terrain)


@damage("the header: map is no rectangle of tiles")
def a_map_that_is_none(replay: Replay) -> None:
    replay.header.map.width += 1


@damage("the header: map has a terrain that the rules do not know")
def a_terrain_that_is_none(replay: Replay) -> None:
    replay.header.map.terrain = b"\xff" * len(replay.header.map.terrain)


@damage("the header: initial_state is no encoded state: it ends too early")
def half_an_opening(replay: Replay) -> None:
    replay.header.initial_state = replay.header.initial_state[:-1]


@damage("the header: initial_state is no encoded state: a list is longer than the rest of it")
def an_endless_opening(replay: Replay) -> None:
    replay.header.initial_state = struct.pack("<BIBIII", 1, 1, 0, 1, 1, 0xFFFFFFFF)


@damage("the initial state, player 2: it is unfair: it does not start with what everybody does (R11.1)")
def somebody_starts_rich(replay: Replay) -> None:
    def rich(state: State) -> None:
        state.players[2].gold += 1

    with_opening(replay, rich)


@damage("the initial state, unit 4: it cannot be: hp is 11 (R4)")
def somebody_starts_strong(replay: Replay) -> None:
    def strong(state: State) -> None:
        state.units[4].hp = 11

    with_opening(replay, strong)


@damage("the initial state, unit 4: it is unfair: it is not a new ship of the first class (R11.1)")
def somebody_starts_fast(replay: Replay) -> None:
    def fast(state: State) -> None:
        state.units[4].sails = 1

    with_opening(replay, fast)


@damage("the initial state, structure 3: it is unfair: it is not a new shipyard (R11.1)")
def somebody_starts_building(replay: Replay) -> None:
    with_opening(replay, lambda state: state.structures[3].queue.append(Build(0, 1)))


@damage("the header: seats are not the players of the initial state")
def a_seat_less(replay: Replay) -> None:
    del replay.header.seats[-1]


@damage("the header: genesis_digest is not")
def another_beginning(replay: Replay) -> None:
    replay.header.genesis_digest = digest(b"")


@damage("the end: secret is not the one that seed_commitment promised (R13.4)")
def another_secret(replay: Replay) -> None:
    replay.end.secret = digest(b"another")


@damage("turn 1: seat 0, receipt: previous is")
def another_secret_and_commitment(replay: Replay) -> None:
    replay.end.secret = digest(b"another")
    replay.header.seed_commitment = digest(replay.end.secret)


@damage("turn 1, tick 255: player 1: gold is 71 in the file and 96 by the rules")
def other_dice(replay: Replay) -> None:
    """Other bytes that a player added lead to other dice."""
    replay.header.seats[0].added = bytes(32)


@damage("the header, seat 1: added has 3 bytes (R13.4)")
def too_few_bytes_added(replay: Replay) -> None:
    replay.header.seats[1].added = b"abc"


@damage("turn 1: seat 0, receipt: signature is not one of this key")
def another_key(replay: Replay) -> None:
    replay.header.receipt_key = bytes(32)


@damage("turn 3: the turn: turn is not the next one, 2")
def a_turn_left_out(replay: Replay) -> None:
    del replay.turns[1]


@damage("turn 2: the turn: turn is not the next one, 1")
def turns_in_another_order(replay: Replay) -> None:
    replay.turns[:2] = [replay.turns[1], replay.turns[0]]


@damage("turn 7: the turn: it comes after the end (R12.2)")
def a_turn_after_the_end(replay: Replay) -> None:
    another = copy.deepcopy(replay.turns[-1])
    another.turn += 1
    replay.turns.append(another)


@damage("the end: final_digest is not")
def the_last_turn_left_out(replay: Replay) -> None:
    del replay.turns[-1]


@damage("the end: end is not what the last state says (R12.2)")
def the_last_turn_hidden(replay: Replay) -> None:
    del replay.turns[-1]
    replay.end.final_digest = replay.turns[-1].digest


@damage("turn 2: the turn: sheets are not one for every living player")
def a_sheet_left_out(replay: Replay) -> None:
    del replay.turns[1].sheets[2]


@damage("turn 2: seat 0: sheet cannot be read")
def a_sheet_that_is_none(replay: Replay) -> None:
    replay.turns[1].sheets[0].sheet = b"\xff"


@damage("turn 2: seat 0: sheet is not one of plunder, the game that was played")
def a_sheet_of_another_game(replay: Replay) -> None:
    """The arm has another number."""
    said = replay.turns[1].sheets[0].sheet
    replay.turns[1].sheets[0].sheet = b"\x12" + said[1:]
    forge.sign(replay)


@damage("turn 2: seat 0: sheet is not one of plunder, the game that was played")
def a_locked_sheet_of_no_game(replay: Replay) -> None:
    replay.turns[1].sheets[0].sheet = b""
    forge.sign(replay)


@damage("turn 2: seat 1: sheet is not one of plunder, the game that was played")
def a_staged_sheet_of_no_game(replay: Replay) -> None:
    replay.turns[1].sheets[1].sheet = b""


@damage("turn 3: seat 1: sheet is not empty, and nothing was staged")
def a_sheet_of_nobody(replay: Replay) -> None:
    """It orders nothing, but it is there."""
    replay.turns[2].sheets[1].sheet = v1.Sheet(plunder=plunder.Sheet()).SerializeToString()


@damage("turn 2: seat 2, receipt: sheet_hash is")
def another_order(replay: Replay) -> None:
    with_sheet(replay, 2, 2, lambda sheet: sheet.units[0].hold.SetInParent())


@damage("turn 2: seat 2, receipt: signature is not one of this key under this promise")
def another_order_with_its_hash(replay: Replay) -> None:
    another_order(replay)
    record = replay.turns[1].sheets[2]
    record.receipt.sheet_hash = digest(record.sheet)


@damage("turn 2, tick 2: seat 0, question 1 about unit 1: the window in which it is asked is missing (R7.2)")
def another_order_that_the_server_signed(replay: Replay) -> None:
    another_order(replay)
    forge.sign(replay)


@damage("turn 2: seat 2, unit 7: its order is refused: a path has 1 to 64 steps (R5.5)")
def an_order_that_is_not_legal(replay: Replay) -> None:
    with_sheet(replay, 2, 2, lambda sheet: sheet.units[0].move.ClearField("path"))
    forge.sign(replay)


@damage("turn 2: seat 2, unit 1: its order is refused: the player has no such unit (R1)")
def an_order_for_somebody_else(replay: Replay) -> None:
    def foreign(sheet: plunder.Sheet) -> None:
        sheet.units[0].unit = 1

    with_sheet(replay, 2, 2, foreign)
    forge.sign(replay)


@damage("turn 2, tick 1: seat 1, question 3: its answer is told, and it was not asked in this window (R7.2)")
def an_order_at_the_deadline(replay: Replay) -> None:
    """Nobody signed for it, but the outcome shows it."""
    with_sheet(replay, 2, 1, lambda sheet: sheet.units[0].hold.SetInParent())


@damage("turn 3: seat 1: sheet is not empty, and nothing was staged")
def an_order_of_nobody(replay: Replay) -> None:
    with_sheet(replay, 3, 1, lambda sheet: sheet.units.add(unit=1).hold.SetInParent())


@damage("turn 2: seat 0: receipt is missing for a sheet that was locked in")
def no_receipt(replay: Replay) -> None:
    replay.turns[1].sheets[0].ClearField("receipt")


@damage("turn 2: seat 1: receipt is given for a sheet that was not locked in")
def a_receipt_too_many(replay: Replay) -> None:
    replay.turns[1].sheets[1].receipt.turn = 2


@damage("turn 3: seat 0, receipt: previous is")
def a_lock_in_passed_off_as_late(replay: Replay) -> None:
    """Leaving out one receipt breaks the next one."""
    replay.turns[1].sheets[0].origin = v1.SHEET_ORIGIN_AT_DEADLINE
    replay.turns[1].sheets[0].ClearField("receipt")


@damage("turn 2: seat 0, receipt: turn is 1 and has to be 2")
def a_receipt_of_another_turn(replay: Replay) -> None:
    replay.turns[1].sheets[0].receipt.CopyFrom(replay.turns[0].sheets[0].receipt)


@damage("turn 2: seat 0, receipt: seat is 2 and has to be 0")
def a_receipt_of_another_seat(replay: Replay) -> None:
    replay.turns[1].sheets[0].receipt.CopyFrom(replay.turns[1].sheets[2].receipt)


@damage("turn 2: seat 0, receipt: signature is not one of this key under this promise")
def another_signature(replay: Replay) -> None:
    wrong = bytearray(replay.turns[1].sheets[0].receipt.signature)
    wrong[5] ^= 1
    replay.turns[1].sheets[0].receipt.signature = bytes(wrong)


@damage("turn 2: seat 0, receipt: signature is not one of this key under this promise")
def no_signature(replay: Replay) -> None:
    replay.turns[1].sheets[0].receipt.signature = b""


@damage("turn 2: seat 0, receipt: signature is not one of this key under this promise")
def another_salt(replay: Replay) -> None:
    replay.turns[1].sheets[0].receipt.salt = bytes(16)


@damage("turn 2: seat 0, receipt: salt has 3 bytes and not 16")
def half_a_salt(replay: Replay) -> None:
    replay.turns[1].sheets[0].receipt.salt = b"abc"


@damage("turn 2: seat 0, receipt: signature is not one of this key under this promise")
def another_leaf(replay: Replay) -> None:
    replay.turns[1].sheets[0].receipt.leaf ^= 1


@damage("turn 2: seat 0, receipt: leaf is 32 and has to be below 32")
def a_leaf_beyond_the_tree(replay: Replay) -> None:
    replay.turns[1].sheets[0].receipt.leaf = 32


@damage("turn 2: seat 0, receipt: path has 128 bytes and not 160")
def a_shorter_path(replay: Replay) -> None:
    record = replay.turns[1].sheets[0].receipt
    record.path = record.path[:-32]


@damage("turn 2: seat 0, receipt: signature is not one of this key under this promise")
def another_path(replay: Replay) -> None:
    record = replay.turns[1].sheets[0].receipt
    record.path = bytes(32) + record.path[32:]


@damage("turn 2: the state: turn is 9 in the file and 3 by the rules")
def another_next_turn(replay: Replay) -> None:
    with_state(replay, 2, lambda state: setattr(state, "turn", 9))


@damage("turn 2, tick 1: unit 6: hp is 4 in the file and 6 by the rules")
def another_answer(replay: Replay) -> None:
    told = replay.turns[1].windows[0].answers[2]
    assert (told.seat, told.question, [*told.options]) == (1, 3, [1])
    told.options[:] = [0]


@damage("turn 2, tick 1: seat 1, question 1 about unit 4: options name 2, and there are 0 PROCEED and 1 ATTACK (R7.2)")
def an_option_that_is_not_there(replay: Replay) -> None:
    replay.turns[1].windows[0].answers[0].options[:] = [2]


@damage("turn 2, tick 1: seat 1, question 1 about unit 4: options are 0 and have to be one (R7.2)")
def no_option(replay: Replay) -> None:
    replay.turns[1].windows[0].answers[0].ClearField("options")


@damage("turn 2, tick 1: seat 1, question 1 about unit 4: options are 2 and have to be one (R7.2)")
def both_options(replay: Replay) -> None:
    replay.turns[1].windows[0].answers[0].options[:] = [0, 1]


@damage(
    "turn 2, tick 1: seat 1, question 1 about unit 4: options name ATTACK and were defaulted, which is PROCEED (R7.2)"
)
def an_answer_passed_off_as_missing(replay: Replay) -> None:
    replay.turns[1].windows[0].answers[0].defaulted = True


@damage("turn 2, tick 1: seat 3, question 1 about unit 10: its answer is missing (R7.2)")
def an_answer_left_out(replay: Replay) -> None:
    del replay.turns[1].windows[0].answers[3]


@damage("turn 2, tick 1: seat 1, question 1 about unit 4: its answer is missing (R7.2)")
def all_answers_left_out(replay: Replay) -> None:
    replay.turns[1].windows[0].ClearField("answers")


@damage("turn 2, tick 1: seat 1, question 3 about unit 6: its answer is told twice (R7.2)")
def an_answer_told_twice(replay: Replay) -> None:
    """The second one says something else."""
    answers = replay.turns[1].windows[0].answers
    answers.insert(3, v1.ReplayAnswer(seat=1, question=3, options=[0]))


@damage("turn 2, tick 1: seat 1, question 1 about unit 4: its answer is not in its place, by seat and then by question")
def answers_in_another_order(replay: Replay) -> None:
    answers = replay.turns[1].windows[0].answers
    first, second = copy.deepcopy(answers[0]), copy.deepcopy(answers[1])
    answers[0].CopyFrom(second)
    answers[1].CopyFrom(first)


@damage("turn 2, tick 1: seat 1, question 1 about unit 4: its answer is not in its place, by seat and then by question")
def seats_in_another_order(replay: Replay) -> None:
    replay.turns[1].windows[0].answers.sort(key=lambda each: (-each.seat, each.question))


@damage("turn 2, tick 1: seat 1, question 4: its answer is told, and it was not asked in this window (R7.2)")
def an_answer_too_many(replay: Replay) -> None:
    replay.turns[1].windows[0].answers.insert(3, v1.ReplayAnswer(seat=1, question=4, options=[0]))


@damage("turn 2, tick 1: seat 0, question 1: its answer is told, and it was not asked in this window (R7.2)")
def an_answer_of_somebody_else(replay: Replay) -> None:
    replay.turns[1].windows[0].answers[0].seat = 0


@damage("turn 4, tick 2: seat 0, question 1: its answer is told, and it was not asked in this window (R7.2)")
def questions_counted_anew_in_each_window(replay: Replay) -> None:
    """Numbers go on from one window of a turn to the next."""
    for each in replay.turns[3].windows[1].answers:
        each.question -= 3


@damage("turn 4, tick 1: seat 0, question 4: its answer is told, and it was not asked in this window (R7.2)")
def windows_in_another_order(replay: Replay) -> None:
    windows = replay.turns[3].windows
    first, second = copy.deepcopy(windows[0]), copy.deepcopy(windows[1])
    windows[0].CopyFrom(second)
    windows[1].CopyFrom(first)


@damage("turn 4, tick 1: seat 0, question 4: its answer is told, and it was not asked in this window (R7.2)")
def two_windows_in_one(replay: Replay) -> None:
    windows = replay.turns[3].windows
    windows[0].answers.extend(windows[1].answers)
    windows[0].answers.sort(key=lambda each: (each.seat, each.question))
    del windows[1]


@damage("turn 2, tick 1: seat 1, question 1 about unit 4: the window in which it is asked is missing (R7.2)")
def a_window_left_out(replay: Replay) -> None:
    del replay.turns[1].windows[0]


@damage("turn 1: window 1: it is told, and nobody was asked in it (R7.2)")
def a_window_too_many(replay: Replay) -> None:
    replay.turns[0].windows.add().answers.add(seat=0, question=1, options=[0])


@damage("turn 2: window 2: it is told, and nobody was asked in it (R7.2)")
def an_empty_window_too_many(replay: Replay) -> None:
    replay.turns[1].windows.add()


@damage("turn 4: player 1: alive is True in the file and False by the rules")
def somebody_who_did_not_concede(replay: Replay) -> None:
    replay.turns[3].sheets[1].conceded = True


@damage("turn 1: player 3: gold is ")
def gold_from_nowhere(replay: Replay) -> None:
    def rich(state: State) -> None:
        state.players[3].gold += 1

    with_state(replay, 1, rich)


@damage("turn 2, tick 1: unit 5: hp is 5 in the file and 4 by the rules")
def a_ship_that_was_spared(replay: Replay) -> None:
    def spared(state: State) -> None:
        state.units[5].hp += 1

    with_state(replay, 2, spared)


@damage("turn 1, tick 3: unit 1: it is not there in the file and there by the rules")
def a_ship_that_vanished(replay: Replay) -> None:
    def vanished(state: State) -> None:
        del state.units[1]

    with_state(replay, 1, vanished)


@damage("turn 1: unit 3: engagement is FIGHT in the file and ASK by the rules")
def another_engagement(replay: Replay) -> None:
    def other(state: State) -> None:
        state.units[3].engagement = Engagement.FIGHT

    with_state(replay, 1, other)


@damage("turn 1: structure 2: queue is ")
def another_queue(replay: Replay) -> None:
    with_state(replay, 1, lambda state: state.structures[2].queue.clear())


@damage("turn 1: the turn: state is no encoded state: something follows after its end (R13.3)")
def more_than_a_state(replay: Replay) -> None:
    replay.turns[0].state += b"\0"


@damage("turn 3: the turn: digest is not")
def another_digest(replay: Replay) -> None:
    replay.turns[2].digest = digest(b"")


@damage("the end: final_digest is not")
def another_last_digest(replay: Replay) -> None:
    replay.end.final_digest = digest(b"")


@damage("the end: end is not what the last state says (R12.2)")
def another_winner(replay: Replay) -> None:
    replay.end.winner = 3 if replay.end.winner != 3 else 2


@damage("the end: end is not what the last state says (R12.2)")
def nobody_won(replay: Replay) -> None:
    replay.end.stopped.reason = "rain"


@damage("the end: end is not what the last state says (R12.2)")
def no_end(replay: Replay) -> None:
    replay.end.ClearField("winner")
    replay.end.ClearField("draw")


@pytest.mark.parametrize(("name", "expected"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_damage(name: str, expected: str) -> None:
    replay = copied()
    ACTIONS[name](replay)
    with pytest.raises(Unproven) as found:
        prove(read(write(replay)))
    assert str(found.value).startswith(expected), found.value


def test_a_sound_replay_is_proven() -> None:
    proof = prove(copied(), forge.PUBLIC)
    assert (proof.turns, proof.digests, proof.receipts) == (6, 7, 22)
    assert (proof.house_sheets, proof.deadline_sheets, proof.added) == (0, 2, 2)
    assert proof.exchanges > 20 and proof.answers > 30


def test_a_match_that_was_stopped_is_proven() -> None:
    replay = copied()
    del replay.turns[3:]
    replay.end.final_digest = replay.turns[-1].digest
    replay.end.stopped.reason = "rain"
    assert prove(replay).turns == 3


def test_bytes_that_are_turned_anywhere_are_noticed() -> None:
    """Every byte of the file matters, apart from names and times."""
    data = write(SOUND)
    unnoticed = []
    for at in range(len(FIRST_LINE), len(data), 131):
        turned = bytearray(data)
        turned[at] ^= 0x10
        try:
            prove(read(bytes(turned)))
        except (Unproven, FileFault):
            continue
        unnoticed.append(at)
    assert all(is_believed(data, at) for at in unnoticed), unnoticed


def is_believed(data: bytes, at: int) -> bool:
    """Names prove nothing, and nobody signs for what a deadline took."""
    late = SOUND.turns[1].sheets[1].sheet
    parts = [seat.name.encode() or seat.policy.encode() for seat in SOUND.header.seats] + [late]
    return any(data.index(part) <= at < data.index(part) + len(part) for part in parts)


def test_a_house_bot_needs_no_receipts() -> None:
    replay = copied()
    for turn in replay.turns:
        turn.sheets[3].ClearField("receipt")
    proof = prove(replay)
    assert (proof.receipts, proof.house_sheets) == (16, 6)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "it does not begin with the line 'PARLEY-REPLAY 2'"),
        (b"PARLEY-REPLAY 3\n", "it does not begin with the line 'PARLEY-REPLAY 2'"),
        (b"PARLEY-REPLAY 10\n", "it does not begin with the line 'PARLEY-REPLAY 2'"),
        (FIRST_LINE, "its first record is no header"),
        (FIRST_LINE + b"\x05\xff\xff\xff\xff\xff", "its record 1 cannot be read"),
        (FIRST_LINE + b"\xff" * 11, "the length of record 1 cannot be read"),
        (FIRST_LINE + b"\xff", "it ends within the length of record 1"),
        (write(SOUND)[:-1], "it ends within record 8"),
        (write(SOUND)[:-1].rsplit(write(SOUND)[-40:-1], 1)[0], "it ends within record 8"),
        (write(Replay(v1.ReplayHeader(format=3), v1.ReplayEnd())), "its format is 3, and 2 is known here"),
        (write(SOUND) + write(SOUND)[len(FIRST_LINE) :], "its record 8 is no turn"),
    ],
)
def test_files_that_are_no_replays(data: bytes, expected: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    assert main([str(file)]) == 2
    said = capsys.readouterr()
    assert said.err == f"{file}: no replay: {expected}\n" and said.out == ""


@pytest.mark.parametrize(
    "data",
    [
        b"PARLEY-REPLAY 1\n" + write(SOUND)[len(FIRST_LINE) :],
        write(Replay(v1.ReplayHeader(format=1), v1.ReplayEnd())),
    ],
    ids=["first line", "header"],
)
def test_a_replay_of_the_earlier_format_is_refused_by_name(data: bytes, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    assert main([str(file)]) == 2
    said = capsys.readouterr()
    earlier = "this replay was written by an earlier version of Parley (format 1), which this verifier does not read"
    assert said.err == f"{file}: {earlier}\n" and said.out == ""


@pytest.mark.parametrize(
    ("ruleset", "named"),
    [
        ("chess", "is of the game 'chess'"),
        ("two\nlines", r"is of the game 'two\nlines'"),
        ("", "does not name its game"),
    ],
)
def test_a_replay_of_another_game_is_refused_by_name(ruleset: str, named: str, tmp_path: Path, capsys: Any) -> None:
    replay = copied()
    replay.header.ruleset = ruleset
    file = tmp_path / "file"
    file.write_bytes(write(replay))
    assert main([str(file)]) == 2
    said = capsys.readouterr()
    assert said.err == f"{file}: this replay {named}, and this verifier knows the rules of 'plunder' alone\n"
    assert said.out == ""


def test_the_command_says_what_it_proved(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "file"
    file.write_bytes(write(SOUND))
    assert main([str(file), "--key", forge.PUBLIC.hex()]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{file}: proven: match {forge.MATCH}, digest {SOUND.end.final_digest.hex()}\n")
    assert "6 turns" in said and "7 digests" in said and "22 receipts" in said and "--key" not in said
    assert "2 sheets taken at a deadline, 2 players' bytes in the seed\n" in said


def test_the_command_fails_in_one_line(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "file"
    file.write_bytes(write(SOUND))
    assert main([str(file), "--key", bytes(32).hex()]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    missing = tmp_path / "missing"
    assert main([str(missing), str(file)]) == 2
    assert capsys.readouterr().err == f"{missing}: it cannot be read: No such file or directory\n"
    with pytest.raises(SystemExit) as left:
        main(["--key", "xyz", str(file)])
    assert left.value.code == 2
