//! `parley resolve`: a scenario in, its outcome out, no server needed.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parley_games::hosted::{MAX_SCENARIO_BYTES, Scenarios};

use super::ruleset::Ruleset;
use super::{FAILED, REFUSED, complain, print, read};

/// What to resolve.
#[derive(Args)]
pub(crate) struct Resolve {
    /// Read one scenario per line and print one result per line.
    #[arg(long)]
    lines: bool,
    /// The scenario file, or - for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    ruleset: Ruleset,
}

impl Resolve {
    pub(crate) fn run(self) -> ExitCode {
        let scenarios = match self.ruleset.tools() {
            Ok(tools) => tools.scenarios(),
            Err(status) => return status,
        };
        if self.lines { self.many(&scenarios) } else { self.one(&scenarios) }
    }

    fn one(&self, scenarios: &Scenarios) -> ExitCode {
        let text = match read(&self.file, MAX_SCENARIO_BYTES) {
            Ok(text) => text,
            Err(status) => return status,
        };
        match scenarios(&text) {
            Ok(result) => print(&result),
            Err(faults) => complain(REFUSED, faults.join("\n")),
        }
    }

    /// Every line gets a line: its result, or an object with its faults, which are also told on standard error.
    fn many(&self, scenarios: &Scenarios) -> ExitCode {
        let mut source: Box<dyn BufRead> = if self.file.as_os_str() == "-" {
            Box::new(io::stdin().lock())
        } else {
            match std::fs::File::open(&self.file) {
                Ok(file) => Box::new(io::BufReader::new(file)),
                Err(error) => return complain(FAILED, format!("{}: {error}", self.file.display())),
            }
        };
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut line = Vec::new();
        let mut refused = false;
        for number in 1u64.. {
            line.clear();
            let read = source.by_ref().take(MAX_SCENARIO_BYTES as u64 + 2).read_until(b'\n', &mut line);
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return complain(FAILED, format!("{}: {error}", self.file.display())),
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            // Every answer goes out at once: whoever asks line by line waits for it.
            let written = match resolve_line(scenarios, text) {
                Ok(result) => writeln!(out, "{result}").and_then(|()| out.flush()),
                Err(faults) => {
                    refused = true;
                    for fault in &faults {
                        complain(REFUSED, format!("line {number}: {fault}"));
                    }
                    writeln!(out, "{}", faults_json(&faults)).and_then(|()| out.flush())
                }
            };
            match written {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
                Err(error) => return complain(FAILED, format!("standard output: {error}")),
            }
            if text.len() > MAX_SCENARIO_BYTES {
                // The rest of an over-long line is not a line of its own.
                return complain(REFUSED, format!("line {number}: reading stops here"));
            }
        }
        if refused { ExitCode::from(REFUSED) } else { ExitCode::SUCCESS }
    }
}

fn resolve_line(scenarios: &Scenarios, line: &[u8]) -> Result<String, Vec<String>> {
    if line.len() > MAX_SCENARIO_BYTES {
        return Err(vec![format!("more than {MAX_SCENARIO_BYTES} bytes, which is the most that is read")]);
    }
    let text = str::from_utf8(line).map_err(|_| vec!["not UTF-8 text".to_owned()])?;
    scenarios(text)
}

/// The faults of a line as JSON.
fn faults_json(faults: &[String]) -> String {
    serde_json::json!({ "faults": faults }).to_string()
}
