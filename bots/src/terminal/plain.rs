//! A match line by line, where there is no screen.

use crate::session::{Session, SessionError};

use super::model::{Model, Setting, Stage};

/// How many lines one piece of news may come to; of more, the first are left out.
pub const MAX_LINES_AT_ONCE: usize = 65_536;

/// Follows a match to its end and hands over every line of its story, until there is nobody to take them.
pub async fn tell<E>(
    mut session: Session,
    setting: Setting,
    mut line: impl FnMut(&str) -> Result<bool, E>,
) -> Result<(), E>
where
    E: From<SessionError>,
{
    let mut model = Model::new(Setting { pace_ms: 0, ..setting }).with_log(MAX_LINES_AT_ONCE);
    loop {
        match session.next().await {
            Ok(item) => model.on_item(item),
            Err(SessionError::Over) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        for told in model.take_log() {
            if !line(&told.text)? {
                return Ok(());
            }
        }
        if let Stage::Over(end) = model.stage() {
            if !end.digest.is_empty() {
                line(&format!("Digest {}", end.digest))?;
            }
            return Ok(());
        }
    }
}
