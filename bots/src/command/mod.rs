//! The subcommands, and how they speak: results on standard output, one line on standard error for what went wrong.
//!
//! Exit status: 0 done, 1 the machine or the server failed, 2 the input is at fault, 3 a bot played to the end but the
//! server refused some of what it said.

mod create;
pub(crate) mod join;
pub(crate) mod league;
pub(crate) mod load;
pub(crate) mod play;
pub(crate) mod watch;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use parley_bots::server::ServerError;

/// The exit status where the input is at fault.
const REFUSED: u8 = 2;
/// The exit status where the machine or the server failed.
const FAILED: u8 = 1;
/// The exit status where everything was played to its end, but orders or answers of a policy were refused.
pub(crate) const REFUSED_ORDERS: u8 = 3;

/// The exit statuses, for the end of every `--help`.
pub(crate) const STATUSES: &str = "\
Exit status: 0 done, 1 the machine or the server failed, 2 the input is at fault, 3 played to the end, but orders or \
answers of a policy were refused";

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) struct Complaint {
    status: u8,
    /// The sentence that is printed; `None` where everything was said already.
    text: Option<String>,
}

impl Complaint {
    /// A complaint that the input is at fault.
    pub(crate) fn input(what: impl Display) -> Self {
        Self { status: REFUSED, text: Some(what.to_string()) }
    }

    /// A complaint about the input, or else about the machine or the server.
    pub(crate) fn of(input: bool, what: impl Display) -> Self {
        if input { Self::input(what) } else { Self::failure(what) }
    }

    /// A complaint that the machine or the server failed.
    pub(crate) fn failure(what: impl Display) -> Self {
        Self { status: FAILED, text: Some(what.to_string()) }
    }

    /// A complaint that was told already and needs no more words.
    pub(crate) const fn told(status: u8) -> Self {
        Self { status, text: None }
    }

    /// A complaint that orders or answers of a policy were refused.
    pub(crate) fn refused_orders(what: impl Display) -> Self {
        Self { status: REFUSED_ORDERS, text: Some(what.to_string()) }
    }
}

impl From<ServerError> for Complaint {
    fn from(error: ServerError) -> Self {
        Self::of(error.is_input(), error)
    }
}

/// Runs a command to its end, on as many threads as there are processors.
pub(crate) fn run(command: impl Future<Output = Result<(), Complaint>>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(command),
        Err(error) => Err(Complaint::failure(format!("no threads: {error}"))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Complaint { status, text }) => {
            if let Some(text) = text {
                say(&text);
            }
            ExitCode::from(status)
        }
    }
}

/// Says something beside the result, on standard error; where that is closed there is nobody left to tell.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Prints a line of a result; a reader who has gone away is no fault of ours.
pub(crate) fn print(line: &str) -> Result<(), Complaint> {
    match writeln!(io::stdout().lock(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Complaint::failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Something random that nobody can guess, as a request id.
pub(crate) fn unguessable() -> Result<String, Complaint> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Complaint::failure(format!("no randomness: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
