"""Who is out, and whether the match is over (R12)."""

from .state import Draw, Player, Result, Winner
from .turn import Event, Turn


def reckoning(turn: Turn) -> None:
    """Eliminates players and finds the result."""
    state = turn.state
    eliminated = []
    for player in state.living():
        sheet = turn.sheets.get(player.id)
        conceded = sheet is not None and sheet.concede
        if conceded or _has_nothing(turn, player):
            eliminated.append(player.id)
            _eliminate(turn, player, conceded)
    state.result = _result(turn, eliminated)
    if state.result is not None:
        turn.tell("ended", result=result_fields(state.result))


def _has_nothing(turn: Turn, player: Player) -> bool:
    if turn.state.ships_of(player.id):
        return False
    return not (turn.rules.structures_save and turn.state.structures_of(player.id))


def _eliminate(turn: Turn, player: Player, conceded: bool) -> None:
    for unit in turn.state.ships_of(player.id):
        turn.tell("removed", unit=unit.id)
        turn.remove(unit.id)
    for structure in turn.state.structures_of(player.id):
        structure.owner = None
        structure.queue = []
        turn.tell("neutralised", structure=structure.id)
    player.alive = False
    turn.tell("eliminated", player=player.id, conceded=conceded)


def _result(turn: Turn, eliminated: list[int]) -> Result:
    state = turn.state
    living = state.living()
    if len(living) == 1:
        return Winner(living[0].id)
    if not living:
        return Draw(tuple(eliminated))
    limit = turn.rules.turn_limit
    if not limit or state.turn < limit:
        return None
    standing = {player.id: (len(state.ships_of(player.id)), player.gold) for player in living}
    best = max(standing.values())
    level = tuple(id for id, each in standing.items() if each == best)
    return Winner(level[0]) if len(level) == 1 else Draw(level)


def result_fields(result: Result) -> Event | None:
    """A result in the words of `data/SCENARIO.md`."""
    match result:
        case Winner(player):
            return {"winner": player}
        case Draw(players):
            return {"draw": list(players)}
        case None:
            return None
