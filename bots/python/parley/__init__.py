"""Bots for Parley, and a verifier of its replays that shares no code with the server."""
