"""A replay, proven: everything that it says is computed again from what was promised and said."""

import uuid
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from parley import v1

from . import differences, receipt, rules, soundness
from .combat import TooManyExchanges
from .digest import SIZE, digest, first_digest, match_seed, next_digest
from .encode import EncodingFault, decode
from .hexes import MAX_TILES, Grid
from .legality import LegalSheet, judge
from .orders import Choice, Sheet, SheetFault, read_sheet
from .replayfile import RULESET, Replay
from .resolve import Outcome, resolve
from .rules import Rules
from .state import State, Winner
from .turn import Question

DICE_PER_EXCHANGE = 5


class Unproven(Exception):
    """The first thing in a replay that is not so: in which turn and tick, about whom, which field, and why."""

    def __init__(self, about: str, field: str, why: str, turn: int | None = None, tick: int | None = None) -> None:
        moment = "" if turn is None else f"turn {turn}: " if tick is None else f"turn {turn}, tick {tick}: "
        super().__init__(f"{moment}{about}: {field} {why}")
        self.about = about
        self.field = field
        self.turn = turn
        self.tick = tick


@dataclass
class Proof:
    """What was proven, and what is believed."""

    match: str
    digest: bytes = b""
    """The last one, which stands for all before it."""
    turns: int = 0
    exchanges: int = 0
    digests: int = 0
    receipts: int = 0
    house_sheets: int = 0
    """Sheets of house bots, which get no receipts."""
    deadline_sheets: int = 0
    """Sheets that a deadline took, with what was staged or with nothing."""
    answers: int = 0
    """Answers that were given or defaulted; nobody signs for them."""
    concessions: int = 0
    """Players who gave up by a call of their own."""
    added: int = 0
    """Players who added bytes of their own to the seed."""

    @property
    def dice(self) -> int:
        """How many dice were rolled again."""
        return self.exchanges * DICE_PER_EXCHANGE


def prove(replay: Replay, key: bytes | None = None) -> Proof:
    """Proves a replay or raises `Unproven`. The key of the receipts may be known from elsewhere."""
    return _Prover(replay, key).prove()


class _Prover:
    def __init__(self, replay: Replay, key: bytes | None) -> None:
        self.replay = replay
        self.header = replay.header
        self.proof = Proof(self.header.match_id)
        self.match = self.match_id()
        self.key = self.receipt_key(key)
        self.rules = self.read_rules()
        self.grid = self.read_map()
        self.state = self.opening()
        self.digest = self.genesis()
        self.seed = self.read_seed()
        self.last_receipts = {seat.seat: self.header.seed_commitment for seat in self.header.seats}

    def prove(self) -> Proof:
        for turn in self.replay.turns:
            _Turn(self, turn).prove()
            self.proof.turns += 1
        self.prove_end()
        self.proof.digest = self.digest
        return self.proof

    def match_id(self) -> uuid.UUID:
        try:
            found = uuid.UUID(self.header.match_id)
        except ValueError:
            raise Unproven("the header", "match_id", "is no UUID") from None
        if str(found) != self.header.match_id:
            raise Unproven("the header", "match_id", "is not in its usual form")
        return found

    def receipt_key(self, known: bytes | None) -> bytes:
        key = self.header.receipt_key
        if known is not None and key != known:
            raise Unproven("the header", "receipt_key", f"is {key.hex()} and not the key that was given")
        return key

    def read_rules(self) -> Rules:
        if digest(self.header.rules.encode()) != self.header.rules_hash:
            raise Unproven("the header", "rules_hash", "is not the hash of the rules (R13.3)")
        try:
            found = rules.parse(self.header.rules)
        except rules.RulesFault as fault:
            raise Unproven("the header", "rules", f"cannot be played by: {fault}") from None
        if found.text != self.header.rules:
            raise Unproven("the header", "rules", "are not the text that a hash is made of (R13.3)")
        return found

    def read_map(self) -> Grid:
        told = self.header.map
        tiles = told.width * told.height
        if not 1 <= tiles <= MAX_TILES or len(told.terrain) != tiles or (told.wrap and told.width < 2):
            raise Unproven("the header", "map", "is no rectangle of tiles (R3.1, R3.2)")
        if max(told.terrain) >= len(self.rules.terrains):
            raise Unproven("the header", "map", "has a terrain that the rules do not know (R3.2)")
        return Grid(told.width, told.height, told.wrap, told.terrain)

    def opening(self) -> State:
        """The state that the match began with, which has to be a fair start (R11.1)."""
        try:
            state = decode(self.header.initial_state, self.grid)
        except EncodingFault as fault:
            raise Unproven("the header", "initial_state", f"is no encoded state: {fault} (R13.3)") from None
        for wrong in soundness.faults(self.rules, self.grid, state):
            raise Unproven(f"the initial state, {wrong.about}", "it", f"cannot be: {wrong.reason} ({wrong.rule})")
        if [seat.seat for seat in self.header.seats] != sorted(state.players):
            raise Unproven("the header", "seats", "are not the players of the initial state")
        for unfair in soundness.opening_faults(self.rules, state):
            raise Unproven(f"the initial state, {unfair.about}", "it", f"is unfair: {unfair.reason} ({unfair.rule})")
        return state

    def genesis(self) -> bytes:
        found = first_digest(self.rules.text, self.grid, self.state)
        if found != self.header.genesis_digest:
            raise Unproven("the header", "genesis_digest", f"is not {found.hex()} (R13.3)")
        self.proof.digests += 1
        return found

    def read_seed(self) -> bytes:
        """The seed, from the secret that was promised and what players added to it (R13.4)."""
        secret = self.replay.end.secret
        if len(secret) != SIZE or digest(secret) != self.header.seed_commitment:
            raise Unproven("the end", "secret", "is not the one that seed_commitment promised (R13.4)")
        for seat in self.header.seats:
            if len(seat.added) not in (0, SIZE):
                raise Unproven(f"the header, seat {seat.seat}", "added", f"has {len(seat.added)} bytes (R13.4)")
            self.proof.added += bool(seat.added)
        return match_seed(secret, (seat.added for seat in self.header.seats))

    def is_house(self, seat: int) -> bool:
        return any(each.seat == seat and each.policy for each in self.header.seats)

    def prove_end(self) -> None:
        end = self.replay.end
        if end.final_digest != self.digest:
            raise Unproven("the end", "final_digest", f"is not {self.digest.hex()} (R13.3)")
        result = self.state.result
        match end.WhichOneof("end"):
            case "winner":
                fits = isinstance(result, Winner) and result.player == end.winner
            case "draw":
                fits = result is not None and not isinstance(result, Winner) and [*result.players] == [*end.draw.seats]
            case "stopped":
                fits = result is None
            case _:
                fits = False
        if not fits:
            raise Unproven("the end", "end", "is not what the last state says (R12.2)")


