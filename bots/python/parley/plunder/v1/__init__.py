"""The naval game on the wire, `parley.plunder.v1`, made from `proto/parley/plunder/v1` by `generate.sh`.

The comments of the protos say what each message means; here all of them stand in one namespace.
"""

from .advice_pb2 import *
from .board_pb2 import *
from .change_pb2 import *
from .event_pb2 import *
from .orders_pb2 import *
from .settings_pb2 import *
from .view_pb2 import *
