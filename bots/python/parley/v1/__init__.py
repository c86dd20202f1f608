"""The vocabulary on the wire, `parley.v1`, made from `proto/parley/v1` by `generate.sh`.

The comments of the protos say what each message means; here all of them stand in one namespace.
"""

from .admin_pb2 import *
from .admin_pb2_grpc import AdminStub as AdminStub
from .archive_pb2 import *
from .archive_pb2_grpc import ArchiveStub as ArchiveStub
from .board_pb2 import *
from .event_pb2 import *
from .lobby_pb2 import *
from .lobby_pb2_grpc import LobbyStub as LobbyStub
from .options_pb2 import *
from .orders_pb2 import *
from .play_pb2 import *
from .play_pb2_grpc import PlayStub as PlayStub
from .question_pb2 import *
from .replay_pb2 import *
from .view_pb2 import *
