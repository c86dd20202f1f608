"""What the server refuses of a policy is told: a line for each fault, and an exit status of its own."""

import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path

import fake
import grpc
import pytest
from fake import Fake, story
from google.rpc import error_details_pb2, status_pb2
from server import Server, needs_server
from test_matches import settings

from parley import lobby, v1
from parley.backoff import Backoff
from parley.common.v1 import Fault, MatchResult, Subject
from parley.connect import Token, connect
from parley.play import MatchEnd, play
from parley.plunder import v1 as plunder
from parley.policy import Policy
from parley.refusal import DETAILS, MAX_TOLD_FAULTS, Refusal
from parley.session import Session

TURNS = 3
LINE = "turn {turn}: sheet refused ({reason}), nothing is ordered instead: {fault}"

CHEAT = """
import sys
from parley import v1
from parley.bot import main
from parley.plunder.v1 import Sheet, View
from parley.policy import Policy

class Cheat(Policy):
    def orders(self, view: View) -> Sheet:
        sheet = Sheet()
        sheet.units.add(unit=999).hold.SetInParent()
        sheet.structures.add(structure=998, build="ship")
        return sheet

    def answers(self, view: View, prompt: v1.Prompt) -> list[v1.Answer]:
        return []

sys.exit(main(lambda rules: Cheat()))
"""


@needs_server
def test_a_bot_whose_orders_are_all_refused_says_so_and_does_not_end_well(tmp_path: Path) -> None:
    async def create() -> str:
        channel = await connect(here.address)
        match = (await lobby.create(channel, settings("", "hold", turns=TURNS))).match.match_id
        await channel.close()
        return match

    program = tmp_path / "cheat.py"
    program.write_text(CHEAT)
    with Server() as here:
        command = [sys.executable, str(program), "--match", asyncio.run(create())]
        environment = {**os.environ, "PARLEY_ADDR": here.address}
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert done.stdout.endswith(f" after turn {TURNS}; {TURNS} of its sheets and 0 of its answers were refused\n")
    told = done.stderr.splitlines()
    assert len(told) == 2 * TURNS, done.stderr
    for turn in range(1, TURNS + 1):
        unit, structure = told[2 * turn - 2 : 2 * turn]
        assert unit.startswith(f"turn {turn}: sheet refused (") and ": unit 999: " in unit, unit
        assert structure.startswith(f"turn {turn}: sheet refused (") and ": structure 998: " in structure, structure
        assert unit.endswith(")") and " (R" in unit and " (R" in structure, "each names its rule"


class Careless(Policy):
    """Gives as many bad orders as a test wants, and bad answers."""

    def __init__(self, orders: int) -> None:
        self.count = orders

    def orders(self, view: plunder.View) -> plunder.Sheet:
        return plunder.Sheet(units=[plunder.UnitOrder(unit=number) for number in range(self.count)])

    def answers(self, view: plunder.View, prompt: v1.Prompt) -> list[v1.Answer]:
        return [v1.Answer(question=prompt.questions[0].id, options=[9])]


def refused(faults: list[Fault], reason: v1.Reason = v1.REASON_ORDERS_INVALID) -> v1.SessionResponse:
    code = grpc.StatusCode.INVALID_ARGUMENT.value[0]
    return v1.SessionResponse(refused=v1.Refusal(code=code, message="it is bad", reason=reason, faults=faults))


def strict(request: v1.SessionRequest) -> v1.SessionResponse:
    """Refuses every order and every answer but the peaceful one."""
    if request.WhichOneof("what") == "lock_in":
        subject = [Subject(unit=order.unit) for order in request.lock_in.sheet.plunder.units]
        faults = [Fault(subject=each, rule="R5.1", text="is bad\n\x1b[31m") for each in subject]
        return refused(faults) if faults else v1.SessionResponse(lock_in=v1.LockInResponse(receipt=v1.Receipt()))
    if any([*each.options] != [0] for each in request.answer.answers):
        return refused([], v1.REASON_ANSWERS_INVALID)
    return v1.SessionResponse(answer=v1.AnswerResponse())


