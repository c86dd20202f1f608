"""What is the same for all games on the wire, `parley.v1`, made from `proto/parley/v1` by `generate.sh`.

What a game says of its own stands in an arm that is named after it, as in `Sheet(plunder=...)`. The comments of the
protos say what each message means; here all of them stand in one namespace.
"""

from .admin_pb2 import *
from .admin_pb2_grpc import AdminStub as AdminStub
from .archive_pb2 import *
from .archive_pb2_grpc import ArchiveStub as ArchiveStub
from .game_pb2 import *
from .lobby_pb2 import *
from .lobby_pb2_grpc import LobbyStub as LobbyStub
from .play_pb2 import *
from .play_pb2_grpc import PlayStub as PlayStub
from .question_pb2 import *
from .reason_pb2 import *
from .replay_pb2 import *
