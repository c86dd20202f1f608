//! The two calls that a session is made of, whatever carries them.

use futures_util::future::{BoxFuture, FutureExt};
use parley_proto::opaque::v1;
use parley_proto::opaque::v1::play_client::PlayClient;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codegen::{Body as HttpBody, Bytes, StdError};
use tonic::{Status, Streaming};

use super::MAX_MESSAGE_BYTES;
use crate::connect::Token;

/// Something that reaches the service: a channel, or the service itself in the same process.
pub(super) trait Wire: Send {
    /// Opens a stream of calls and answers.
    fn session(&mut self, calls: mpsc::Receiver<v1::SessionRequest>) -> BoxFuture<'_, Result<Incoming, Status>>;

    /// Asks for a view outside of any stream.
    fn view(&mut self, match_id: String) -> BoxFuture<'_, Result<v1::GetViewResponse, Status>>;
}

/// Where a session hears.
pub(super) enum Incoming {
    /// It has a stream of its own.
    Stream(Box<Streaming<v1::SessionResponse>>),
    /// It has a channel of a stream that others share.
    Channel(mpsc::Receiver<Result<v1::SessionResponse, Status>>),
}

impl Incoming {
    /// The next message; `None` at the end. A future that is dropped loses nothing.
    pub(super) async fn message(&mut self) -> Result<Option<v1::SessionResponse>, Status> {
        match self {
            Self::Stream(stream) => stream.message().await,
            Self::Channel(told) => told.recv().await.transpose(),
        }
    }
}

/// A service, and the token that says whose calls they are.
pub(super) struct Service<S> {
    client: PlayClient<S>,
    token: Token,
}

impl<S> Service<S>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    pub(super) fn new(service: S, token: Token) -> Self {
        Self { client: PlayClient::new(service).max_decoding_message_size(MAX_MESSAGE_BYTES), token }
    }

    /// Opens a stream of calls and answers.
    pub(super) async fn open(
        &mut self,
        calls: mpsc::Receiver<v1::SessionRequest>,
    ) -> Result<Streaming<v1::SessionResponse>, Status> {
        let request = self.token.on(ReceiverStream::new(calls));
        Ok(self.client.session(request).await?.into_inner())
    }
}

impl<S> Wire for Service<S>
where
    S: GrpcService<Body> + Send,
    S::Future: Send,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    fn session(&mut self, calls: mpsc::Receiver<v1::SessionRequest>) -> BoxFuture<'_, Result<Incoming, Status>> {
        async move { Ok(Incoming::Stream(Box::new(self.open(calls).await?))) }.boxed()
    }

    fn view(&mut self, match_id: String) -> BoxFuture<'_, Result<v1::GetViewResponse, Status>> {
        let request = self.token.on(v1::GetViewRequest { match_id });
        async move { Ok(self.client.get_view(request).await?.into_inner()) }.boxed()
    }
}
