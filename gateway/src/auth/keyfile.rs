//! Secrets in files: nobody else may read them, and a crash leaves the old file or the new one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use ed25519_dalek::SigningKey;

use super::KeyError;

/// The first word of a key file.
const HEADING: &str = "parley-ed25519-v1";
/// A key file is one short line; nothing longer is read.
const MAX_BYTES: u64 = 512;

/// The key in a file, or `None` where there is no such file.
pub(super) fn load(path: &Path) -> Result<Option<SigningKey>, KeyError> {
    let failed = |source| KeyError::Failed { path: path.to_owned(), source };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    if let Some(mode) = open_to_others(&file.metadata().map_err(failed)?) {
        return Err(KeyError::Exposed { path: path.to_owned(), mode });
    }
    let mut text = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut text).map_err(failed)?;
    parse(&text).map(Some).ok_or_else(|| KeyError::Damaged { path: path.to_owned() })
}

/// Writes a new key into a file.
pub(super) fn create(path: &Path) -> Result<SigningKey, KeyError> {
    let key = generate()?;
    let line = format!("{HEADING} {} {}\n", hex(key.as_bytes()), hex(key.verifying_key().as_bytes()));
    write(path, line.as_bytes())?;
    Ok(key)
}

/// A new key that is in no file.
pub(super) fn generate() -> Result<SigningKey, KeyError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|_| KeyError::NoRandomness)?;
    Ok(SigningKey::from_bytes(&seed))
}

/// Replaces a file that only its owner may read: a new file is written, synced and renamed, then the folder is synced.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), KeyError> {
    replace(path, bytes).map_err(|source| KeyError::Failed { path: path.to_owned(), source })
}

/// Whether a file that only its owner may read has exactly these bytes.
pub(super) fn holds(path: &Path, bytes: &[u8]) -> bool {
    let private = fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && open_to_others(&about).is_none());
    private && fs::read(path).is_ok_and(|found| found == bytes)
}

/// Makes a folder that only its owner may enter, where there is none.
pub(super) fn make_folder(path: &Path) -> Result<(), KeyError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| KeyError::Failed { path: path.to_owned(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    if let Err(error) = fs::remove_file(&unfinished)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&unfinished, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

fn parse(text: &[u8]) -> Option<SigningKey> {
    let line = str::from_utf8(text).ok()?.strip_suffix('\n')?;
    let mut words = line.split(' ');
    let (heading, seed, public, rest) = (words.next()?, words.next()?, words.next()?, words.next());
    if heading != HEADING || rest.is_some() {
        return None;
    }
    let key = SigningKey::from_bytes(&unhex(seed)?);
    // The public half is in the file so that a flipped bit in the seed does not quietly make another key.
    (unhex(public)? == *key.verifying_key().as_bytes()).then_some(key)
}

fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    blake3::Hash::from_hex(text).ok().map(Into::into)
}

/// The mode of a file that others than its owner may read or write.
#[cfg(unix)]
fn open_to_others(metadata: &fs::Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn open_to_others(_: &fs::Metadata) -> Option<u32> {
    None
}
