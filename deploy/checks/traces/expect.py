"""What the traces of a match have to be like."""

import base64
from collections import Counter
from itertools import pairwise

from jaeger_store import Jaeger
from phoenix_store import Phoenix
from running import Fault, say, wait_for
from span import Span
from story import Caller, Played, Turn

ARRIVES_WITHIN = 30.0
"""Seconds until what was sent can be asked for."""
SLACK_US = 2.0
"""How far stores may round times."""
ROOT = "turn.open"
ABOVE = {"tick": "turn.resolve", "turn.combat": "tick"}
"""What is above a span, where it is not the root."""
NUMBERS = {
    "parley.turn",
    "parley.tick",
    "parley.group",
    "parley.encounters",
    "parley.ships",
    "parley.moves",
    "parley.exchanges",
}
KINDS = {"contest", "entry", "passing", "broadside"}
SECRET_WORDS = [b"bearer", b"attack", b"yield", b"proceed", b"engagement", b"sheet", b"request_id", b"signature"]
"""Words of tokens, orders, answers and receipts that spans have no use for."""

Store = Phoenix | Jaeger


def check(store: Store, played: Played) -> None:
    """Checks everything, and says each thing that holds."""
    answers: list[bytes] = []
    for number, turn in played.turns.items():
        spans = arrived(store, turn.trace, names_of(turn), f"turn {number}", answers)
        say(f"turn {number}: {store.name} has trace {turn.trace}, which the outcome names, with {len(spans)} spans")
        nesting(number, spans)
        attributes(played, number, turn, spans)
        times(number, turn, spans)
    for caller in played.callers:
        link(store, played, caller, answers)
    if isinstance(store, Phoenix):
        complete(store, answers)
    secrecy(store, played, answers)


def names_of(turn: Turn) -> Counter[str]:
    """How often each name is in the trace of a turn."""
    # A turn is resolved until ships meet, and again when their owners have answered.
    names = {
        ROOT: 1,
        "turn.locked": 1,
        "turn.resolve": len(turn.windows) + 1,
        "tick": len(turn.ticks),
        "turn.decisions": len(turn.windows),
        "turn.combat": len(turn.fights),
        "journal.commit": 1,
        "turn.publish": 1,
        "play.lock_in": turn.lock_ins,
    }
    return +Counter(names)


def arrived(store: Store, trace: str, names: Counter[str], what: str, answers: list[bytes]) -> list[Span]:
    """The spans of a trace, once they are all there."""
    last: Counter[str] = Counter()

    def ask() -> list[Span] | None:
        nonlocal last
        spans, raw = store.trace(trace)
        last = Counter(span.name for span in spans)
        if last != names:
            return None
        answers.append(raw)
        return spans

    try:
        return wait_for("it is not there", ARRIVES_WITHIN, ask)
    except Fault:
        if not last:
            raise Fault(f"{what}: {store.name} knows no trace {trace}") from None
        missing, more = dict(names - last), dict(last - names)
        raise Fault(
            f"{what}: trace {trace} lacks {missing or 'nothing'} and has {more or 'nothing'} too much"
        ) from None


def nesting(number: int, spans: list[Span]) -> None:
    """Every span is where it belongs."""
    by_id = {span.id: span for span in spans}
    if len(by_id) != len(spans):
        raise Fault(f"turn {number}: two spans have one id")
    for span in spans:
        if span.name == ROOT:
            if span.parent:
                raise Fault(f"turn {number}: {ROOT} is not the root, it is in {span.parent}")
            continue
        above = by_id.get(span.parent)
        wanted = ABOVE.get(span.name, ROOT)
        if above is None or above.name != wanted:
            raise Fault(f"turn {number}: {span.name} is in {above.name if above else 'nothing'} and not in {wanted}")
        if span.name == "turn.combat" and span.attributes.get("parley.tick") != above.attributes.get("parley.tick"):
            raise Fault(f"turn {number}: a turn.combat is in the wrong tick")
    say(f"turn {number}: {ROOT} is the root, ticks are in turn.resolve, and fights in their tick")


def attributes(played: Played, number: int, turn: Turn, spans: list[Span]) -> None:
    """Spans say the match, the turn, and what happened as the outcome tells it."""
    for span in spans:
        if span.attributes.get("parley.match") != played.id:
            raise Fault(f"turn {number}: parley.match of {span.name} is {span.attributes.get('parley.match')!r}")
        if span.attributes.get("parley.turn") != number:
            raise Fault(f"turn {number}: parley.turn of {span.name} is {span.attributes.get('parley.turn')!r}")

    def agree(name: str, told: list[tuple], *keys: str) -> None:
        found = [tuple(span.attributes.get(key) for key in keys) for span in spans if span.name == name]
        if Counter(found) != Counter(told):
            words = ", ".join(keys)
            raise Fault(f"turn {number}: {words} of {name} are {found}, and the outcome says {told}")

    ticks = [(tick, moves, met) for tick, (moves, met) in turn.ticks.items()]
    agree("tick", ticks, "parley.tick", "parley.moves", "parley.encounters")
    agree("turn.decisions", turn.windows, "parley.tick", "parley.encounters")
    agree("turn.combat", turn.fights, "parley.tick", "parley.group", "parley.combat", "parley.exchanges")
    fights = ", ".join(f"{kind} in tick {tick}" for tick, _, kind, _ in turn.fights) or "none"
    say(f"turn {number}: match, turn, {len(turn.ticks)} ticks and their fights are as it was told: {fights}")


