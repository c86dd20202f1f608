//! The data folder with its keys and its journal, looked at without writing anything.

use std::path::Path;

use super::Finding;
use crate::auth::Keyring;
use crate::config::{Config, Store};
use crate::disk;
use crate::folder;
use crate::journal::embedded::{Embedded, Look, OpenError};
use crate::server::STORE_FOLDER;

pub(super) fn look(config: &Config, running: bool) -> Vec<Finding> {
    if config.store == Store::Memory {
        let advice = "leave --store away to keep matches in the data folder";
        return vec![Finding::odd("store", "matches are kept in memory and gone with the process", advice)];
    }
    let data = &config.data;
    match folder::look(data) {
        Ok(true) => vec![room(config), keys(data), journal(data, running)],
        Ok(false) => {
            let what =
                format!("{} is not there yet; a start makes it, with new keys and an empty journal", data.display());
            vec![Finding::fine("store", what)]
        }
        Err(error) => vec![Finding::wrong("store", error.to_string(), "")],
    }
}

fn keys(data: &Path) -> Finding {
    let missing = match Keyring::look(data) {
        Ok(missing) => missing,
        Err(error) => {
            let advice = "restore the keys from a copy; without them tokens and receipts are void";
            return Finding::wrong("keys", error.to_string(), advice);
        }
    };
    match &*missing {
        [] => Finding::fine("keys", format!("{} has them, and they are sound", data.join("keys").display())),
        missing => {
            let files: Vec<String> = missing.iter().map(|path| path.display().to_string()).collect();
            let what = format!("{} not there yet, and a start makes new keys", files.join(" and "));
            if data.join(STORE_FOLDER).exists() {
                let advice =
                    "restore them from a copy: under other keys the tokens and receipts of older matches are void";
                return Finding::odd("keys", what, advice);
            }
            Finding::fine("keys", what)
        }
    }
}

fn journal(data: &Path, running: bool) -> Finding {
    let folder = data.join(STORE_FOLDER);
    let shown = folder.display();
    match Embedded::look(&folder) {
        Ok(Look::Absent) => Finding::fine("store", format!("{shown} is not there yet; a start makes it")),
        Ok(Look::Sound) => Finding::fine(
            "store",
            format!("{shown} is not in use and its log is sound; nothing was opened for writing"),
        ),
        Ok(Look::Unfinished) => {
            let what = format!(
                "the last commit in {shown} was interrupted; nothing acknowledged is in it, and a start cuts it off"
            );
            Finding::fine("store", what)
        }
        Err(OpenError::InUse { .. }) if running => {
            Finding::fine("store", format!("{shown} is in use by the service that runs"))
        }
        Err(error @ OpenError::InUse { .. }) => {
            Finding::wrong("store", error.to_string(), "end the other process, or choose another folder with --data")
        }
        Err(error) => Finding::wrong("store", error.to_string(), "restore the data folder from a copy"),
    }
}

fn room(config: &Config) -> Finding {
    let folder = config.data.display();
    match disk::free(&config.data) {
        Ok(free) => {
            let what = format!("{} MiB are free in {folder}", free >> 20);
            if free < config.disk_free_to_play.0 {
                let advice = format!("make room: play pauses below {} (disk_free_to_play)", config.disk_free_to_play);
                return Finding::wrong("disk", what, advice);
            }
            if free < config.disk_free_to_create.0 {
                let mark = config.disk_free_to_create;
                let advice = format!("make room: no match is created below {mark} (disk_free_to_create)");
                return Finding::wrong("disk", what, advice);
            }
            Finding::fine("disk", what)
        }
        Err(error) => Finding::odd("disk", format!("nobody can say how much room there is: {error}"), ""),
    }
}
