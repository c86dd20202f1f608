// The services of the server that this page came from.
import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Archive } from "../../gen/parley/v1/archive_pb";
import { Lobby } from "../../gen/parley/v1/lobby_pb";
import { Play } from "../../gen/parley/v1/play_pb";
import { serverClock } from "./clock";
import { digitsOf } from "./digits";

/** Every service that the page calls. */
export interface Clients {
  readonly lobby: Client<typeof Lobby>;
  readonly play: Client<typeof Play>;
  readonly archive: Client<typeof Archive>;
}

/** Tells the clock when each answer was written. */
const tellClock: Interceptor = (next) => async (request) => {
  const asked = Date.now();
  const response = await next(request);
  serverClock.heard(response.header.get("date"), asked, Date.now());
  return response;
};

/** Adds the token that says on whose behalf a call is made. */
function bear(token: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

/** The services as somebody with this token sees them; null is anybody. */
export function clients(token: string | null): Clients {
  const transport = createGrpcWebTransport({
    baseUrl: location.origin,
    interceptors: token === null ? [tellClock] : [tellClock, bear(token)],
  });
  return {
    lobby: createClient(Lobby, transport),
    play: createClient(Play, transport),
    archive: createClient(Archive, transport),
  };
}

/** Made up for a call that must take effect once; nobody can guess it. */
export function requestId(): string {
  return digitsOf(crypto.getRandomValues(new Uint8Array(16)));
}
