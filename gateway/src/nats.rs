//! A cluster of NATS servers with JetStream, and how Parley uses it: one stream of journals and a few buckets, all with
//! names that begin with the name of the cluster.

use std::time::Duration;

use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::stream::{self, DiscardPolicy, StorageType};
use async_nats::jetstream::{self, kv};
use async_nats::{Client, ConnectOptions, ServerAddr};
use futures_util::StreamExt;
use tokio::time::{Instant, sleep};

/// The first version of the server that can be trusted with matches.
const OLDEST: (u32, u32) = (2, 10);
/// The first version that hands out many messages for one request.
const BATCHES: (u32, u32) = (2, 11);
/// How long the servers may take until they answer at the start: they may have been started at the same moment.
const START_TIME: Duration = Duration::from_secs(20);
/// How long one question may take.
pub const ASK_TIME: Duration = Duration::from_secs(5);
/// How long a message may take until it is stored, before somebody looks what became of it.
pub const ACK_TIME: Duration = Duration::from_secs(2);
/// How often the connection is tried; two missed answers end it.
const PING_EVERY: Duration = Duration::from_secs(1);
/// The longest pause before a lost connection, or a lost stream of changes, is tried again.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How many bytes a message has beside what it is for.
const ENVELOPE: usize = 64 << 10;
/// How many messages may be on their way at a time.
pub const IN_FLIGHT: usize = 4096;

/// The NATS servers to use, and what is asked of them.
#[derive(Clone, Debug)]
pub struct NatsOptions {
    /// The addresses of the servers.
    pub servers: Vec<ServerAddr>,
    /// What the names of everything in NATS begin with.
    pub name: String,
    /// On how many of them everything is kept.
    pub replicas: usize,
    /// How many bytes a message must be allowed to have.
    pub message_bytes: usize,
}

/// Why the servers cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NatsError {
    /// None of the servers answers.
    #[error("no NATS server answers at {servers}: {why}")]
    Unreachable {
        /// The addresses of the servers.
        servers: String,
        /// What the client says.
        why: String,
    },
    /// The server cannot be trusted with matches.
    #[error(
        "the NATS server is version {version}, and before 2.10 two writers that expect the same last message of a replicated \
         stream can both be told that they were first, so that two servers could go on with one match; use 2.10 or newer"
    )]
    TooOld {
        /// The version that the server says it has.
        version: String,
    },
    /// The first record of a match may not fit.
    #[error(
        "the NATS server takes messages of {limit} bytes, and a match may need {needed} (four times max_message_bytes and \
         a little more); set max_payload: 8MB in its configuration, or lower max_message_bytes"
    )]
    SmallMessages {
        /// How many bytes a message of the server may have.
        limit: usize,
        /// How many bytes a message of a match may need.
        needed: usize,
    },
    /// A stream or a bucket could not be made or opened.
    #[error("NATS: {what} cannot be opened: {why}")]
    Failed {
        /// The name of the stream or bucket.
        what: String,
        /// Why it could not be opened.
        why: String,
    },
}

/// A connection to the servers.
#[derive(Clone, Debug)]
pub struct Nats {
    /// The client for questions that JetStream's own client does not ask.
    pub client: Client,
    /// The JetStream client for questions.
    pub context: jetstream::Context,
    /// The JetStream client for messages of the journal.
    pub publishing: jetstream::Context,
    /// Whether the servers hand out many messages for one request.
    pub batches: bool,
    name: String,
    replicas: usize,
}

impl Nats {
    /// Connects, and looks whether the servers can be used.
    pub async fn connect(options: &NatsOptions) -> Result<Self, NatsError> {
        let servers: Vec<String> =
            options.servers.iter().map(|server| format!("{}:{}", server.host(), server.port())).collect();
        let unreachable = |why: String| NatsError::Unreachable { servers: servers.join(", "), why };
        let end = Instant::now() + START_TIME;
        let client = loop {
            let connecting = ConnectOptions::new()
                .name("parley")
                .connection_timeout(ASK_TIME)
                .request_timeout(Some(ASK_TIME))
                .ping_interval(PING_EVERY)
                .client_capacity(2 * IN_FLIGHT)
                .reconnect_delay_callback(|attempts| {
                    LONGEST_PAUSE.min(Duration::from_millis(20) * u32::try_from(attempts).unwrap_or(u32::MAX).min(64))
                });
            match connecting.connect(options.servers.clone()).await {
                Ok(client) => break client,
                Err(error) if Instant::now() >= end => return Err(unreachable(error.to_string())),
                Err(_) => sleep(LONGEST_PAUSE).await,
            }
        };
        let info = client.server_info();
        let version = version(&info.version);
        if version.is_none_or(|version| version < OLDEST) {
            return Err(NatsError::TooOld { version: info.version });
        }
        let needed = options.message_bytes + ENVELOPE;
        if info.max_payload < needed {
            return Err(NatsError::SmallMessages { limit: info.max_payload, needed });
        }
        let context = ContextBuilder::new().timeout(ASK_TIME).max_ack_inflight(IN_FLIGHT).build(client.clone());
        let publishing = ContextBuilder::new().timeout(ACK_TIME).max_ack_inflight(IN_FLIGHT).build(client.clone());
        let batches = version >= Some(BATCHES);
        Ok(Self { client, context, publishing, batches, name: options.name.clone(), replicas: options.replicas })
    }