def times(number: int, turn: Turn, spans: list[Span]) -> None:
    """Nothing ends before it begins, and ticks come in order, within what they are in."""
    by_id = {span.id: span for span in spans}
    for span in spans:
        if not 0 < span.begin_us <= span.end_us + SLACK_US:
            raise Fault(f"turn {number}: {span.name} ends before it begins")
        if span.name in ABOVE:
            above = by_id[span.parent]
            if span.begin_us < above.begin_us - SLACK_US or span.end_us > above.end_us + SLACK_US:
                raise Fault(f"turn {number}: a {span.name} is not within the time of its {above.name}")
    ticks = sorted((span for span in spans if span.name == "tick"), key=lambda span: span.attributes["parley.tick"])
    if any(first.begin_us > second.begin_us + SLACK_US for first, second in pairwise(ticks)):
        raise Fault(f"turn {number}: ticks are not in their order")
    say(f"turn {number}: times are within each other, and ticks in order")


def link(store: Store, played: Played, caller: Caller, answers: list[bytes]) -> None:
    """A lock-in with a span of its caller is in the caller's trace, and points to the turn's."""
    what = f"the lock-in that came with {caller.traceparent}"
    if not caller.sampled:
        spans, raw = store.trace(caller.trace)
        if spans:
            raise Fault(f"{what} is traced, and its caller does not keep that trace")
        answers.append(raw)
        say("a lock-in whose caller does not keep its trace is in no trace")
        return
    turn = played.turns[caller.turn].trace
    [span] = arrived(store, caller.trace, Counter(["play.lock_in"]), what, answers)
    if span.parent != caller.span:
        raise Fault(f"{what} is in {span.parent or 'nothing'}, and not in its caller's span")
    if (span.attributes.get("parley.match"), span.attributes.get("parley.turn")) != (played.id, caller.turn):
        raise Fault(f"{what} names another match or turn")
    where = store.name
    if not store.keeps_links:
        [span] = [each for each in store.tap.spans() if each.id == span.id]
        where = f"what {store.name} was sent, which keeps no links"
    spans, _ = store.trace(turn)
    [root] = [each for each in spans if each.name == ROOT]
    if span.links != {(turn, root.id)}:
        raise Fault(f"{what} has the links {sorted(span.links)}, and not one to {ROOT} of turn {caller.turn}")
    say(f"the lock-in of trace {caller.trace} is in its caller's span, and has a link to turn {caller.turn} in {where}")


def complete(store: Phoenix, answers: list[bytes]) -> None:
    """The store has what it was sent, and nothing else."""
    sent = {(span.trace, span.id) for span in store.tap.spans()}

    def ask() -> bool | None:
        spans, raw = store.everything()
        if {(span.trace, span.id) for span in spans} != sent:
            return None
        answers.append(raw)
        return True

    wait_for("Phoenix does not have all spans that it was sent, and nothing else,", ARRIVES_WITHIN, ask)
    answers.extend(store.tap.received)
    say(f"Phoenix has the {len(sent)} spans that were sent, and no others")
    if calls := store.called_out():
        raise Fault(f"Phoenix tried to call {calls[0]}")
    say("Phoenix has tried to call nobody")


def secrecy(store: Store, played: Played, answers: list[bytes]) -> None:
    """Nothing but counts, times and names is in anything that was sent or answered."""
    traces = [turn.trace for turn in played.turns.values()]
    traces += [caller.trace for caller in played.callers if caller.sampled]
    spans = [span for trace in traces for span in store.trace(trace)[0]]
    if store.tap:
        spans += store.tap.spans()
    for span in spans:
        for key, value in span.attributes.items():
            fine = type(value) is int if key in NUMBERS else value in KINDS if key == "parley.combat" else None
            if fine is None:
                fine = key == "parley.match" and value == played.id
            if not fine:
                raise Fault(f"{span.name} has an attribute that says too much: {key}")
        if span.events:
            raise Fault(f"{span.name} has events, which say too much")
    say(f"{len(spans)} spans have known attributes and no events")
    everything = b"\n".join(answers)
    for what, secret in played.secrets.items():
        forms = (secret, base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"="))
        if any(form in everything for form in forms) or secret.hex().encode() in everything.lower():
            raise Fault(f"{what} is in what {store.name} has")
    for word in SECRET_WORDS:
        if word in everything.lower():
            raise Fault(f"the word {word.decode()!r} is in what {store.name} has")
    say(f"none of {len(played.secrets)} tokens, orders, answers and receipts is in {len(everything)} bytes of it")
