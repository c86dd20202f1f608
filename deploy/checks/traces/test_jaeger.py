"""One match, traced into an imitation of Jaeger: the check finds it good, and every damage to it is found."""

import contextlib
import io
import unittest
from collections.abc import Callable
from unittest import mock

import expect
import main
from imitation import Imitation, tag
from jaeger_store import Jaeger
from running import Fault
from story import Played


class Test(unittest.TestCase):
    """Each test damages what the store tells."""

    imitation: Imitation
    played: Played

    @classmethod
    def setUpClass(cls) -> None:
        cls.imitation = cls.enterClassContext(Imitation())
        with contextlib.redirect_stdout(io.StringIO()):
            cls.played = main.trace_a_match(Jaeger(cls.imitation.url, cls.imitation.otlp))

    def check(self, change: Callable[[list[dict]], None] = lambda spans: None) -> str:
        """What the check says after a change of what the store tells."""
        self.imitation.change = change
        said = io.StringIO()
        with contextlib.redirect_stdout(said), mock.patch.object(expect, "ARRIVES_WITHIN", 0.2):
            expect.check(Jaeger(self.imitation.url, self.imitation.otlp), self.played)
        return said.getvalue()

    def fails(self, because: str, change: Callable[[list[dict]], None]) -> None:
        """The check ends with one sentence that has these words."""
        with self.assertRaises(Fault) as raised:
            self.check(change)
        self.assertIn(because, str(raised.exception))
        self.assertNotIn("\n", str(raised.exception))

    def each(self, name: str, change: Callable[[dict], None]) -> Callable[[list[dict]], None]:
        """Does something to every span of a name."""
        return lambda spans: [change(span) for span in spans if span["operationName"] == name] and None

    def test_a_good_match_is_good(self) -> None:
        said = self.check()
        for name in expect.KINDS:
            self.assertIn(name, said)
        self.assertEqual(said.count("has a link to turn 1 in Jaeger"), 2)

    def test_every_name_is_missed(self) -> None:
        names = set().union(*(expect.names_of(turn) for turn in self.played.turns.values()))
        self.assertEqual(len(names), 9)
        for name in names:
            with self.subTest(name):

                def lose(spans: list[dict], name: str = name) -> None:
                    lost = next((span for span in spans if span["operationName"] == name), None)
                    if lost:
                        spans.remove(lost)

                self.fails(f"lacks {{'{name}': 1}}", lose)

    def test_spans_that_should_not_be_there_are_found(self) -> None:
        self.fails("has {'tick': 1} too much", lambda spans: spans.extend(s for s in spans[:] if tick(s) == 2))

    def test_a_trace_that_is_not_there_is_named(self) -> None:
        self.fails(f"knows no trace {self.played.turns[1].trace}", lambda spans: spans.clear())

    def test_nesting_is_checked(self) -> None:
        for name in ("turn.locked", "turn.resolve", "tick", "turn.combat", "play.lock_in", "journal.commit"):
            with self.subTest(name):
                self.fails(f"{name} is in nothing", self.each(name, lambda span: span.update(references=[])))

        def under_the_root(spans: list[dict]) -> None:
            root = next((span["spanID"] for span in spans if span["operationName"] == "turn.open"), "")
            self.each("tick", lambda span: span["references"][0].update(spanID=root))(spans)

        self.fails("tick is in turn.open and not in turn.resolve", under_the_root)
        parent = {"refType": "CHILD_OF", "traceID": self.played.turns[1].trace, "spanID": "12" * 8}
        self.fails("is not the root", self.each("turn.open", lambda span: span["references"].append(parent)))

    def test_attributes_are_checked(self) -> None:
        lost = [
            ("turn.publish", "parley.match"),
            ("journal.commit", "parley.turn"),
            ("turn.combat", "parley.group"),
            ("turn.combat", "parley.combat"),
            ("turn.decisions", "parley.tick"),
            ("tick", "parley.moves"),
        ]
        for name, key in lost:
            with self.subTest(f"{name} without {key}"):

                def lose(span: dict, key: str = key) -> None:
                    span["tags"] = [each for each in span["tags"] if each["key"] != key]

                self.fails(key, self.each(name, lose))

    def test_times_are_checked(self) -> None:
        late = self.each("tick", lambda span: span.update(startTime=span["startTime"] + 10_000_000))
        self.fails("a tick is not within the time of its turn.resolve", late)
        never = self.each("turn.publish", lambda span: span.update(duration=-100))
        self.fails("turn.publish ends before it begins", never)

    def test_links_are_checked(self) -> None:
        def unlinked(span: dict) -> None:
            span["references"] = [each for each in span["references"] if each["refType"] == "CHILD_OF"]

        def astray(span: dict) -> None:
            for each in span["references"]:
                if each["refType"] == "FOLLOWS_FROM":
                    each["spanID"] = "12" * 8

        self.fails("has the links []", self.each("play.lock_in", unlinked))
        self.fails("and not one to turn.open of turn 1", self.each("play.lock_in", astray))

    def test_secrets_are_found(self) -> None:
        def told(key: str, value: str) -> Callable[[list[dict]], None]:
            return self.each("turn.publish", lambda span: span["tags"].append(tag(key, value)))

        self.fails("says too much: parley.orders", told("parley.orders", "3"))
        self.fails("says too much: parley.moves", told("parley.moves", "north"))
        self.fails("has events", self.each("tick", lambda span: span["logs"].append({"timestamp": 1, "fields": []})))
        for what, secret in self.played.secrets.items():
            for form in (secret.hex(), secret.hex().upper()):
                self.fails(f"{what} is in what Jaeger has", told("otel.scope.version", form))
        self.fails(
            "is in what Jaeger has", told("otel.scope.version", self.played.secrets["the host's token"].decode())
        )
        self.fails("the word 'attack'", told("otel.scope.version", "Attack"))

    def test_a_lock_in_whose_caller_keeps_no_trace_is_not_traced(self) -> None:
        [caller] = [caller for caller in self.played.callers if not caller.sampled]
        answer = self.imitation.answer

        def traced(path: str) -> tuple[int, dict]:
            return answer(path.replace(caller.trace, self.played.turns[1].trace))

        with mock.patch.object(self.imitation, "answer", traced):
            self.fails("does not keep that trace", lambda spans: None)

    def test_whoever_is_no_jaeger_is_noticed(self) -> None:
        with self.assertRaisesRegex(Fault, "not an address"):
            Jaeger("localhost:16686", "")
        with self.assertRaisesRegex(Fault, "there is no Jaeger at"):
            Jaeger(self.imitation.url + "/elsewhere", "")
        nobody = mock.patch.object(self.imitation, "answer", lambda path: (200, {"data": [{"spans": 3}]}))
        with nobody, self.assertRaisesRegex(Fault, "makes no sense"):
            Jaeger(self.imitation.url, "").trace("12" * 16)


def tick(span: dict) -> int | None:
    """The tick that a span of that name is."""
    tags = {each["key"]: each["value"] for each in span["tags"]}
    return tags["parley.tick"] if span["operationName"] == "tick" else None
