//! The keys that all servers of a cluster share. The first one makes them.

use std::time::Duration;

use async_nats::jetstream::kv;
use parley_proto::journal::v1::Keys;
use prost::Message;

use crate::auth::Keyring;
use crate::nats::{Nats, NatsError};

/// The one key of the bucket.
const NAME: &str = "signing";

pub(super) async fn share(nats: &Nats) -> Result<Keyring, NatsError> {
    let bucket = nats.bucket("keys", Duration::ZERO, None).await?;
    nats.patiently("the keys of the cluster", async || read_or_make(&bucket).await).await
}

async fn read_or_make(bucket: &kv::Store) -> Result<Keyring, String> {
    if let Some(keys) = read(bucket).await? {
        return Ok(keys);
    }
    let secret = || Keyring::new_secret().map(|secret| secret.to_vec().into()).map_err(|error| error.to_string());
    let keys = Keys { tokens: secret()?, receipts: secret()? };
    if bucket.create(NAME, keys.encode_to_vec().into()).await.is_ok() {
        tracing::info!("made new keys for the cluster");
    }
    // Somebody else may have been faster.
    read(bucket).await?.ok_or_else(|| "they are not there after they were made".to_owned())
}

async fn read(bucket: &kv::Store) -> Result<Option<Keyring>, String> {
    let subject = format!("{}{NAME}", bucket.prefix);
    use async_nats::jetstream::stream::LastRawMessageErrorKind::NoMessageFound;
    let message = match bucket.stream.get_last_raw_message_by_subject(&subject).await {
        Ok(message) => message,
        Err(error) if error.kind() == NoMessageFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let keys = Keys::decode(message.payload).map_err(|error| error.to_string())?;
    match (keys.tokens.as_ref().try_into(), keys.receipts.as_ref().try_into()) {
        (Ok(tokens), Ok(receipts)) => Ok(Some(Keyring::from_secrets(tokens, receipts))),
        _ => Err("they do not have 32 bytes".to_owned()),
    }
}
