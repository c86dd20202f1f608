"""What games have in common on the wire, `parley.common.v1`, made from `proto/parley/common/v1` by `generate.sh`.

The comments of the protos say what each message means; here all of them stand in one namespace.
"""

from .board_pb2 import *
from .fault_pb2 import *
from .result_pb2 import *
