"""What games have in common on the wire; its messages are in `parley.common.v1`."""
