//! The configuration as text: in effect, and as documentation.

use std::fmt::Write;

use super::layers::Loaded;
use super::settings::{Config, SETTINGS, Setting};

impl Loaded {
    /// The configuration in effect as a TOML file, with the source of each value beside it and secrets masked.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for (setting, source) in SETTINGS.iter().zip(&self.sources) {
            let line = match (setting.show)(&self.config) {
                Some(value) => writeln!(text, "{} = {value} # {source}", setting.name),
                None => writeln!(text, "# {} is not set", setting.name),
            };
            line.expect("a string takes all that is written");
        }
        text
    }
}

/// The documented table of all settings, in Markdown.
pub fn table_markdown() -> String {
    let defaults = Config::default();
    let mut text = String::from("| setting | flag | environment | default | allowed | what it is for |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for setting in SETTINGS {
        let default = (setting.show)(&defaults).map(|value| bare(&value)).filter(|text| !text.is_empty());
        let default = default.map_or_else(|| "–".to_owned(), |text| format!("`{text}`"));
        let (flag, variable, what) = (setting.flag(), setting.variable(), setting.what.trim());
        writeln!(
            text,
            "| `{}` | `--{flag}` | `{variable}` | {default} | {} | {what} |",
            setting.name,
            allowed(setting)
        )
        .expect("a string takes all that is written");
    }
    text
}

fn allowed(setting: &Setting) -> String {
    match setting.range {
        Some((least, greatest)) => format!("{least} to {greatest}"),
        None => setting.shape.to_owned(),
    }
}

/// A value as people write it: text without quotes.
pub(super) fn bare(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