class _Turn:
    """One turn of a replay."""

    def __init__(self, prover: _Prover, told: v1.ReplayTurn) -> None:
        self.prover = prover
        self.told = told
        self.windows = iter(enumerate(told.windows, start=1))

    def wrong(self, about: str, field: str, why: str, tick: int | None = None) -> Unproven:
        return Unproven(about, field, why, self.told.turn, tick)

    def prove(self) -> None:
        prover = self.prover
        state = prover.state
        if self.told.turn != state.turn:
            raise self.wrong("the turn", "turn", f"is not the next one, {state.turn}")
        if state.result is not None:
            raise self.wrong("the turn", "it", "comes after the end (R12.2)")
        outcome = self.play(self.sheets())
        extra = next(self.windows, None)
        if extra is not None:
            raise self.wrong(f"window {extra[0]}", "it", "is told, and nobody was asked in it (R7.2)")
        self.compare(outcome)
        prover.state = outcome.state
        prover.digest = next_digest(prover.digest, prover.grid, outcome.state)
        if self.told.digest != prover.digest:
            raise self.wrong("the turn", "digest", f"is not {prover.digest.hex()} (R13.3)")
        prover.proof.digests += 1
        prover.proof.exchanges += outcome.exchanges

    def sheets(self) -> dict[int, LegalSheet]:
        living = [player.id for player in self.prover.state.living()]
        if [sheet.seat for sheet in self.told.sheets] != living:
            raise self.wrong("the turn", "sheets", "are not one for every living player, by seat")
        return {sheet.seat: self.sheet(sheet) for sheet in self.told.sheets}

    def sheet(self, told: v1.ReplaySheet) -> LegalSheet:
        """A sheet as it stands; what was locked in stands as a whole."""
        about = f"seat {told.seat}"
        sheet = self.read(about, told)
        self.origin(about, told)
        prover = self.prover
        legal, faults = judge(prover.rules, prover.grid, prover.state, told.seat, sheet)
        if faults and told.origin != v1.SHEET_ORIGIN_AT_DEADLINE:
            raise self.wrong(
                f"{about}, {faults[0].about}", "its order", f"is refused: {faults[0].reason} ({faults[0].rule})"
            )
        if told.conceded:
            legal.concede = True
            prover.proof.concessions += 1
        return legal

    def read(self, about: str, told: v1.ReplaySheet) -> Sheet:
        """What a sheet says in the game that was played. Where nothing was staged there is none, not even its arm."""
        if told.origin == v1.SHEET_ORIGIN_ABSENT and not told.sheet:
            return Sheet()
        try:
            wire = v1.Sheet.FromString(told.sheet)
        except DecodeError:
            raise self.wrong(about, "sheet", "cannot be read") from None
        if wire.WhichOneof("game") != RULESET:
            raise self.wrong(about, "sheet", f"is not one of {RULESET}, the game that was played")
        try:
            return read_sheet(wire.plunder)
        except SheetFault as fault:
            raise self.wrong(about, "sheet", f"cannot be obeyed: {fault}") from None

    def origin(self, about: str, told: v1.ReplaySheet) -> None:
        """How a sheet came to be, and whether the server signed for it."""
        proof = self.prover.proof
        has_receipt = told.HasField("receipt")
        if told.origin == v1.SHEET_ORIGIN_LOCKED:
            if has_receipt:
                self.receipt(about, told)
            elif self.prover.is_house(told.seat):
                proof.house_sheets += 1
            else:
                raise self.wrong(about, "receipt", "is missing for a sheet that was locked in")
            return
        if has_receipt:
            raise self.wrong(about, "receipt", "is given for a sheet that was not locked in")
        if told.origin == v1.SHEET_ORIGIN_ABSENT and told.sheet:
            raise self.wrong(about, "sheet", "is not empty, and nothing was staged")
        if told.origin not in (v1.SHEET_ORIGIN_AT_DEADLINE, v1.SHEET_ORIGIN_ABSENT):
            raise self.wrong(about, "origin", "is none that is known")
        proof.deadline_sheets += 1

    def receipt(self, about: str, told: v1.ReplaySheet) -> None:
        prover = self.prover
        promised = receipt.Promised(
            prover.match, self.told.turn, told.seat, told.sheet, prover.last_receipts[told.seat]
        )
        try:
            prover.last_receipts[told.seat] = receipt.check(told.receipt, promised, prover.key)
        except receipt.ReceiptFault as fault:
            raise self.wrong(f"{about}, receipt", fault.field, fault.reason) from None
        prover.proof.receipts += 1

    def play(self, sheets: dict[int, LegalSheet]) -> Outcome:
        prover = self.prover
        try:
            return resolve(prover.rules, prover.grid, prover.state, prover.seed, sheets, self.ask)
        except TooManyExchanges as many:
            raise self.wrong("the turn", "it", f"cannot be: {many}", many.tick) from None

    def ask(self, questions: list[Question]) -> dict[int, Choice]:
        """The answers of the next window, which has to have one for every question, by seat and then by question."""
        tick = questions[0].tick
        _, window = next(self.windows, (0, None))
        if window is None:
            raise self.wrong(str(questions[0]), "the window", "in which it is asked is missing (R7.2)", tick)
        asked = {(each.seat, each.number): each for each in questions}
        told: set[tuple[int, int]] = set()
        last = (0, 0)
        choices: dict[int, Choice] = {}
        for answer in window.answers:
            place = (answer.seat, answer.question)
            question = asked.get(place)
            if question is None:
                about = f"seat {answer.seat}, question {answer.question}"
                raise self.wrong(about, "its answer", "is told, and it was not asked in this window (R7.2)", tick)
            if place in told:
                raise self.wrong(str(question), "its answer", "is told twice (R7.2)", tick)
            if place < last:
                why = "is not in its place, by seat and then by question (R7.2)"
                raise self.wrong(str(question), "its answer", why, tick)
            told.add(place)
            last = place
            choice = self.choice(question, answer)
            if not answer.defaulted:
                choices[question.unit] = choice
        for place in sorted(asked):
            if place not in told:
                raise self.wrong(str(asked[place]), "its answer", "is missing (R7.2)", tick)
        self.prover.proof.answers += len(told)
        return choices

    def choice(self, question: Question, answer: v1.ReplayAnswer) -> Choice:
        """What an answer picks, which is one of the options, and the first where it was defaulted."""
        options: list[int] = list(answer.options)
        about = str(question)
        if len(options) != 1:
            raise self.wrong(about, "options", f"are {len(options)} and have to be one (R7.2)", question.tick)
        (place,) = options
        if place >= len(question.options):
            known = " and ".join(f"{at} {choice.name}" for at, choice in enumerate(question.options))
            raise self.wrong(about, "options", f"name {place}, and there are {known} (R7.2)", question.tick)
        choice = question.options[place]
        if answer.defaulted and place != 0:
            why = f"name {choice.name} and were defaulted, which is {question.options[0].name} (R7.2)"
            raise self.wrong(about, "options", why, question.tick)
        return choice

    def compare(self, outcome: Outcome) -> None:
        try:
            told = decode(self.told.state, self.prover.grid)
        except EncodingFault as fault:
            raise self.wrong("the turn", "state", f"is no encoded state: {fault} (R13.3)") from None
        found = differences.first(told, outcome.state, outcome.events)
        if found is not None:
            why = f"is {found.told} in the file and {found.computed} by the rules"
            raise self.wrong(found.about, found.field, why, found.tick)
