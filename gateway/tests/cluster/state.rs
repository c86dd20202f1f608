//! What a cluster keeps in NATS, read past its gateways.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use futures_util::{StreamExt, TryStreamExt};
use parley_proto::journal::v1::{Appended, Claim, Node};
use prost::Message;
use tokio::time::{Instant, sleep, timeout};

/// What the cluster is called.
pub const NAME: &str = "chaos";
/// How long something may take to become so.
const WITHIN: Duration = Duration::from_secs(60);
/// How long NATS may take to answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How often it is asked.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Asks until there is an answer; NATS may be between two leaders.
pub async fn eventually<T>(what: &str, ask: impl AsyncFn() -> Option<T>) -> T {
    let deadline = Instant::now() + WITHIN;
    loop {
        if let Ok(Some(answer)) = timeout(ANSWER_WITHIN, ask()).await {
            return answer;
        }
        assert!(Instant::now() < deadline, "there is not {what} after {WITHIN:?}");
        sleep(ASK_EVERY).await;
    }
}

/// The name of a match in NATS.
pub fn key_of(id: &str) -> String {
    id.replace('-', "")
}

/// The gateways that live, by the digits of their ids.
pub async fn nodes(context: &Context) -> Result<BTreeMap<String, Node>, async_nats::Error> {
    let bucket = context.get_key_value(format!("{NAME}_nodes")).await?;
    let keys: Vec<String> = bucket.keys().await?.try_collect().await?;
    let mut nodes = BTreeMap::new();
    for key in keys {
        if let Some(value) = bucket.get(key.as_str()).await? {
            nodes.insert(key_of(&key), Node::decode(value)?);
        }
    }
    Ok(nodes)
}

/// The digits of the id of the gateway that has claimed a match.
pub async fn claim(context: &Context, id: &str) -> Result<Option<String>, async_nats::Error> {
    let bucket = context.get_key_value(format!("{NAME}_claims")).await?;
    let Some(value) = bucket.get(key_of(id)).await? else { return Ok(None) };
    let node = Claim::decode(value)?.node;
    Ok(Some(node.iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// The messages of all matches in the stream of journals, in order, by the names of the matches.
pub async fn journals(context: &Context) -> BTreeMap<String, Vec<Appended>> {
    let stream = context.get_stream(format!("{NAME}_journal")).await.expect("the stream of journals");
    let last = stream.cached_info().state.last_sequence;
    let consumer = stream.create_consumer(OrderedConfig::default()).await.expect("somebody who reads it");
    let mut messages = consumer.messages().await.expect("its messages");
    let subjects = format!("{NAME}.journal.");
    let mut journals: BTreeMap<String, Vec<Appended>> = BTreeMap::new();
    let mut read = 0;
    while read < last {
        let message = timeout(ANSWER_WITHIN, messages.next()).await.expect("a message in time");
        let message = message.expect("as many as there are").expect("no error");
        read = message.info().expect("its place").stream_sequence;
        let key = message.subject.strip_prefix(subjects.as_str()).expect("a journal").to_owned();
        let appended = Appended::decode(message.payload.clone()).expect("an append");
        journals.entry(key).or_default().push(appended);
    }
    journals
}
