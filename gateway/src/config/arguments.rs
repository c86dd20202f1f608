//! The flags, made from the table of settings.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};

use super::layers::{ConfigError, Loaded, load};
use super::print::bare;
use super::settings::{Config, FLAGS, SETTINGS};

/// The headings in the help of the flags, each with the setting that it begins with in the table.
const SECTIONS: [(&str, &str); 6] = [
    ("listen", "Where it listens and keeps things"),
    ("cluster", "Several servers"),
    ("tls_certificate", "TLS, tokens and web pages"),
    ("max_message_bytes", "Limits"),
    ("planning_seconds", "Time"),
    ("otlp", "Traces and the log"),
];

/// What the command line says about the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigArguments {
    /// The configuration file that was named.
    pub(super) file: Option<PathBuf>,
    /// The name and the text of every setting that was given.
    pub(super) given: Vec<(&'static str, String)>,
}

impl ConfigArguments {
    /// The configuration: these flags over the environment, over the file, over the defaults.
    pub fn load(&self) -> Result<Loaded, ConfigError> {
        load(self, |variable| std::env::var_os(variable))
    }
}

impl Args for ConfigArguments {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .help_heading(SECTIONS[0].1)
            .value_parser(value_parser!(PathBuf))
            .help("Read settings from this TOML file instead of parley.toml [env: PARLEY_CONFIG]");
        let defaults = Config::default();
        let mut heading = "Settings";
        let flags = SETTINGS.iter().zip(FLAGS.iter()).map(|(setting, flag)| {
            let what = setting.what.trim().trim_end_matches('.');
            let default = (setting.show)(&defaults).map(|value| bare(&value)).filter(|text| !text.is_empty());
            let default = default.map(|text| format!(" [default: {text}]")).unwrap_or_default();
            if let Some((_, next)) = SECTIONS.iter().find(|(first, _)| *first == setting.name) {
                heading = next;
            }
            let arg = Arg::new(setting.name)
                .long(flag.as_str())
                .action(ArgAction::Set)
                .help_heading(heading)
                .help(format!("{what}{default} [env: {}]", setting.variable()));
            if setting.switch {
                arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("BOOL")
            } else {
                arg.value_name(if setting.range.is_some() { "NUMBER" } else { "VALUE" })
            }
        });
        command.arg(file).args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ConfigArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut arguments = Self::default();
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let unread = |error| clap::Error::raw(ErrorKind::InvalidValue, error);
        if let Some(file) = matches.try_get_one::<PathBuf>("config").map_err(unread)? {
            self.file = Some(file.clone());
        }
        for setting in SETTINGS {
            if let Some(text) = matches.try_get_one::<String>(setting.name).map_err(unread)? {
                self.given.push((setting.name, text.clone()));
            }
        }
        Ok(())
    }
}
