//! `parley replay`: gets replay files from a server and looks into them.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use parley_games::hosted::Games;
use parley_games::replay::file::{self, Limits};
use parley_gateway::trace::trace_of;
use parley_proto::v1::ReplayRecord;

use super::export::Export;
use super::{FAILED, REFUSED, complain, print};

/// What to do with a replay.
#[derive(Subcommand)]
pub(crate) enum ReplayCommand {
    /// Tell what happened, turn by turn, in sentences.
    Show(Show),
    /// Save a finished match from a server as a replay file.
    Export(Export),
}

/// What to tell.
#[derive(Args)]
pub(crate) struct Show {
    /// The replay file, or - for standard input.
    file: PathBuf,
    /// Only this turn.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
    /// As one line of JSON.
    #[arg(long)]
    json: bool,
    /// Where Jaeger shows traces, to link to those of the turns.
    #[arg(long, value_name = "URL", env = "PARLEY_JAEGER_UI")]
    jaeger_ui: Option<String>,
}

impl ReplayCommand {
    pub(crate) fn run(self) -> ExitCode {
        match self {
            Self::Show(show) => show.run(),
            Self::Export(export) => export.run(),
        }
    }
}

impl Show {
    fn run(self) -> ExitCode {
        let records = match load(&self.file) {
            Ok(records) => records,
            Err(reason) => return complain(REFUSED, reason),
        };
        let mut account = match Games::default().account(&records, self.turn, trace_of) {
            Ok(account) => account,
            Err(finding) => return complain(REFUSED, format!("{}: {finding}", self.file.display())),
        };
        if let Some(url) = &self.jaeger_ui {
            account.link_traces(url);
        }
        if !self.json {
            return print(&account.to_text());
        }
        match serde_json::to_string(&account) {
            Ok(text) => print(&text),
            Err(error) => complain(FAILED, error),
        }
    }
}

/// Reads a replay, or says in one line why not.
pub(super) fn load(path: &Path) -> Result<Vec<ReplayRecord>, String> {
    let limits = Limits::default();
    if path == Path::new("-") {
        return file::read(io::stdin().lock(), &limits).map_err(|error| format!("standard input: {error}"));
    }
    let source = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    file::read(BufReader::new(source), &limits).map_err(|error| format!("{}: {error}", path.display()))
}
