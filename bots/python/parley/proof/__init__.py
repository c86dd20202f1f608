"""The rules of Parley once more, in plain Python, to prove replays without believing the server.

Everything here was written from the documents alone: `data/RULES.md` (whose numbers the comments cite),
`data/SCENARIO.md`, the comments in `proto/parley` and the decisions in `deploy/adr`. It shares no code with the
resolver, and is slow and plain on purpose: each rule can be found here as it is written there.
"""
