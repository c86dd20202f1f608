//! A seat that is remembered, so that a screen can be closed and opened again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The longest file of a seat that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 16 * 1024;

/// Everything that is needed to go on playing. Whoever can read it can play.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSeat {
    /// The address of the server.
    pub address: String,
    /// The id of the match.
    pub match_id: String,
    /// The number of the seat.
    pub seat: u32,
    /// The player's token.
    pub token: String,
}

impl std::fmt::Debug for SavedSeat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SavedSeat {{ address: {:?}, match_id: {:?}, seat: {} }}", self.address, self.match_id, self.seat)
    }
}

impl SavedSeat {
    /// Reads a seat from its file.
    pub fn read(path: &Path) -> io::Result<Self> {
        if fs::metadata(path)?.len() > MAX_FILE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "this is too long for a seat"));
        }
        serde_json::from_slice(&fs::read(path)?).map_err(|error| {
            let place = format!("this is no seat: line {}, column {}", error.line(), error.column());
            io::Error::new(io::ErrorKind::InvalidData, place)
        })
    }

    /// Writes a seat to a new file that only its owner can read.
    pub fn keep(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()
    }
}

/// Where the seat of a match is kept unless somebody says otherwise: in the user's folder for such things, or else in
/// the current one.
pub fn usual_place(match_id: &str, value: impl Fn(&str) -> Option<String>) -> PathBuf {
    let set = |key: &str| value(key).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local").join("state")));
    let name: String = match_id.chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '-').collect();
    state.map(|state| state.join("parley")).unwrap_or_default().join(format!("{name}.seat"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat() -> SavedSeat {
        SavedSeat {
            address: "localhost:7400".to_owned(),
            match_id: "m".to_owned(),
            seat: 1,
            token: "secret".to_owned(),
        }
    }

    #[test]
    fn a_seat_is_kept_for_its_owner_alone_and_never_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a").join("b.seat");
        seat().keep(&path).expect("kept");
        assert_eq!(SavedSeat::read(&path).expect("read"), seat());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        }
        let again = seat().keep(&path).expect_err("it is there already");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert!(!format!("{:?}", seat()).contains("secret"));
    }

    #[test]
    fn what_is_no_seat_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("no.seat");
        fs::write(&path, "{\"token\": \"secret\"").expect("written");
        let error = SavedSeat::read(&path).expect_err("half of it").to_string();
        assert!(error.starts_with("this is no seat: line 1") && !error.contains("secret"), "{error}");
        fs::write(&path, " ".repeat(MAX_FILE_BYTES as usize + 1)).expect("written");
        assert!(SavedSeat::read(&path).is_err());
    }

    #[test]
    fn the_usual_place_is_the_users() {
        let home = |key: &str| (key == "HOME").then(|| "/home/ann".to_owned());
        assert_eq!(usual_place("a-1/../x", home), Path::new("/home/ann/.local/state/parley/a-1x.seat"));
        let state = |key: &str| (key == "XDG_STATE_HOME").then(|| "/state".to_owned());
        assert_eq!(usual_place("a", state), Path::new("/state/parley/a.seat"));
        assert_eq!(usual_place("a", |_| None), Path::new("a.seat"));
    }
}
