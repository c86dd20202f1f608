"""A view and its changes are the next view, for every seat through whole matches of the real server."""

import asyncio
import sys

import pytest
from server import Server, naval_game, needs_server
from test_matches import EXAMPLES, run

from parley import lobby, v1
from parley.board import apply
from parley.connect import Token, connect
from parley.news import changes, steps
from parley.play import play
from parley.session import Session, Snapshot

sys.path.append(str(EXAMPLES))
from raider import Raider


class Checked(Session):
    """A session whose view is compared with the server's in every turn."""

    compared = 0
    fights = 0

    async def next(self) -> v1.News | Snapshot:
        before = self.view
        item = await super().next()
        if isinstance(item, v1.News) and item.WhichOneof("what") == "outcome":
            fought = [step for step in steps(item.outcome) if step.event and step.event.HasField("exchanged")]
            Checked.fights += len(fought)
            if before is not None and self.view is not None:
                self.assert_steps(before, item.outcome)
                told = await self.get_view_aside()
                assert not item.outcome.next.HasField("view")
                # The server does not wait for those who are eliminated.
                if told.view.plunder.turn == self.view.plunder.turn:
                    assert told.view == self.view
                    Checked.compared += 1
        return item

    def assert_steps(self, before: v1.View, outcome: v1.Outcome) -> None:
        """Step by step it comes to the same."""
        assert self.view is not None
        each = [change for step in steps(outcome) for change in step.changes]
        assert sorted(map(str, each)) == sorted(map(str, changes(outcome)))
        assert apply(before.plunder, each) == self.view.plunder

    async def get_view_aside(self) -> v1.GetViewResponse:
        """What the server says that is seen, without telling the session."""
        request = v1.GetViewRequest(match_id=self._match_id)
        answer = await self._play.GetView(request, metadata=self._token.metadata)
        assert isinstance(answer, v1.GetViewResponse)
        return answer


@needs_server
@pytest.mark.parametrize("fog", ["off", "on"])
def test_a_view_and_its_changes_are_the_next_view(fog: str) -> None:
    Checked.compared = Checked.fights = 0
    turns = 30

    async def story() -> None:
        channel = await connect(here.address)
        changes = {"turn_limit": turns, "fog": fog}
        settings = v1.MatchSettings(
            game=naval_game("tiny", changes),
            # House bots go and look for others, also in fog.
            seats=[v1.SeatChoice(house_bot=policy) for policy in ("", "", "raider", "raider")],
            start_when_full=True,
        )
        match = (await lobby.create(channel, settings)).match.match_id

        async def seat() -> None:
            token = Token((await lobby.join(channel, match)).player_token)
            await play(Checked(channel, match, token), Raider(await lobby.rules(channel, match, token)))

        await asyncio.gather(seat(), seat())
        await channel.close()

    with Server() as here:
        run(story())
    assert Checked.compared >= 10 and Checked.fights > 0
