"""Whole matches against the real server."""

import asyncio
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import server
from server import Server, naval_game, needs_server

from parley import lobby, v1
from parley.bot import told
from parley.common.v1 import MatchResult
from parley.connect import Token, connect
from parley.play import MatchEnd, play
from parley.plunder import v1 as plunder
from parley.policy import Policy, answer
from parley.proof.replayfile import read
from parley.session import CallRefused, Over, Session, Snapshot
from parley.verify import main as verify

EXAMPLES = Path(__file__).parents[1] / "examples"
sys.path.append(str(EXAMPLES))
from raider import Raider  # noqa: E402

WITHIN = 60.0


def settings(*seats: str, turns: int = 8, size: str = "tiny", damage: int = 0, **more: Any) -> v1.MatchSettings:
    """A match with a house bot for each name; the empty name is an open seat. Without damage it lasts to its limit."""
    return v1.MatchSettings(
        game=naval_game(size, {"turn_limit": turns, "combat": {"damage": damage}}),
        seats=[v1.SeatChoice(house_bot=policy) for policy in seats],
        start_when_full=True,
        **more,
    )


async def seat(channel: Any, match: str, make: Any = Raider, **joining: Any) -> MatchEnd:
    joined = await lobby.join(channel, match, **joining)
    token = Token(joined.player_token)
    policy = make(await lobby.rules(channel, match, token))
    return await play(Session(channel, match, token), policy)


def run(story: Any) -> Any:
    return asyncio.run(asyncio.wait_for(story, WITHIN))


def assert_proven(replay: bytes, folder: Path, capsys: Any) -> str:
    """Both verifiers agree that the replay is right."""
    file = folder / "match.parley-replay"
    file.write_bytes(replay)
    assert verify([str(file)]) == 0, capsys.readouterr().err
    rust = server.parley("verify", file)
    assert rust.returncode == 0, rust.stderr
    return str(capsys.readouterr().out)


@needs_server
def test_a_python_bot_plays_house_bots_and_both_verifiers_prove_it(tmp_path: Path, capsys: Any) -> None:
    async def story() -> tuple[MatchEnd, bytes]:
        channel = await connect(here.address)
        match = (await lobby.create(channel, settings("", "wander", "hold", size="small", damage=2))).match.match_id
        end = await seat(channel, match, name="Anna", added=bytes(range(32)))
        replay = await lobby.replay(channel, match)
        await channel.close()
        return end, replay

    with Server() as here:
        end, replay = run(story())
    turns = read(replay).turns
    assert end.result is not None and end.turn == len(turns) <= 8
    assert (end.refused_sheets, end.refused_answers) == (0, 0)
    said = assert_proven(replay, tmp_path, capsys)
    assert f"{len(turns)} turns" in said and f"{sum(len(turn.sheets) for turn in turns)} receipts" in said
    assert "1 player's bytes in the seed" in said


class Asking(Raider):
    """Fights whenever it can, and says so itself: no engagement answers for it."""

    asked = 0

    def answers(self, view: plunder.View, prompt: v1.Prompt) -> list[v1.Answer]:
        Asking.asked += len(prompt.questions)
        return [answer(question, "attack") for question in prompt.questions]


@needs_server
def test_two_python_bots_meet_and_are_asked(tmp_path: Path, capsys: Any) -> None:
    async def story() -> bytes:
        channel = await connect(here.address)
        match = (await lobby.create(channel, settings("", "", "wander", turns=16, damage=2))).match.match_id
        ends = await asyncio.gather(seat(channel, match, Asking), seat(channel, match, Asking))
        assert ends[0].result == ends[1].result
        assert all((end.refused_sheets, end.refused_answers) == (0, 0) for end in ends)
        replay = await lobby.replay(channel, match)
        await channel.close()
        return replay

    with Server() as here:
        replay = run(story())
    if "PARLEY_RECORD" in os.environ:
        Path(os.environ["PARLEY_RECORD"]).write_bytes(replay)
    assert Asking.asked > 0
    said = assert_proven(replay, tmp_path, capsys)
    assert f"{Asking.asked} answer" in said


@needs_server
def test_a_server_that_is_killed_in_the_middle_is_gone_on_with(tmp_path: Path, capsys: Any) -> None:
    turns = 12
    kills = {3, 7}

    class Killing(Raider):
        def orders(self, view: plunder.View) -> plunder.Sheet:
            if view.turn in kills:
                kills.remove(view.turn)
                here.kill()
                here.start()
            return super().orders(view)

    async def story() -> tuple[MatchEnd, bytes]:
        channel = await connect(here.address)
        match = (await lobby.create(channel, settings("", "wander", turns=turns))).match.match_id
        end = await seat(channel, match, Killing)
        replay = await lobby.replay(channel, match)
        await channel.close()
        return end, replay

    with Server() as here:
        end, replay = run(story())
    assert not kills and end.turn == turns and end.refused_sheets == 0
    assert "24 receipts" in assert_proven(replay, tmp_path, capsys)


