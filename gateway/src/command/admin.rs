//! `parley admin`: what those ask who run a server.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use parley_bots::connect::Token;
use parley_bots::server::Server;
use parley_games::sentences::visible;
use parley_games::times;
use parley_gateway::auth::ADMIN_TOKEN_FILE;
use parley_proto::v1::admin_client::AdminClient;
use parley_proto::v1::{InspectMatchesRequest, InspectedMatch, MatchStage};
use prost_types::Timestamp;
use tonic::Status;

use super::export::{Failure, unreachable};
use super::{FAILED, REFUSED, complain, print};

/// Matches that are asked for at once.
const PAGE: u32 = 100;

/// What to ask.
#[derive(Subcommand)]
pub(crate) enum AdminCommand {
    /// List the matches that are not finished: their age, whose they are, whether anybody is there, and when they end.
    Matches(MatchesArguments),
}

impl AdminCommand {
    pub(crate) fn run(self) -> ExitCode {
        let Self::Matches(matches) = self;
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return complain(FAILED, error),
        };
        match runtime.block_on(matches.list()) {
            Ok(text) => print(&text),
            Err((status, what)) => complain(status, visible(&what)),
        }
    }
}

/// Whom to ask, and how many to show.
#[derive(Args)]
pub(crate) struct MatchesArguments {
    #[command(flatten)]
    server: Server,
    /// The administrator's token; better set in the environment than as a flag. Left out: the one in the data folder.
    #[arg(long, env = "PARLEY_ADMIN_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The data folder of the server, where its token is.
    #[arg(long, value_name = "FOLDER", env = "PARLEY_DATA", default_value = "parley-data")]
    data: PathBuf,
    /// How many matches of each stage to show, the newest first.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

impl MatchesArguments {
    fn token(&self) -> Result<Token, Failure> {
        let path = self.data.join(ADMIN_TOKEN_FILE);
        let text = match &self.token {
            Some(token) => token.clone(),
            None => fs::read_to_string(&path).map_err(|error| {
                (REFUSED, format!("{}: {error}; give --token, or --data with the server's folder", path.display()))
            })?,
        };
        Token::new(text.trim()).map_err(|error| (REFUSED, format!("the administrator's token: {error}")))
    }

    async fn list(&self) -> Result<String, Failure> {
        let token = self.token()?;
        let mut admin = AdminClient::new(self.server.connect().await.map_err(unreachable)?);
        let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64;
        let mut text = heading();
        for stage in [MatchStage::Open, MatchStage::Running] {
            let (mut page_token, mut left) = (String::new(), self.limit);
            while left > 0 {
                let page_size = page_size(left);
                let request = InspectMatchesRequest { stage: stage.into(), page_size, page_token };
                let page = admin.inspect_matches(token.on(request)).await;
                let refused =
                    |status: Status| (REFUSED, format!("{}: {}", self.server.address.get(), status.message()));
                let page = page.map_err(refused)?.into_inner();
                left = left.saturating_sub(page.matches.len());
                page.matches.iter().for_each(|inspected| text.push_str(&line(inspected, now_ms)));
                page_token = page.next_page_token;
                if page_token.is_empty() {
                    break;
                }
            }
        }
        Ok(text.trim_end().to_owned())
    }
}

/// How many matches to ask for where so many are left to show.
fn page_size(left: usize) -> u32 {
    u32::try_from(left).map_or(PAGE, |left| left.min(PAGE))
}

fn heading() -> String {
    let [id, stage, age, input, ends, address] = ["MATCH", "STAGE", "AGE", "LAST INPUT", "ENDS IN", "ADDRESS"];
    format!("{id:36}  {stage:7}  {age:>9}  {input:>10}  {ends:>9}  {address:12}  REMARKS\n")
}

/// A match in one line.
fn line(inspected: &InspectedMatch, now_ms: u64) -> String {
    let shown = inspected.r#match.clone().unwrap_or_default();
    let stage = if shown.stage() == MatchStage::Open { "open" } else { "running" };
    let ago = |then: Option<&Timestamp>| {
        let then = then.and_then(times::timestamp_ms);
        then.map_or_else(|| "-".to_owned(), |then| span(now_ms.saturating_sub(then)))
    };
    let ends = inspected.expires_at.as_ref().and_then(times::timestamp_ms);
    let ends = ends.map_or_else(|| "-".to_owned(), |ends| span(ends.saturating_sub(now_ms)));
    let mut address: String = inspected.address.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    if address.is_empty() {
        address.push('-');
    }
    let mut remarks = Vec::new();
    for (is_so, remark) in [
        (inspected.abandoned, "abandoned".to_owned()),
        (inspected.missed_deadlines > 0, format!("{} deadlines missed", inspected.missed_deadlines)),
        (inspected.by_admin, "by an administrator".to_owned()),
        (inspected.in_memory, "in memory".to_owned()),
    ] {
        remarks.extend(is_so.then_some(remark));
    }
    let (id, age, input, remarks) =
        (&shown.match_id, ago(shown.created_at.as_ref()), ago(inspected.last_input_at.as_ref()), remarks.join(", "));
    let mut line = String::new();
    // Writing to a text does not fail.
    let _ = write!(line, "{id:36}  {stage:7}  {age:>9}  {input:>10}  {ends:>9}  {address:12}  {remarks}");
    format!("{}\n", line.trim_end())
}

/// A time in its two largest units.
fn span(ms: u64) -> String {
    let (days, hours, minutes, seconds) = (ms / 86_400_000, ms / 3_600_000 % 24, ms / 60_000 % 60, ms / 1000 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m{seconds:02}s"),
        (0, _, _) => format!("{hours}h{minutes:02}m"),
        _ => format!("{days}d{hours:02}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_beyond_every_page_asks_for_whole_pages() {
        assert_eq!([1, 100, 101, 1 << 32, usize::MAX].map(page_size), [1, 100, 100, 100, 100]);
    }
}