    /// The subject of a match in the stream of journals.
    pub fn subject(&self, of: impl std::fmt::Display) -> String {
        format!("{}.journal.{of}", self.name)
    }

    /// The stream of journals, which is made if there is none.
    pub async fn journal(&self) -> Result<stream::Stream, NatsError> {
        let config = stream::Config {
            name: format!("{}_journal", self.name),
            description: Some("What was said in the matches of Parley, a subject for each".to_owned()),
            subjects: vec![self.subject('*')],
            storage: StorageType::File,
            num_replicas: self.replicas,
            discard: DiscardPolicy::New,
            deny_delete: true,
            deny_purge: true,
            allow_direct: true,
            ..stream::Config::default()
        };
        self.patiently("the stream of journals", async || self.context.get_or_create_stream(config.clone()).await).await
    }

    /// A bucket, which is made if there is none. Where `max_age` is not zero, what is older is gone. Marks of what was
    /// removed are gone after `marks`, where the servers can do that.
    pub async fn bucket(&self, what: &str, max_age: Duration, marks: Option<Duration>) -> Result<kv::Store, NatsError> {
        let bucket = format!("{}_{what}", self.name);
        let config = kv::Config {
            bucket: bucket.clone(),
            history: 1,
            max_age,
            storage: StorageType::File,
            num_replicas: self.replicas,
            limit_markers: marks.filter(|_| self.batches),
            ..kv::Config::default()
        };
        let open = async || match self.context.get_key_value(bucket.as_str()).await {
            Ok(store) => Ok(store),
            // Somebody else may make it at the same moment.
            Err(_) => self.context.create_key_value(config.clone()).await,
        };
        self.patiently(&format!("the bucket {bucket}"), open).await
    }

    /// Tries again for a while: servers that were just started have to agree who leads.
    pub async fn patiently<T, E: std::fmt::Display>(
        &self,
        what: &str,
        attempt: impl AsyncFn() -> Result<T, E>,
    ) -> Result<T, NatsError> {
        let end = Instant::now() + START_TIME;
        loop {
            match attempt().await {
                Ok(done) => return Ok(done),
                Err(error) if Instant::now() >= end => {
                    let mut why = error.to_string();
                    if self.replicas > 1 {
                        why += &format!(" (are there {} NATS servers? cluster_replicas says so)", self.replicas);
                    }
                    return Err(NatsError::Failed { what: what.to_owned(), why });
                }
                Err(_) => sleep(LONGEST_PAUSE).await,
            }
        }
    }
}

/// Follows a bucket for ever: hears what is in it, says when that was all, and goes on to hear what changes.
pub async fn follow(bucket: &kv::Store, mut read: impl FnMut(), mut hear: impl FnMut(kv::Entry)) {
    loop {
        if let Ok(status) = bucket.status().await
            && let Ok(mut changes) = bucket.watch_with_history(">").await
        {
            if status.values() == 0 {
                read();
            }
            while let Some(Ok(entry)) = changes.next().await {
                let is_last = entry.delta == 0;
                hear(entry);
                if is_last {
                    read();
                }
            }
        }
        sleep(LONGEST_PAUSE).await;
    }
}

/// The major and minor number of a version such as `2.15.1-RC.2`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version("2.9.10") < Some(OLDEST));
        assert!(version("2.10.27") >= Some(OLDEST));
        assert!(version("2.15.1-RC.2") >= Some(BATCHES));
        assert_eq!(version("next"), None);
    }

    #[test]
    fn an_old_server_is_refused_with_the_reason() {
        let refused = NatsError::TooOld { version: "2.9.10".to_owned() }.to_string();
        assert!(refused.contains("2.9.10") && refused.contains("both be told that they were first"), "{refused}");
    }
}
