//! The data folder with its keys and its journal, looked at without writing anything.

use std::collections::BTreeSet;
use std::path::Path;

use super::Diagnosis;
use crate::auth::Keyring;
use crate::config::{Config, Store};
use crate::disk;
use crate::folder;
use crate::journal::embedded::{Embedded, OpenError, StoreCondition};
use crate::matches::older_version::{OLDER_VERSION, is_of_older_version};
use crate::server::STORE_FOLDER;

pub(super) fn check(config: &Config, running: bool) -> Vec<Diagnosis> {
    if config.store == Store::Memory {
        let advice = "leave --store away to keep matches in the data folder";
        return vec![Diagnosis::odd("store", "matches are kept in memory and gone with the process", advice)];
    }
    let data = &config.data;
    match folder::check(data) {
        Ok(true) => [room(config), keys(data), journal(data, running)].into_iter().chain(older_matches(data)).collect(),
        Ok(false) => {
            let what =
                format!("{} is not there yet; a start makes it, with new keys and an empty journal", data.display());
            vec![Diagnosis::fine("store", what)]
        }
        Err(error) => vec![Diagnosis::wrong("store", error.to_string(), "")],
    }
}

fn keys(data: &Path) -> Diagnosis {
    let missing = match Keyring::inspect(data) {
        Ok(missing) => missing,
        Err(error) => {
            let advice = "restore the keys from a copy; without them tokens and receipts are void";
            return Diagnosis::wrong("keys", error.to_string(), advice);
        }
    };
    match &*missing {
        [] => Diagnosis::fine("keys", format!("{} has them, and they are sound", data.join("keys").display())),
        missing => {
            let files: Vec<String> = missing.iter().map(|path| path.display().to_string()).collect();
            let what = format!("{} not there yet, and a start makes new keys", files.join(" and "));
            if data.join(STORE_FOLDER).exists() {
                let advice =
                    "restore them from a copy: under other keys the tokens and receipts of older matches are void";
                return Diagnosis::odd("keys", what, advice);
            }
            Diagnosis::fine("keys", what)
        }
    }
}

fn journal(data: &Path, running: bool) -> Diagnosis {
    let folder = data.join(STORE_FOLDER);
    let shown = folder.display();
    match Embedded::inspect(&folder) {
        Ok(StoreCondition::Absent) => Diagnosis::fine("store", format!("{shown} is not there yet; a start makes it")),
        Ok(StoreCondition::Sound) => Diagnosis::fine(
            "store",
            format!("{shown} is not in use and its log is sound; nothing was opened for writing"),
        ),
        Ok(StoreCondition::Unfinished { bytes }) => {
            let what = format!(
                "the last {bytes} bytes of the log in {shown} cannot be read, as after an interrupted commit; a start cuts \
                 them off"
            );
            let advice = "if the machine did not crash or lose power, copy the data folder before the start: the disk may have \
                damaged a commit that was acknowledged";
            Diagnosis::odd("store", what, advice)
        }
        Err(OpenError::InUse { .. }) if running => {
            Diagnosis::fine("store", format!("{shown} is in use by the service that runs"))
        }
        Err(error @ OpenError::InUse { .. }) => {
            Diagnosis::wrong("store", error.to_string(), "end the other process, or choose another folder with --data")
        }
        Err(error) => Diagnosis::wrong("store", error.to_string(), "restore the data folder from a copy"),
    }
}

/// Finds matches that this version cannot read, as far as the log has them. Where the log cannot be read, or the store is in
/// use, that was said before.
fn older_matches(data: &Path) -> Option<Diagnosis> {
    let folder = data.join(STORE_FOLDER);
    Embedded::inspect(&folder).ok().filter(|condition| *condition != StoreCondition::Absent)?;
    let mut older = BTreeSet::new();
    let look = |id, record: &[u8]| {
        if is_of_older_version(record) {
            older.insert(id);
        }
    };
    Embedded::look_at_log(&folder, look).ok()?;
    let first = older.first()?;
    let others = match older.len() - 1 {
        0 => String::new(),
        others => format!(", and {others} others"),
    };
    let what = format!("{OLDER_VERSION} (match {}{others})", first.0);
    let advice = "finish them with the version that recorded them, from a copy of the data folder; other matches go on";
    Some(Diagnosis::odd("matches", what, advice))
}

fn room(config: &Config) -> Diagnosis {
    let folder = config.data.display();
    match disk::free(&config.data) {
        Ok(free) => {
            let what = format!("{} MiB are free in {folder}", free >> 20);
            if free < config.disk_free_to_play.0 {
                let advice = format!("make room: play pauses below {} (disk_free_to_play)", config.disk_free_to_play);
                return Diagnosis::wrong("disk", what, advice);
            }
            if free < config.disk_free_to_create.0 {
                let mark = config.disk_free_to_create;
                let advice = format!("make room: no match is created below {mark} (disk_free_to_create)");
                return Diagnosis::wrong("disk", what, advice);
            }
            Diagnosis::fine("disk", what)
        }
        Err(error) => Diagnosis::odd("disk", format!("nobody can say how much room there is: {error}"), ""),
    }
}
