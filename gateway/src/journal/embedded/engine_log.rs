//! Looks over the engine's log before the engine opens it.
//!
//! The engine appends every commit to a log (`N.jnl`) and replays it when it opens. It stops at the first thing it
//! cannot read and cuts everything after that without a word, even where thousands of sound commits follow; or, where
//! only the checksum is wrong, it refuses to open, even where that is the last commit and the power went off in the
//! middle of it. Neither will do. Here the last, unfinished commit is cut with a line in the log of the service, and
//! damage with sound commits after it is an error that changes nothing.
//!
//! A commit is `1, items: u32, order: u64`, that many items, and `3, checksum: u64, "FJL\x03"`. An item is `2, type:
//! u8, compression: u8, keyspace: u64, key length: u16, value length: u32, stored length: u32, key, value`. Numbers are
//! little-endian, the checksum is the XXH3 of all items. The rest of a file is zeros.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::OpenError;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const MAGIC: &[u8; 4] = b"FJL\x03";
const START_LENGTH: usize = 1 + 4 + 8;
const ITEM_HEAD_LENGTH: usize = 1 + 1 + 1 + 8 + 2 + 4 + 4;
const END_LENGTH: usize = 1 + 8 + 4;

/// Orders from here on belong to the engine itself.
const ORDER_LIMIT: u64 = 1 << 63;

/// What the bytes of one log file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogVerdict {
    /// The file has nothing but sound commits.
    Sound,
    /// There are sound commits up to `sound`, and then one that was never finished.
    Unfinished { sound: usize },
    /// There are sound commits up to `sound`, then something bad that no interrupted write leaves behind.
    Damaged { sound: usize },
}

/// The commit at the end of the last log file that was never finished.
pub(super) struct Unfinished {
    file: PathBuf,
    /// The byte where the commit begins.
    at: usize,
    /// How many bytes of it there are.
    pub(super) bytes: usize,
}

/// Checks all log files in a folder of the engine and cuts an unfinished commit, which has at most `most` bytes, off the
/// last one.
pub(super) fn check(folder: &Path, most: usize) -> Result<(), OpenError> {
    if let Some(Unfinished { file, at, bytes }) = inspect_all(folder, most)? {
        cut(&file, at).map_err(|error| OpenError::failed(&file, &error))?;
        tracing::warn!(file = %file.display(), at, bytes, "cut the end of the log, which cannot be read: no commit follows");
    }
    Ok(())
}

/// Looks over all log files in a folder of the engine and changes nothing. A commit has at most `most` bytes: where more
/// cannot be read, it is not for one that was interrupted.
pub(super) fn inspect_all(folder: &Path, most: usize) -> Result<Option<Unfinished>, OpenError> {
    let files = log_files(folder).map_err(|error| OpenError::failed(folder, &error))?;
    let mut order = None;
    for (index, file) in files.iter().enumerate() {
        let bytes = fs::read(file).map_err(|error| OpenError::failed(file, &error))?;
        let is_last = index + 1 == files.len();
        match inspect(&bytes, &mut order) {
            LogVerdict::Sound => {}
            LogVerdict::Unfinished { sound } if is_last && written(&bytes).len() - sound <= most => {
                let bytes = written(&bytes).len() - sound;
                return Ok(Some(Unfinished { file: file.clone(), at: sound, bytes }));
            }
            LogVerdict::Unfinished { sound } | LogVerdict::Damaged { sound } => {
                return Err(OpenError::Damaged { file: file.clone(), at: sound });
            }
        }
    }
    Ok(None)
}

