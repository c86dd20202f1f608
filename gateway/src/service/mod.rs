//! The services of `parley.v1`: who calls, what they ask, and to which match it goes. What it means is decided there.

mod admin;
mod archive;
mod lobby;
mod packet;
mod play;
mod session;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ::http::HeaderMap;
use futures_util::Stream;
use parley_proto::opaque::v1 as api;
use parley_proto::opaque::v1::admin_server::AdminServer;
use parley_proto::opaque::v1::archive_server::ArchiveServer;
use parley_proto::opaque::v1::lobby_server::LobbyServer;
use parley_proto::opaque::v1::play_server::PlayServer;
use tokio::time::Instant;
use tonic::service::Routes;
use tonic::{Code, Extensions, Request, Status};

use crate::auth::{Caller, Claims, Gate, Refused, Role};
use crate::cluster::Cluster;
use crate::http::{Admission, BudgetAccount, Peer, Reservation};
use crate::journal::MatchId;
use crate::matches::{Creator, Matches};
use crate::refusal::Refusal;
use crate::work::Customer;

/// A stream of answers.
pub type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The services, all of them behind one gate and before the same matches.
#[derive(Clone)]
pub struct Service {
    matches: Matches,
    gate: Arc<Gate>,
    started: Instant,
    /// The cluster that this server is one of.
    cluster: Option<Arc<Cluster>>,
}

impl Service {
    /// The services before some matches.
    pub fn new(matches: Matches, gate: Arc<Gate>) -> Self {
        Self { matches, gate, started: Instant::now(), cluster: None }
    }

    /// The same services, which open channels of sessions also on the other servers of a cluster.
    pub fn in_cluster(self, cluster: Option<Arc<Cluster>>) -> Self {
        Self { cluster, ..self }
    }

    /// The services as routes, with messages up to a size.
    pub fn routes(&self, max_message_bytes: usize) -> Routes {
        macro_rules! limited {
            ($server:ident) => {
                $server::new(self.clone()).max_decoding_message_size(max_message_bytes)
            };
        }
        Routes::from(Routes::default().into_axum_router().merge(packet::routes(self, max_message_bytes)))
            .add_service(limited!(PlayServer))
            .add_service(limited!(LobbyServer))
            .add_service(limited!(ArchiveServer))
            .add_service(limited!(AdminServer))
    }

    /// What lets calls from the network in before their messages are read. The service then knows the caller already.
    pub fn admission(&self) -> Admission {
        let service = self.clone();
        Admission::new(move |headers, extensions| {
            let caller = service.identify(headers, extensions)?;
            extensions.insert(caller);
            Ok(())
        })
    }

    /// Who calls, if they may.
    fn identify(&self, headers: &HeaderMap, extensions: &Extensions) -> Result<Caller, Refusal> {
        let peer = extensions.get::<Peer>().copied();
        let address = peer.map(|peer| peer.address);
        let caller = self.gate.admit(headers, address, self.matches.clock.now_s()).map_err(refusal)?;
        Ok(exempt(caller, peer))
    }

    /// Who opens a channel of a session with a token of its own, if they may.
    fn identify_token(&self, token: &str, peer: Option<Peer>) -> Result<Caller, Refusal> {
        let address = peer.map(|peer| peer.address);
        let caller = self.gate.admit_token(token, address, self.matches.clock.now_s()).map_err(refusal)?;
        Ok(exempt(caller, peer))
    }

    /// Lets a call in, or says why not. A call from the network has been let in before it was read.
    fn admit<T>(&self, request: Request<T>) -> Result<(Caller, T), Status> {
        let caller = match request.extensions().get::<Caller>() {
            Some(caller) => *caller,
            None => self.identify(request.metadata().as_ref(), request.extensions())?,
        };
        Ok((caller, request.into_inner()))
    }

    /// Where a call counts what it makes the server keep; nowhere for a call from inside the process.
    fn room<T>(request: &Request<T>) -> Option<Reservation> {
        request.extensions().get::<Arc<BudgetAccount>>().map(BudgetAccount::reserve_nothing)
    }

    /// Lets a call in that creates a match, and says whom it counts against. Who repeats a request gets its answer again,
    /// also where they may not create anything more now.
    async fn admit_creation(
        &self,
        request: Request<api::CreateMatchRequest>,
    ) -> Result<(Creator, api::CreateMatchRequest), Status> {
        let peer = request.extensions().get::<Peer>().copied();
        let (caller, request) = self.admit(request)?;
        let creator = creator(peer, &caller);
        if let Some(Err(refused)) = creator.address.map(|address| self.gate.charge_creation(address))
            && !self.matches.has_created(caller.customer, &request.request_id).await?
        {
            return Err(refusal(refused).into());
        }
        Ok((creator, request))
    }

    /// Lets only the administrator in.
    fn admit_admin<T>(&self, request: Request<T>) -> Result<(Option<Claims>, T), Status> {
        let (caller, request) = self.admit(request)?;
        match caller.claims {
            Some(Claims { role: Role::Admin, .. }) => Ok((caller.claims, request)),
            _ => Err(Refusal::forbidden("only the administrator can do that").into()),
        }
    }
}

/// Notes of a caller from this machine, and of the administrator, that heavy work is not counted for them.
fn exempt(mut caller: Caller, peer: Option<Peer>) -> Caller {
    if peer.is_some_and(|peer| peer.exempt) || caller.claims.is_some_and(|claims| claims.role == Role::Admin) {
        caller.customer = Customer::Exempt;
    }
    caller
}

/// The quota that a new match counts against: none where the call comes from inside of this process, from this machine,
/// or from the administrator.
fn creator(peer: Option<Peer>, caller: &Caller) -> Creator {
    let by_admin = caller.claims.is_some_and(|claims| claims.role == Role::Admin);
    let address = peer.filter(|peer| !by_admin && !peer.exempt).map(|peer| peer.address);
    Creator { address, by_admin, customer: caller.customer }
}

/// The refusal that a caller is told who was not let in.
fn refusal(refused: Refused) -> Refusal {
    let code = if refused.retry_after().is_some() { Code::ResourceExhausted } else { Code::Unauthenticated };
    let mut refusal = Refusal::new(code, refused.reason(), refused.to_string());
    refusal.retry_after = refused.retry_after().map(|wait| wait.max(Duration::from_millis(1)));
    refusal
}

/// The match that a call is about.
fn match_id(text: &str) -> Result<MatchId, Refusal> {
    text.parse().map(MatchId).map_err(|_| Refusal::field("match_id", "no match has such an id"))
}
