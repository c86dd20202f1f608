//! `parley replay export`: a finished match from a server into a file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use parley_bots::connect::Token;
use parley_bots::server::{Server, ServerError};
use parley_games::replay::file::{self, Limits};
use parley_games::sentences::visible;
use parley_proto::v1::archive_client::ArchiveClient;
use parley_proto::v1::{GetReplayRequest, GetReplayResponse, replay_record::Record};
use tonic::{Code, Status, Streaming};
use uuid::Uuid;

use super::{FAILED, REFUSED, complain};

/// Which match, from where, into which file.
#[derive(Args)]
pub(crate) struct Export {
    /// The id of the match.
    #[arg(value_name = "MATCH")]
    match_id: String,
    #[command(flatten)]
    server: Server,
    /// A token of the match, which only a private match needs; better set in the environment than as a flag.
    #[arg(long, env = "PARLEY_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The file to write, or - for standard output. Left out: MATCH.parley-replay.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The exit status, and what is wrong.
pub(super) type Failure = (u8, String);

impl Export {
    pub(crate) fn run(self) -> ExitCode {
        let done = self.request().and_then(|(id, token)| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| (FAILED, format!("the command cannot start: {error}")))?;
            runtime.block_on(self.export(id, &token))
        });
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err((status, what)) => complain(status, visible(&what)),
        }
    }

    fn request(&self) -> Result<(Uuid, Token), Failure> {
        let refuse = |what: String| (REFUSED, what);
        let id = Uuid::try_parse(&self.match_id).map_err(|_| refuse(format!("{:?} is no match id", self.match_id)))?;
        let token = self.token.as_deref().unwrap_or_default().trim();
        let token = Token::new(token).map_err(|error| refuse(format!("--token: {error}")))?;
        Ok((id, token))
    }

    async fn export(&self, id: Uuid, token: &Token) -> Result<(), Failure> {
        let channel = self.server.connect().await.map_err(unreachable)?;
        // A server sends no record that would not be read back.
        let mut archive = ArchiveClient::new(channel).max_decoding_message_size(Limits::default().record_bytes);
        let request = token.on(GetReplayRequest { match_id: id.to_string() });
        let records = archive.get_replay(request).await.map_err(|status| self.refused(id, &status))?.into_inner();
        let path = self.output.clone().unwrap_or_else(|| PathBuf::from(format!("{id}.parley-replay")));
        if path == Path::new("-") {
            return self.receive(id, records, "standard output", &mut io::stdout().lock()).await;
        }
        self.save(id, records, &path).await
    }

    /// Writes the file under another name until it is complete, so that what has the name is whole.
    async fn save(&self, id: Uuid, records: Streaming<GetReplayResponse>, path: &Path) -> Result<(), Failure> {
        let name = path.display().to_string();
        let failed = |error: io::Error| (FAILED, format!("{name}: {error}"));
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let mut out = BufWriter::new(File::create(&part).map_err(failed)?);
        let received = self.receive(id, records, &name, &mut out).await;
        let saved = received.and_then(|()| {
            out.get_ref().sync_all().map_err(failed)?;
            fs::rename(&part, path).map_err(failed)
        });
        if saved.is_err() {
            // It is of no use; that it cannot be removed is not what went wrong.
            let _ = fs::remove_file(&part);
        }
        saved
    }

    async fn receive(
        &self,
        id: Uuid,
        mut records: Streaming<GetReplayResponse>,
        name: &str,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| (FAILED, format!("{name}: {error}"));
        let mut complete = false;
        file::begin(out).map_err(failed)?;
        while let Some(response) = records.message().await.map_err(|status| self.refused(id, &status))? {
            let record = response.record.unwrap_or_default();
            complete = matches!(record.record, Some(Record::End(_)));
            file::append(out, &record).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        if complete {
            Ok(())
        } else {
            Err((FAILED, format!("{}: the server sent only a part of the replay", self.server.address.get())))
        }
    }

    /// What a server's refusal means to whoever asked.
    fn refused(&self, id: Uuid, status: &Status) -> Failure {
        match status.code() {
            Code::InvalidArgument
            | Code::NotFound
            | Code::FailedPrecondition
            | Code::PermissionDenied
            | Code::Unauthenticated => (REFUSED, format!("match {id}: {}", status.message())),
            _ => (FAILED, format!("{}: {}", self.server.address.get(), status.message())),
        }
    }
}

/// The exit status of somebody who cannot reach the server, and why.
pub(super) fn unreachable(error: ServerError) -> Failure {
    (if error.is_input() { REFUSED } else { FAILED }, error.to_string())
}
