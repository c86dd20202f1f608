//! The data folder, looked at before anything is written to it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Why a folder cannot be the data folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is a file where a folder is needed.
    #[error("{} is a file, so it cannot be the data folder {}; move it away, or choose another folder with --data",
        file.display(), folder.display())]
    IsFile {
        /// The file that is in the way.
        file: PathBuf,
        /// The folder that was wanted.
        folder: PathBuf,
    },
    /// The user of the service may not read and write there.
    #[error("{} may not be read and written by this user ({source}); give it to the user of the service with chown, \
        or choose another data folder with --data", path.display())]
    Forbidden {
        /// The folder, or the one that it would be made in.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The machine does not say what is there.
    #[error("{} cannot be used as a data folder: {source}", path.display())]
    Failed {
        /// The folder that was looked at.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Whether the data folder is there already; where it is not, whether it can be made. Changes nothing.
pub fn check(folder: &Path) -> Result<bool, FolderError> {
    let mut nearest = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    loop {
        match fs::metadata(nearest) {
            Ok(about) if about.is_dir() => break,
            Ok(_) => return Err(FolderError::IsFile { file: nearest.to_owned(), folder: folder.to_owned() }),
            Err(source) if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                nearest = match nearest.parent() {
                    Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
                    Some(parent) => parent,
                    None => return Err(FolderError::Failed { path: folder.to_owned(), source }),
                };
            }
            Err(source) => return Err(refused(nearest, source)),
        }
    }
    access(nearest, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| refused(nearest, error.into()))?;
    Ok(nearest == folder)
}

fn refused(path: &Path, source: io::Error) -> FolderError {
    let path = path.to_owned();
    match source.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => FolderError::Forbidden { path, source },
        _ => FolderError::Failed { path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_or_can_be_made_or_has_a_file_in_its_way() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let file = folder.path().join("file");
        fs::write(&file, "not a folder").expect("written");
        assert!(check(folder.path()).expect("it is there"));
        assert!(!check(&folder.path().join("a/b/c")).expect("it can be made"));
        assert!(!check(Path::new("no-such-folder-here")).expect("it can be made"));
        for inside in [file.clone(), file.join("data"), file.join("a/b")] {
            let said = check(&inside).expect_err("a file is in the way").to_string();
            let path = file.display();
            assert!(said.starts_with(&format!("{path} is a file, so it cannot be the data folder")), "{said}");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1, "nothing was made");
    }

    #[test]
    fn who_may_not_write_is_told_what_to_do() {
        let said = refused(Path::new("/data"), ErrorKind::PermissionDenied.into()).to_string();
        assert!(said.starts_with("/data may not be read and written by this user (permission denied)"), "{said}");
        assert!(said.contains("chown") && said.contains("--data"), "{said}");
    }
}
