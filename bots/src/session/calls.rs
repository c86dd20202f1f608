//! The calls of a session, each one waited for and repeated until it is answered.

use bytes::Bytes;
use parley_proto::opaque::v1 as opaque;
use parley_proto::opaque::v1::session_request::What as Call;
use parley_proto::opaque::v1::session_response::What as Answer;
use parley_proto::v1;
use prost::Message;

use super::{CallError, Session, SessionError, read, recoded};
use crate::refusal::Refusal;

/// How many answers a server takes in one request.
pub(super) const MAX_ANSWERS: usize = 4096;

/// Takes the one kind of answer that a call can have.
macro_rules! expect {
    ($answer:expr, $kind:ident, $asked:literal) => {
        match $answer {
            Answer::$kind(answer) => Ok(answer),
            _ => Err(CallError::Session(SessionError::UnexpectedAnswer { asked: $asked })),
        }
    };
}

impl Session {
    /// Freezes a sheet for a turn.
    pub async fn lock_in(&mut self, turn: u32, sheet: v1::Sheet) -> Result<v1::Receipt, CallError> {
        self.lock_in_bytes(turn, sheet.encode_to_vec().into()).await
    }

    /// Freezes a sheet for a turn, which is there as bytes.
    pub async fn lock_in_bytes(&mut self, turn: u32, sheet: Bytes) -> Result<v1::Receipt, CallError> {
        self.lock(opaque::LockInRequest { turn, sheet: Some(sheet), ..opaque::LockInRequest::default() }).await
    }

    /// Freezes what was staged for a turn.
    pub async fn lock_staged(&mut self, turn: u32) -> Result<v1::Receipt, CallError> {
        self.lock(opaque::LockInRequest { turn, ..opaque::LockInRequest::default() }).await
    }

    async fn lock(&mut self, mut request: opaque::LockInRequest) -> Result<v1::Receipt, CallError> {
        request.request_id = self.request_id("lock", &request);
        let answer = expect!(self.call(Call::LockIn(request)).await?, LockIn, "a lock-in")?;
        answer.receipt.ok_or(CallError::Session(SessionError::UnexpectedAnswer { asked: "a lock-in" }))
    }

    /// Keeps orders on the server without freezing them.
    pub async fn stage(&mut self, turn: u32, sheet: v1::Sheet) -> Result<v1::StageOrdersResponse, CallError> {
        let sheet = Some(sheet.encode_to_vec().into());
        let mut request = opaque::StageOrdersRequest { turn, sheet, ..opaque::StageOrdersRequest::default() };
        // The same orders can be staged again after others, which is another request.
        request.request_id = self.request_id(&format!("stage {}", self.calls), &request);
        expect!(self.call(Call::StageOrders(request)).await?, StageOrders, "staged orders")
    }

    /// Answers questions of the window that is open, which has the number that the prompt says. More answers than a request
    /// takes go into several, one after the other.
    pub async fn answer(&mut self, turn: u32, window: u32, mut answers: Vec<v1::Answer>) -> Result<(), CallError> {
        let mut said = Ok(());
        loop {
            let rest = answers.split_off(answers.len().min(MAX_ANSWERS));
            match self.answer_at_once(turn, window, answers).await {
                // The other answers are good without these, and the turn waits for them.
                Err(CallError::Refused(refusal)) if refusal.is_about_content() => {
                    said = said.and(Err(CallError::Refused(refusal)));
                }
                other => other?,
            }
            if rest.is_empty() {
                return said;
            }
            answers = rest;
        }
    }

    async fn answer_at_once(&mut self, turn: u32, window: u32, answers: Vec<v1::Answer>) -> Result<(), CallError> {
        let mut request = v1::AnswerRequest { turn, window, answers, ..v1::AnswerRequest::default() };
        request.request_id = self.request_id("answer", &request);
        expect!(self.call(Call::Answer(request)).await?, Answer, "answers").map(|_| ())
    }

    /// Gives the match up at the end of the turn.
    pub async fn concede(&mut self) -> Result<v1::ConcedeResponse, CallError> {
        let mut request = v1::ConcedeRequest::default();
        request.request_id = self.request_id("concede", &request);
        expect!(self.call(Call::Concede(request)).await?, Concede, "a concession")
    }

    /// The view of how things are now.
    pub async fn get_view(&mut self) -> Result<v1::GetViewResponse, CallError> {
        Ok(recoded(&self.get_view_as_bytes().await?)?)
    }

    /// The view of how things are now, with messages of games as the bytes that they are.
    pub async fn get_view_as_bytes(&mut self) -> Result<opaque::GetViewResponse, CallError> {
        let answer = self.call(Call::GetView(v1::GetViewRequest::default())).await?;
        expect!(answer, GetView, "a view")
    }

    /// The answer to a question about the game.
    pub async fn advise(&mut self, query: v1::Query) -> Result<v1::Advice, CallError> {
        let query = Some(query.encode_to_vec().into());
        let request = opaque::AdviseRequest { query, ..opaque::AdviseRequest::default() };
        let advice = expect!(self.call(Call::Advise(request)).await?, Advise, "advice")?.advice;
        Ok(read(&advice.unwrap_or_default())?)
    }

    /// A name for a request that says the same thing to the same match for the same player, and that tells nobody
    /// else what it says.
    fn request_id(&self, kind: &str, request: &impl Message) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.identity);
        hasher.update(kind.as_bytes()).update(&[0]).update(&request.encode_to_vec());
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// Sends a call, again on each new line, until it is answered. News that come in between are kept for later.
    async fn call(&mut self, what: Call) -> Result<Answer, CallError> {
        self.calls += 1;
        let call = self.calls;
        let mut sent_on = None;
        loop {
            self.connect().await?;
            let Some(line) = &mut self.line else { continue };
            let number = Some(line.number);
            let message = if sent_on == number {
                line.incoming.message().await
            } else {
                let (what, traceparent) = (Some(what.clone()), self.traceparent.clone());
                let request = opaque::SessionRequest { call, what, traceparent, ..opaque::SessionRequest::default() };
                let Some(message) = line.hand_in(request).await else {
                    sent_on = number;
                    continue;
                };
                message
            };
            match self.hear(message)? {
                Some((answered, Answer::Refused(refusal))) if answered == call => {
                    self.patience(refusal.into()).await?;
                    sent_on = None;
                }
                Some((answered, answer)) if answered == call => {
                    self.retry.succeeded();
                    return Ok(answer);
                }
                _ => {}
            }
        }
    }

    /// Waits where a refused call can be repeated.
    async fn patience(&mut self, refusal: Refusal) -> Result<(), CallError> {
        if !refusal.is_passing() {
            return Err(CallError::Refused(refusal));
        }
        let wait = refusal.retry_after.unwrap_or_default();
        self.retry.failed(wait).map_err(|_| CallError::Refused(refusal))?;
        self.retry.wait().await;
        Ok(())
    }
}