/// Shows the key and the value of each item in the sound commits of all log files, and changes nothing.
pub(super) fn each_item(folder: &Path, mut show: impl FnMut(&[u8], &[u8])) -> Result<(), OpenError> {
    let files = log_files(folder).map_err(|error| OpenError::failed(folder, &error))?;
    for file in files {
        let bytes = fs::read(&file).map_err(|error| OpenError::failed(&file, &error))?;
        let mut rest = written(&bytes);
        while let Some(commit) = rest.first().and_then(|_| Commit::read(rest)) {
            let mut items = &rest[START_LENGTH..commit.length - END_LENGTH];
            while let Some(length) = item_length(items) {
                if let Some((key, value)) = key_and_value(&items[..length]) {
                    show(key, value);
                }
                items = &items[length..];
            }
            rest = &rest[commit.length..];
        }
    }
    Ok(())
}

/// The log files in the order they were written.
fn log_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jnl")?.parse::<u64>().ok());
        files.extend(number.map(|number| (number, path)));
    }
    files.sort_unstable();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

fn cut(file: &Path, length: usize) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(file)?;
    file.set_len(length as u64)?;
    file.sync_all()
}

/// The bytes before the zeros at the end.
fn written(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// Whether a file of the engine has no commits, sound or not.
pub(super) fn is_blank(file: &Path) -> io::Result<bool> {
    Ok(written(&fs::read(file)?).is_empty())
}

/// Reads one log file. `order` is the order of the last commit before it, and afterwards of the last commit in it.
///
/// Commits come in order. One that does not cannot be the work of an interrupted write.
pub(super) fn inspect(bytes: &[u8], order: &mut Option<u64>) -> LogVerdict {
    let bytes = written(bytes);
    let mut sound = 0;
    while sound < bytes.len() {
        let Some(commit) = Commit::read(&bytes[sound..]) else {
            let follows = others_follow(&bytes[sound..], *order);
            return if follows { LogVerdict::Damaged { sound } } else { LogVerdict::Unfinished { sound } };
        };
        if !commit.follows(*order) {
            return LogVerdict::Damaged { sound };
        }
        sound += commit.length;
        *order = Some(commit.order);
    }
    LogVerdict::Sound
}

/// Whether a sound commit follows somewhere on a broken one, which the bytes begin with, after the commit with an order.
///
/// What the broken commit says of its own length does not count, because that may be what is broken. Nor can a record in
/// it hold something that looks like a commit: a commit has bytes that are control characters, and neither names, reasons,
/// ids of requests, rules nor maps may have any (`match_state/check.rs`, `text.rs`); what callers may choose freely are
/// secrets of 32 bytes, and no commit is so short. If one could, a store would be refused and nothing would be lost.
fn others_follow(bytes: &[u8], order: Option<u64>) -> bool {
    (1..bytes.len()).any(|at| Commit::read(&bytes[at..]).is_some_and(|commit| commit.follows(order)))
}

/// A whole commit in a log file.
struct Commit {
    order: u64,
    length: usize,
}

impl Commit {
    /// Whether the commit can come after the one with another order.
    fn follows(&self, order: Option<u64>) -> bool {
        self.order < ORDER_LIMIT && order.is_none_or(|order| self.order > order)
    }

    /// Reads the commit that begins at the first byte, if a whole one does.
    fn read(bytes: &[u8]) -> Option<Self> {
        if bytes[0] != START || *bytes.get(START_LENGTH)? != ITEM {
            return None;
        }
        let items = number::<4>(bytes, 1)?;
        let order = number::<8>(bytes, 5)?;
        let mut at = START_LENGTH;
        for _ in 0..items {
            at += item_length(bytes.get(at..)?)?;
        }
        let end = bytes.get(at..at + END_LENGTH)?;
        let is_whole =
            end[0] == END && end[9..] == *MAGIC && number::<8>(end, 1) == Some(xxh3_64(&bytes[START_LENGTH..at]));
        is_whole.then_some(Self { order, length: at + END_LENGTH })
    }
}

/// The length of the item at the first byte, if it is one and all of it is there.
fn item_length(bytes: &[u8]) -> Option<usize> {
    if *bytes.first()? != ITEM {
        return None;
    }
    let key = number::<2>(bytes, 11)?;
    let stored = number::<4>(bytes, 17)?;
    let length = ITEM_HEAD_LENGTH + usize::try_from(key + stored).ok()?;
    (length <= bytes.len()).then_some(length)
}

/// The key and the value of a whole item, where it is not compressed: the store asks for a log without compression.
fn key_and_value(item: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_plain = item.get(2) == Some(&0);
    let key = usize::try_from(number::<2>(item, 11)?).ok()?;
    item.get(ITEM_HEAD_LENGTH..)?.split_at_checked(key).filter(|_| is_plain)
}

/// The little-endian number of `N` bytes at `at`.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(bytes.get(at..at + N)?);
    Some(u64::from_le_bytes(wide))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(order: u64, values: &[&[u8]]) -> Vec<u8> {
        let mut items = Vec::new();
        for value in values {
            let length = u32::try_from(value.len()).expect("short");
            items.extend([ITEM, 0, 0]);
            items.extend(1u64.to_le_bytes());
            items.extend(3u16.to_le_bytes());
            items.extend(length.to_le_bytes());
            items.extend(length.to_le_bytes());
            items.extend(b"key");
            items.extend(*value);
        }
        let mut bytes = vec![START];
        bytes.extend(u32::try_from(values.len()).expect("few").to_le_bytes());
        bytes.extend(order.to_le_bytes());
        bytes.extend(&items);
        bytes.push(END);
        bytes.extend(xxh3_64(&items).to_le_bytes());
        bytes.extend(MAGIC);
        bytes
    }

    /// Three commits, and where each ends.
    fn three() -> (Vec<u8>, [usize; 3]) {
        let parts = [commit(4, &[b"one"]), commit(5, &[b"two", &[0; 40]]), commit(9, &[b"three"])];
        let ends = [parts[0].len(), parts[0].len() + parts[1].len(), parts.iter().map(Vec::len).sum()];
        (parts.concat(), ends)
    }

    #[test]
    fn sound_commits_and_zeros_are_sound() {
        let (mut bytes, _) = three();
        let mut order = Some(3);
        assert_eq!(inspect(&bytes, &mut order), LogVerdict::Sound);
        assert_eq!(order, Some(9));
        bytes.extend([0; 100]);
        assert_eq!(inspect(&bytes, &mut None), LogVerdict::Sound);
        assert_eq!(inspect(&[], &mut None), LogVerdict::Sound);
        assert_eq!(inspect(&[0; 9], &mut None), LogVerdict::Sound);
    }

    #[test]
    fn a_cut_leaves_the_whole_commits() {
        let (bytes, ends) = three();
        for length in 0..bytes.len() {
            let sound = ends.iter().copied().filter(|end| *end <= length).max().unwrap_or(0);
            let expected = if sound == length { LogVerdict::Sound } else { LogVerdict::Unfinished { sound } };
            assert_eq!(inspect(&bytes[..length], &mut None), expected, "cut at {length}");
        }
    }

    #[test]
    fn a_flipped_bit_before_the_last_commit_is_damage_and_in_it_is_unfinished() {
        let (bytes, ends) = three();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                let sound = ends.iter().copied().filter(|end| *end <= at).max().unwrap_or(0);
                let verdict = inspect(&bad, &mut Some(3));
                if (START_LENGTH - 8..START_LENGTH).contains(&(at - sound)) {
                    assert!(
                        !matches!(verdict, LogVerdict::Unfinished { .. }),
                        "the order, bit {bit} of {at}: {verdict:?}"
                    );
                } else if sound == ends[1] {
                    assert_eq!(verdict, LogVerdict::Unfinished { sound }, "bit {bit} of {at}");
                } else {
                    assert_eq!(verdict, LogVerdict::Damaged { sound }, "bit {bit} of {at}");
                }
            }
        }
    }

    #[test]
    fn a_commit_out_of_order_is_damage() {
        let late = [commit(8, &[b"one"]), commit(7, &[b"two"]), commit(9, &[b"three"])].concat();
        assert_eq!(inspect(&late, &mut None), LogVerdict::Damaged { sound: commit(8, &[b"one"]).len() });
        assert_eq!(inspect(&commit(1 << 63, &[b"far"]), &mut None), LogVerdict::Damaged { sound: 0 });
        assert_eq!(inspect(&commit(4, &[b"old"]), &mut Some(4)), LogVerdict::Damaged { sound: 0 });
    }

    #[test]
    fn a_flipped_bit_is_damage_also_where_the_last_commit_is_torn() {
        let parts = [
            commit(4, &[b"one"]),
            commit(5, &[b"two", &[0; 40]]),
            commit(9, &[b"three"]),
            commit(12, &[b"four", &[7; 30]]),
        ];
        let ends: Vec<usize> = (1..=parts.len()).map(|count| parts[..count].iter().map(Vec::len).sum()).collect();
        let whole = parts.concat();
        for torn in [1, START_LENGTH, START_LENGTH + ITEM_HEAD_LENGTH + 2, parts[3].len() - 1] {
            for at in 0..ends[1] {
                for bit in 0..8 {
                    let mut bad = whole[..ends[2] + torn].to_vec();
                    bad[at] ^= 1 << bit;
                    let sound = ends.iter().copied().filter(|end| *end <= at).max().unwrap_or(0);
                    let verdict = inspect(&bad, &mut Some(3));
                    let is_order = (START_LENGTH - 8..START_LENGTH).contains(&(at - sound));
                    let is_whole = verdict == LogVerdict::Unfinished { sound: ends[2] };
                    assert!(
                        matches!(verdict, LogVerdict::Damaged { .. }) || is_order && is_whole,
                        "bit {bit} of {at}, {torn} bytes of the last: {verdict:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_length_that_is_broken_hides_no_commit() {
        let parts = [commit(4, &[b"one"]), commit(5, &[b"two"]), commit(6, &[b"three"]), commit(7, &[b"four"])];
        let mut bytes = parts.concat();
        bytes.truncate(bytes.len() - 5);
        // The highest byte of the stored length: the item seems to hold everything that follows.
        bytes[parts[0].len() + START_LENGTH + ITEM_HEAD_LENGTH - 1] ^= 0x80;
        assert_eq!(inspect(&bytes, &mut None), LogVerdict::Damaged { sound: parts[0].len() });
    }

    #[test]
    fn what_is_older_than_the_last_sound_commit_follows_on_nothing() {
        let (first, old) = (commit(4, &[b"one"]), commit(4, &[b"old"]));
        let last = commit(5, &[b"two", &old, b"three"]);
        for length in 1..last.len() {
            let bytes = [&first[..], &last[..length]].concat();
            assert_eq!(inspect(&bytes, &mut None), LogVerdict::Unfinished { sound: first.len() }, "{length} bytes");
        }
    }

    #[test]
    fn more_than_a_commit_can_hold_is_never_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = commit(4, &[b"one"]);
        let torn = [&first[..], &commit(5, &[&[7; 500]])[..400]].concat();
        let file = folder.path().join("0.jnl");
        fs::write(&file, &torn).expect("a file");
        let unfinished = inspect_all(folder.path(), 400).expect("an unfinished commit").expect("one");
        assert_eq!((unfinished.at, unfinished.bytes), (first.len(), 400));
        let error = check(folder.path(), 399).expect_err("more than a commit");
        assert!(matches!(error, OpenError::Damaged { at, .. } if at == first.len()), "{error}");
        assert_eq!(fs::read(&file).expect("a file"), torn, "nothing was changed");
        check(folder.path(), 400).expect("an unfinished commit");
        assert_eq!(fs::read(&file).expect("a file"), first);
    }

    #[test]
    fn zeros_inside_the_last_commit_are_unfinished() {
        let mut bytes = [commit(1, &[b"one"]), commit(2, &[&[7; 9000]])].concat();
        let sound = commit(1, &[b"one"]).len();
        bytes[sound + 4096..sound + 8192].fill(0);
        assert_eq!(inspect(&bytes, &mut None), LogVerdict::Unfinished { sound });
    }
}