def news(asking: bool = True) -> list[v1.News]:
    """A match of one turn, in which its owner may be asked about two ships."""
    view = v1.View(plunder=plunder.View(seat=1, turn=5, players=[plunder.Player(id=1, alive=True)]))
    told = [v1.News(turn_opened=v1.TurnOpened(turn=5, view=view))]
    if asking:
        told.append(v1.News(prompt=v1.Prompt(turn=5, window=2, questions=[fake.question(3, 7), fake.question(4, 9)])))
    ended = v1.MatchEnded(result=MatchResult(winner=0))
    told.append(v1.News(outcome=v1.Outcome(turn=5, ended=ended)))
    for cursor, each in enumerate(told, 1):
        each.cursor = cursor
    return told


def played(server: Fake, orders: int) -> MatchEnd:
    ends: list[MatchEnd] = []

    async def told(channel: grpc.aio.Channel) -> None:
        session = Session(channel, "match", Token("t"), after=0, backoff=Backoff(0.001, 0.002, 4))
        ends.append(await play(session, Careless(orders)))

    story(server, told)
    return ends[0]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the package has warned of; the server of a test has things of its own to say when it is stopped."""
    records = [record for record in caplog.records if record.name.startswith("parley")]
    assert all(record.levelno == logging.WARNING for record in records)
    return [record.message for record in records]


def test_each_refusal_is_a_warning_with_turn_order_rule_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    server = Fake(news(), answer=strict)
    end = played(server, 2)
    assert (end.refused_sheets, end.refused_answers, end.refused) == (1, 1, 2)
    faults = [rf"unit {number}: is bad\n\x1b[31m (R5.1)" for number in (0, 1)]
    wanted = [LINE.format(turn=5, reason="ORDERS_INVALID", fault=fault) for fault in faults]
    wanted.append(
        "turn 5, window 2: answer refused (ANSWERS_INVALID), the defaults count instead: it is bad",
    )
    assert warnings(caplog) == wanted
    bad, instead = [each.answer for each in server.called if each.WhichOneof("what") == "answer"]
    assert [[*each.options] for each in bad.answers] == [[9], [0]]
    assert (instead.turn, instead.window) == (5, 2)
    assert [*instead.answers] == [v1.Answer(question=id, options=[0]) for id in (3, 4)]


def test_a_refusal_names_the_turn_and_the_window() -> None:
    """The numbers are the same within a session and in the details of a call of its own."""
    within = Refusal.from_wire(v1.Refusal(code=9, message="late", reason=v1.REASON_OTHER_WINDOW, turn=5, window=2))
    status = status_pb2.Status()
    metadata = {"turn": "5", "window": "2"}
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason="OTHER_WINDOW", metadata=metadata))
    trailing = grpc.aio.Metadata((DETAILS, status.SerializeToString()))
    error = grpc.aio.AioRpcError(grpc.StatusCode.FAILED_PRECONDITION, grpc.aio.Metadata(), trailing, "late")
    assert within == Refusal.from_error(error) and (within.turn, within.window) == (5, 2)


def test_faults_beyond_a_number_are_only_counted(caplog: pytest.LogCaptureFixture) -> None:
    played(Fake(news(asking=False), answer=strict), MAX_TOLD_FAULTS + 5)
    lines = warnings(caplog)
    assert len(lines) == MAX_TOLD_FAULTS + 1 and lines[-1].endswith(": and 5 more faults")


def test_a_policy_that_plays_by_the_rules_is_not_talked_about(caplog: pytest.LogCaptureFixture) -> None:
    end = played(Fake(news(asking=False), answer=strict), 0)
    assert end.refused == 0 and warnings(caplog) == []


def test_python_writes_warnings_to_standard_error_without_any_setting() -> None:
    """Whoever uses the library without the command line hears of refusals too."""
    program = "from parley.play import tell; from parley.refusal import Refusal; import grpc\n"
    program += "tell('turn 1: sheet refused', Refusal(grpc.StatusCode.INVALID_ARGUMENT, 'why'), 'nothing')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == "turn 1: sheet refused (INVALID_ARGUMENT), nothing: why\n"
