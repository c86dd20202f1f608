"""The server's own verifier and this one agree, on what is sound and on what is not."""

from pathlib import Path

import forge
import server
from server import needs_server
from test_damage import ACTIONS, DAMAGES, copied

from parley.proof.prove import prove
from parley.proof.replayfile import read, write

RECORDED = Path(__file__).parent / "data/match.parley-replay"


def test_a_match_of_a_real_server_is_proven() -> None:
    """Its sheets were put into the arm of their game after it was recorded, and its receipts signed anew for that."""
    replay = read(RECORDED.read_bytes())
    proof = prove(replay, replay.header.receipt_key)
    assert (proof.turns, proof.digests, proof.receipts) == (16, 17, 48)
    assert proof.exchanges > 40 and proof.answers > 40 and proof.digest == replay.end.final_digest


@needs_server
def test_what_is_sound_here_is_sound_there(tmp_path: Path) -> None:
    file = tmp_path / "sound"
    file.write_bytes(write(forge.forged(12)))
    for sound in (file, RECORDED):
        done = server.parley("verify", sound)
        assert done.returncode == 0, done.stderr


@needs_server
def test_what_is_damaged_here_is_damaged_there(tmp_path: Path) -> None:
    for name, _ in DAMAGES:
        replay = copied()
        ACTIONS[name](replay)
        file = tmp_path / name
        file.write_bytes(write(replay))
        done = server.parley("verify", file)
        assert done.returncode in (1, 2), f"{name}: {done.stdout}"
