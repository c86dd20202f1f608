//! Lays defaults, file, environment and flags over each other, and remembers which one won.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::arguments::ConfigArguments;
use super::check::check;
use super::environment::nearest;
use super::settings::{Config, SETTINGS, Setting, find, named};

/// The file that is read where none is named, if it exists.
const DEFAULT_FILE: &str = "parley.toml";
/// The variable that names a file.
pub(super) const FILE_VARIABLE: &str = "PARLEY_CONFIG";
/// A configuration file is not longer than this.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The default, because nobody said otherwise.
    Default,
    /// A line of a file.
    File {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, counted from 1.
        line: usize,
    },
    /// A variable of the environment.
    Environment(String),
    /// A flag on the command line.
    Flag(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}, line {line}", path.display()),
            Self::Environment(variable) => f.write_str(variable),
            Self::Flag(flag) => write!(f, "--{flag}"),
        }
    }
}

/// Everything that is wrong with a configuration, a sentence each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The sentences, one for each fault.
    pub faults: Vec<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.faults.join("\n"))
    }
}

impl std::error::Error for ConfigError {}

/// A configuration, and where its values came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The configuration that the layers lead to.
    pub config: Config,
    /// Where each value came from, in the order of the table.
    pub(super) sources: Vec<Source>,
}

impl Loaded {
    /// Where the value of a setting came from.
    pub fn source(&self, name: &str) -> Option<&Source> {
        let row = SETTINGS.iter().position(|setting| setting.name == name)?;
        self.sources.get(row)
    }
}

/// The layers so far, and what was wrong with them.
struct Layers {
    loaded: Loaded,
    faults: Vec<String>,
}

impl Layers {
    fn put(&mut self, setting: &Setting, text: &str, source: Source) {
        // The text is not in the sentence: it may be a secret.
        if let Err(allowed) = (setting.set)(&mut self.loaded.config, text) {
            return self.faults.push(format!("{source}: {} must be {allowed}", setting.name));
        }
        if let Some(row) = SETTINGS.iter().position(|other| other.name == setting.name) {
            self.loaded.sources[row] = source;
        }
    }

    fn file(&mut self, path: &Path, text: &str) {
        let line = |offset: usize| text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
        let keys: BTreeMap<Spanned<String>, Spanned<toml::Value>> = match toml::from_str(text) {
            Ok(keys) => keys,
            Err(error) => {
                let line = error.span().map_or(1, |span| line(span.start));
                let said = match lacks_quotes(text.lines().nth(line - 1).unwrap_or_default()) {
                    Some(setting) => format!("text wants quotes, as in {} = \"…\"", setting.name),
                    None => error.message().lines().next().unwrap_or_default().to_owned(),
                };
                return self.faults.push(format!("{}, line {line}: {said}", path.display()));
            }
        };
        for (key, value) in keys {
            let source = Source::File { path: path.to_owned(), line: line(key.span().start) };
            match (find(key.get_ref()), plain(value.get_ref())) {
                (None, _) => {
                    let meant = nearest(key.get_ref(), SETTINGS.iter().map(|setting| setting.name));
                    let hint = meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
                    self.faults.push(format!("{source}: there is no setting {:?}{hint}", key.get_ref()));
                }
                (Some(setting), Some(text)) => self.put(setting, &text, source),
                (Some(setting), None) => {
                    self.faults.push(format!("{source}: {} must be {}", setting.name, setting.allowed()));
                }
            }
        }
    }

    fn environment(&mut self, environment: impl Fn(&str) -> Option<OsString>) {
        for setting in SETTINGS {
            let variable = setting.variable();
            match environment(&variable).map(OsString::into_string) {
                None => {}
                // An empty variable is how many tools write one that is not set.
                Some(Ok(text)) if text.is_empty() => {}
                Some(Ok(text)) => self.put(setting, &text, Source::Environment(variable)),
                Some(Err(_)) => self.faults.push(format!("{variable}: not UTF-8 text")),
            }
        }
    }
}

/// The setting of a line of TOML whose value is text without the quotes that TOML wants around it.
fn lacks_quotes(line: &str) -> Option<&'static Setting> {
    let (name, value) = line.split_once('=')?;
    let setting = find(name.trim())?;
    let is_bare = !value.trim_start().starts_with(['"', '\'', '[', '{', '=']) && !value.trim().is_empty();
    (is_bare && toml::from_str::<toml::Table>(line).is_err()).then_some(setting)
}

/// A text, number or truth value as text.
fn plain(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(truth) => Some(truth.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Lays everything over each other and checks the result.
pub(super) fn load(
    arguments: &ConfigArguments,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<Loaded, ConfigError> {
    let loaded = Loaded { config: Config::default(), sources: vec![Source::Default; SETTINGS.len()] };
    let mut layers = Layers { loaded, faults: Vec::new() };
    let variable = environment(FILE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    match arguments.file.clone().or(variable) {
        Some(path) => match read(&path) {
            Ok(text) => layers.file(&path, &text),
            Err(error) => layers.faults.push(format!("{}: {error}", path.display())),
        },
        None => match read(Path::new(DEFAULT_FILE)) {
            Ok(text) => layers.file(Path::new(DEFAULT_FILE), &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => layers.faults.push(format!("{DEFAULT_FILE}: {error}")),
        },
    }
    layers.environment(environment);
    for (name, text) in &arguments.given {
        let setting = named(name);
        layers.put(setting, text, Source::Flag(setting.flag()));
    }
    if layers.faults.is_empty() {
        layers.faults = check(&layers.loaded.config);
    }
    if layers.faults.is_empty() { Ok(layers.loaded) } else { Err(ConfigError { faults: layers.faults }) }
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!("more than {MAX_FILE_BYTES} bytes, which is the most that is read")));
    }
    Ok(text)
}
