"""The naval game on the wire; its messages are in `parley.plunder.v1`."""
