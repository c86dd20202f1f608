//! Messages of streams, of which news come already encoded.
//!
//! The code that tonic generates encodes one message for each follower. News are the same bytes for many, so the two
//! streams that carry them have routes of their own, before the generated ones, with a codec that copies.

use std::convert::Infallible;
use std::marker::PhantomData;

use axum::Router;
use bytes::BufMut;
use futures_util::StreamExt;
use http::Request as HttpRequest;
use parley_proto::opaque::v1 as api;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use tonic::body::Body;
use tonic::codec::{BufferSettings, Codec, EncodeBuf, Encoder};
use tonic::server::Grpc;
use tonic::{Request, Response, Status};
use tonic_prost::{ProstCodec, ProstDecoder};
use tower::service_fn;

use super::{Answers, Service};
use crate::cluster::PeerMessage;
use crate::matches::encoded_news::EncodedNews;

/// How many bytes a stream gets room for at once. Most messages fit, and a server has many streams.
const BUFFER: usize = 2048;
/// How many bytes a stream puts together before it sends them.
const FULL_BUFFER: usize = 32 * 1024;

/// A message that can hold news.
pub(super) trait Envelope: Message + Default + Send + 'static {
    /// The number of the field that holds the news.
    const NEWS: u32;

    /// The number of the field that says the channel, where there is one.
    const CHANNEL: Option<u32>;

    /// A message with news.
    fn with_news(news: api::News, channel: u32) -> Self;
}

impl Envelope for api::WatchResponse {
    const NEWS: u32 = 1;
    const CHANNEL: Option<u32> = None;

    fn with_news(news: api::News, _: u32) -> Self {
        Self { news: Some(news) }
    }
}

impl Envelope for api::SessionResponse {
    const NEWS: u32 = 2;
    const CHANNEL: Option<u32> = Some(11);

    fn with_news(news: api::News, channel: u32) -> Self {
        Self { call: 0, what: Some(api::session_response::What::News(news)), channel }
    }
}

/// A message of a stream.
pub(super) enum Packet<E> {
    /// News, which are already encoded, and the channel of a session that they belong to.
    News(EncodedNews, u32),
    /// What another server of the cluster has sent, which is already encoded, and the channel that it belongs to.
    Forwarded(PeerMessage, u32),
    /// Any other message, which is encoded when it is sent.
    Message(E),
}

impl<E: Envelope> Packet<E> {
    /// The packet as a message.
    fn message(self) -> Result<E, Status> {
        match self {
            Self::News(news, channel) => Ok(E::with_news(news.message(), channel)),
            Self::Forwarded(message, channel) => {
                let mut bytes = message.bytes.to_vec();
                encode_channel::<E>(channel, &mut bytes);
                E::decode(&bytes[..]).map_err(|error| Status::internal(error.to_string()))
            }
            Self::Message(message) => Ok(message),
        }
    }
}

/// Writes the channel that a message belongs to. Other servers of the cluster know it as 0, which is not written.
fn encode_channel<E: Envelope>(channel: u32, to: &mut impl BufMut) {
    if let Some(tag) = E::CHANNEL.filter(|_| channel != 0) {
        encode_key(tag, WireType::Varint, to);
        encode_varint(channel.into(), to);
    }
}

/// A stream of packets as the generated code wants it.
pub(super) fn messages<E: Envelope>(packets: Response<Answers<Packet<E>>>) -> Response<Answers<E>> {
    packets.map(|packets| -> Answers<E> { Box::pin(packets.map(|packet| packet.and_then(Packet::message))) })
}

/// A codec that writes packets and reads messages.
struct PacketCodec<E, D>(PhantomData<(E, D)>);

/// An encoder that writes packets.
struct PacketEncoder<E>(PhantomData<E>);

impl<E: Envelope, D: Message + Default + Send + 'static> Codec for PacketCodec<E, D> {
    type Encode = Packet<E>;
    type Decode = D;
    type Encoder = PacketEncoder<E>;
    type Decoder = ProstDecoder<D>;

    fn encoder(&mut self) -> Self::Encoder {
        PacketEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<E, D>::default().decoder()
    }
}

impl<E: Envelope> Encoder for PacketEncoder<E> {
    type Item = Packet<E>;
    type Error = Status;

    fn encode(&mut self, packet: Packet<E>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        match packet {
            Packet::News(news, channel) => {
                news.encode_field(E::NEWS, to);
                encode_channel::<E>(channel, to);
            }
            Packet::Forwarded(message, channel) => {
                to.put_slice(&message.bytes);
                encode_channel::<E>(channel, to);
            }
            // It fails only where there is no room, and there is as much as is asked for.
            Packet::Message(message) => message.encode(to).map_err(|error| Status::internal(error.to_string()))?,
        }
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER, FULL_BUFFER)
    }
}

/// The routes of the streams that carry news.
pub(super) fn routes(service: &Service, max_message_bytes: usize) -> Router {
    let watch = service_fn({
        let service = service.clone();
        move |request: HttpRequest<axum::body::Body>| {
            let service = service.clone();
            let call = move |request: Request<api::WatchRequest>| {
                let service = service.clone();
                async move { service.watch_packets(request).await }
            };
            async move {
                let codec = PacketCodec::<api::WatchResponse, api::WatchRequest>(PhantomData);
                let mut grpc = Grpc::new(codec).max_decoding_message_size(max_message_bytes);
                Ok::<_, Infallible>(grpc.server_streaming(service_fn(call), request.map(Body::new)).await)
            }
        }
    });
    let session = service_fn({
        let service = service.clone();
        move |request: HttpRequest<axum::body::Body>| {
            let service = service.clone();
            let call = move |request: Request<tonic::Streaming<api::SessionRequest>>| {
                let service = service.clone();
                async move { service.session_packets(request) }
            };
            async move {
                let codec = PacketCodec::<api::SessionResponse, api::SessionRequest>(PhantomData);
                let mut grpc = Grpc::new(codec).max_decoding_message_size(max_message_bytes);
                Ok::<_, Infallible>(grpc.streaming(service_fn(call), request.map(Body::new)).await)
            }
        }
    });
    Router::new().route_service("/parley.v1.Play/Watch", watch).route_service("/parley.v1.Play/Session", session)
}
