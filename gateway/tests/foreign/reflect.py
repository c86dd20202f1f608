"""A Python client that knows nothing but the address: it learns the messages by reflection (v1alpha), which is what
grpcio's own client asks for, and calls with them."""

import sys

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase


def main(address):
    with grpc.insecure_channel(address) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        services = set(database.get_services())
        expected = {f"parley.v1.{name}" for name in ("Lobby", "Play", "Archive", "Admin")} | {"grpc.health.v1.Health"}
        assert expected <= services, f"reflection lists only {sorted(services)}"
        pool = DescriptorPool(database)

        def call(service, name, **fields):
            method = pool.FindServiceByName(service).FindMethodByName(name)
            request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
            stub = channel.unary_unary(
                f"/{service}/{name}",
                request_serializer=request.SerializeToString,
                response_deserializer=response.FromString,
            )
            return stub(request(**fields), timeout=10)

        assert call("grpc.health.v1.Health", "Check").status == 1, "the service is not serving"
        replays = call("parley.v1.Archive", "ListReplays", page_size=1)
        assert len(replays.matches) == 1 and replays.next_page_token, "two matches were played"
        found = call("parley.v1.Lobby", "GetMatch", match_id=replays.matches[0].match_id)
        assert len(found.receipt_key) == 32 and found.match.HasField("result"), found.match
        # The settings of a game are a message of the game's own package, which reflection has to know as well.
        game = found.match.settings.game.WhichOneof("game")
        assert game == found.match.ruleset == "plunder", found.match
        try:
            call("parley.v1.Admin", "GetStats")
        except grpc.RpcError as refused:
            assert refused.code() == grpc.StatusCode.PERMISSION_DENIED, refused
        else:
            raise AssertionError("anybody may ask what only the administrator may")


main(sys.argv[1])