@needs_server
def test_what_deadlines_took_is_proven_as_it_stood(tmp_path: Path, capsys: Any) -> None:
    """Staged orders of which some are bad, nothing at all, answers that do not come, and a concession."""

    async def story() -> bytes:
        channel = await connect(here.address)
        planning, decision = timedelta(milliseconds=300), timedelta(milliseconds=50)
        chosen = settings("", "", turns=12, planning_time=planning, decision_time=decision)
        match = (await lobby.create(channel, chosen)).match.match_id
        late = await lobby.join(channel, match)
        other = asyncio.ensure_future(seat(channel, match))
        rules = await lobby.rules(channel, match)
        async with Session(channel, match, Token(late.player_token), after=0) as session:
            opened = 0
            while opened < 6:
                item = await session.next()
                assert isinstance(item, v1.News)
                next = item.turn_opened if item.HasField("turn_opened") else item.outcome.next
                if not next.turn:
                    continue
                opened = next.turn
                if opened < 5:
                    sheet = Raider(rules).orders(next.view.plunder)
                    standing = len(sheet.units) + len(sheet.structures)
                    sheet.units.add(unit=999).hold.SetInParent()
                    sheet.structures.add(structure=999, build="ship")
                    try:
                        staged = await session.stage(opened, v1.Sheet(plunder=sheet))
                    except CallRefused as late_itself:
                        # A machine that is busy enough misses a deadline.
                        assert late_itself.refusal.is_untimely
                        continue
                    assert staged.standing == standing and len(staged.faults) == 2
            await session.concede()
        await other
        replay = await lobby.replay(channel, match)
        await channel.close()
        return replay

    with Server() as here:
        replay = run(story())
    said = assert_proven(replay, tmp_path, capsys)
    assert "sheets taken at a deadline" in said and "1 concession by a call" in said


@needs_server
def test_a_bot_that_is_killed_takes_its_seat_again() -> None:
    async def story() -> MatchEnd:
        channel = await connect(here.address)
        match = (await lobby.create(channel, settings("", "wander"))).match.match_id
        secret = lobby.fresh_id()

        class Dying(Policy):
            def orders(self, view: plunder.View) -> plunder.Sheet:
                if view.turn == 4:
                    raise InterruptedError
                return plunder.Sheet()

            def answers(self, view: plunder.View, prompt: v1.Prompt) -> list[v1.Answer]:
                return []

        with pytest.raises(InterruptedError):
            await seat(channel, match, lambda _: Dying(), request_id=secret)
        end = await seat(channel, match, request_id=secret)
        await channel.close()
        return end

    with Server() as here:
        assert run(story()).turn == 8


@needs_server
def test_news_come_once_and_in_order_however_often_the_line_is_cut() -> None:
    async def story() -> None:
        channel = await connect(here.address)
        match = (await lobby.create(channel, settings("wander", "wander", turns=6))).match.match_id

        async def follow(cut: bool) -> list[bytes]:
            session = Session(channel, match, Token(), after=0)
            told = []
            while True:
                item = await session.next()
                assert isinstance(item, v1.News)
                told.append(item.SerializeToString(deterministic=True))
                if cut:
                    session.close()
                if item.HasField("outcome") and item.outcome.HasField("ended"):
                    session.close()
                    return told

        whole, pieces = await follow(False), await follow(True)
        assert whole == pieces and len(whole) > 6
        cursors = [v1.News.FromString(each).cursor for each in whole]
        assert cursors == list(range(1, len(whole) + 1))
        await channel.close()

    with Server() as here:
        run(story())


@needs_server
def test_who_is_too_far_behind_gets_a_view_in_place_of_news() -> None:
    async def story() -> None:
        channel = await connect(here.address)
        match = (await lobby.create(channel, settings("wander", "wander", turns=9))).match.match_id
        async with Session(channel, match, Token(), after=0) as session:
            with pytest.raises(Over):
                while True:
                    newest = (await session.next(), session.cursor)
        async with Session(channel, match, Token(), after=0) as session:
            item = await session.next()
            assert isinstance(item, Snapshot) and item.view.phase == v1.PHASE_OVER
            assert item.view.cursor == session.cursor == newest[1]
            with pytest.raises(Over):
                await session.next()
            # Calls are still answered.
            assert (await session.get_view()).view == item.view.view
        await channel.close()

    with Server("--watch-backlog", "2") as here:
        run(story())


@needs_server
def test_the_readme_plays_a_match() -> None:
    """The commands of the README, word for word; the server is where PARLEY_ADDR says."""
    text = (EXAMPLES.parent / "README.md").read_text().split("## A bot", 1)[1]
    commands = text.split("```sh\n", 1)[1].split("```", 1)[0]
    with Server() as here:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            capture_output=True,
            text=True,
            timeout=WITHIN,
            check=False,
            cwd=EXAMPLES.parents[2],
            env={**os.environ, "PATH": path, "PARLEY_ADDR": here.address},
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("seat 0: the match is ") and done.stderr == ""


@needs_server
def test_the_example_is_a_program(tmp_path: Path) -> None:
    async def story() -> str:
        channel = await connect(here.address)
        created = await lobby.create(channel, settings("", "wander", turns=3, visibility=v1.VISIBILITY_PRIVATE))
        await channel.close()
        match = created.match.match_id
        where = ["--server", here.address, "--match", match, "--secret", lobby.fresh_id()]
        return play_example(*where, "--invitation", created.invite_token)

    with Server() as here:
        said = run(story())
    assert said.startswith("seat 0: the match is ") and said.endswith(" after turn 3\n")


def play_example(*arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / "raider.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_end_is_told_in_a_line() -> None:
    assert told(1, MatchEnd(result=MatchResult(winner=1), turn=4)) == "seat 1: the match is won after turn 4"
    refused = MatchEnd(result=MatchResult(winner=1), turn=4, refused_sheets=2)
    words = "seat 1: the match is won after turn 4; 2 of its sheets and 0 of its answers were refused"
    assert told(1, refused) == words
    assert told(1, MatchEnd(stopped="", turn=4)) == "seat 1: the match was stopped: no reason was given after turn 4"
