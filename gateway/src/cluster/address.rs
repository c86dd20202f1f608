//! Which match a call is about, read from the bytes of its first message.

use crate::field::field;
use crate::journal::MatchId;

/// How a call is sent to where it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Its message has the id of a match under this tag.
    About(u32),
    /// Its first message opens a session; the id is under the second tag of what is under the first.
    Session(u32, u32),
    /// It creates a match.
    Create,
    /// Any server answers it.
    Anybody,
}

impl Call {
    /// The kind of call that a path stands for.
    pub(super) fn of(path: &str) -> Self {
        match path {
            "/parley.v1.Play/GetView"
            | "/parley.v1.Play/Watch"
            | "/parley.v1.Play/Advise"
            | "/parley.v1.Lobby/GetMatch"
            | "/parley.v1.Archive/GetReplay"
            | "/parley.v1.Archive/GetTurns"
            | "/parley.v1.Archive/GetReceipts" => Self::About(1),
            "/parley.v1.Play/StageOrders"
            | "/parley.v1.Play/LockIn"
            | "/parley.v1.Play/Answer"
            | "/parley.v1.Play/Concede"
            | "/parley.v1.Lobby/JoinMatch"
            | "/parley.v1.Lobby/LeaveMatch"
            | "/parley.v1.Lobby/StartMatch"
            | "/parley.v1.Admin/StopMatch" => Self::About(2),
            "/parley.v1.Play/Session" => Self::Session(2, 1),
            "/parley.v1.Lobby/CreateMatch" => Self::Create,
            _ => Self::Anybody,
        }
    }

    /// The match that a message is about; `None` where the message makes no sense, which whoever serves it refuses.
    pub(super) fn address(self, message: &[u8]) -> Option<MatchId> {
        let id = match self {
            Self::About(tag) => field(message, tag)?,
            Self::Session(open, tag) => field(field(message, open)?, tag)?,
            Self::Create | Self::Anybody => return None,
        };
        std::str::from_utf8(id).ok()?.parse().ok().map(MatchId)
    }
}

#[cfg(test)]
mod tests {
    use parley_proto::opaque::v1;
    use prost::Message;
    use prost_types::FileDescriptorSet;
    use uuid::Uuid;

    use super::*;

    const ID: MatchId = MatchId(Uuid::from_u128(77));

    #[test]
    fn every_call_about_a_match_is_known() {
        let files = FileDescriptorSet::decode(parley_proto::DESCRIPTORS).expect("descriptors");
        let files = || files.file.iter().filter(|file| file.package() == "parley.v1");
        let message = |name: &str| {
            let name = name.trim_start_matches(".parley.v1.");
            files().flat_map(|file| &file.message_type).find(|message| message.name() == name).expect("a message")
        };
        let mut about = 0;
        for service in files().flat_map(|file| &file.service) {
            for method in &service.method {
                let path = format!("/parley.v1.{}/{}", service.name(), method.name());
                let asked = message(method.input_type());
                let tag =
                    asked.field.iter().find(|field| field.name() == "match_id").map(|field| field.number() as u32);
                match (Call::of(&path), tag) {
                    (Call::About(known), tag) => {
                        assert_eq!(Some(known), tag, "{path}");
                        about += 1;
                    }
                    (Call::Session(open, id), None) => {
                        let open = asked.field.iter().find(|field| field.number() as u32 == open).expect("a field");
                        let opened = message(open.type_name());
                        let tag =
                            opened.field.iter().find(|field| field.name() == "match_id").map(|field| field.number());
                        assert_eq!(Some(id as i32), tag, "{path}");
                    }
                    (Call::Create, None) => assert_eq!(path, "/parley.v1.Lobby/CreateMatch"),
                    (Call::Anybody, None) => {}
                    (call, tag) => panic!("{path} has its match under {tag:?}, not {call:?}"),
                }
            }
        }
        assert_eq!(about, 15);
    }

    #[test]
    fn the_match_is_found_wherever_it_stands() {
        let lock = v1::LockInRequest {
            request_id: "r".repeat(300),
            match_id: ID.0.to_string(),
            turn: 9,
            sheet: Some(b"\x0a\x02\x18\x01"[..].into()),
        };
        assert_eq!(Call::of("/parley.v1.Play/LockIn").address(&lock.encode_to_vec()), Some(ID));
        let open = v1::SessionOpen { match_id: ID.0.to_string(), after: 5, views: true, no_changes: true };
        let what = Some(v1::session_request::What::Open(open));
        let session = v1::SessionRequest { call: 1, what, traceparent: "00-0".to_owned() };
        assert_eq!(Call::of("/parley.v1.Play/Session").address(&session.encode_to_vec()), Some(ID));
    }

    #[test]
    fn what_makes_no_sense_has_no_address() {
        for bytes in [&b""[..], b"\x0a\xff", b"\x0a\x05abc", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"] {
            assert_eq!(Call::About(1).address(bytes), None, "{bytes:?}");
        }
        let strange = v1::GetMatchRequest { match_id: "no uuid".to_owned() };
        assert_eq!(Call::About(1).address(&strange.encode_to_vec()), None);
    }
}
