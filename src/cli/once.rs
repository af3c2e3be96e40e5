//! `--key`: a command that is repeated with the same key answers as it did, and writes nothing.

use super::context::{Context, Outcome};
use crate::ops::{self, Interrupted, KeyState, Keyed, OpError};
use crate::store::Store;
use crate::view::{Exit, Failure};

impl Context {
    /// Carries a request out and tells of it; with a key only once. `text` is what is asked for. `earlier` finds what a
    /// request did that was interrupted after that time.
    pub(super) fn once<T>(
        &mut self,
        key: Option<&str>,
        text: &str,
        earlier: impl FnOnce(&mut Store, &Interrupted) -> Result<Option<T>, OpError>,
        act: impl FnOnce(&mut Self) -> Result<T, Failure>,
        tell: impl FnOnce(&mut Self, T) -> Outcome,
    ) -> Outcome {
        let Some(key) = key else { return act(self).and_then(|done| tell(self, done)) };
        let form = [self.ui.wants_json(), self.global.ndjson, self.global.quiet];
        let request = format!("{} {form:?}\n{text}", self.command);
        let keyed = match ops::take_key(self.store()?, key, &request)? {
            KeyState::Open(keyed) => keyed,
            KeyState::Answered { answer, exit } => {
                self.ui.verbatim(&answer);
                let code = u8::try_from(exit).unwrap_or(1);
                return Ok(if code == 0 { Exit::Ok } else { Exit::Program(code) });
            }
        };
        let found = match &keyed.interrupted {
            Some(interrupted) => earlier(self.store()?, interrupted)?,
            None => None,
        };
        self.ui.keep();
        let done = found.map_or_else(|| act(self), Ok).and_then(|done| tell(self, done));
        let answer = self.ui.kept();
        let noted = self.note_answer(*keyed, &done, &answer);
        self.ui.verbatim(&answer);
        // What was asked for is done: a key that cannot be noted is no reason to fail.
        noted.unwrap_or_else(|error| self.ui.warning(&format!("the key is not noted: {}", error.message)));
        done
    }

    /// Frees the key if nothing was done. What failed halfway counts as interrupted.
    fn note_answer(&mut self, keyed: Keyed, done: &Outcome, answer: &str) -> Result<(), Failure> {
        let store = self.store()?;
        match done {
            Ok(exit) if *exit == Exit::Ok || store.has_written() => keyed.answered(store, answer, exit.code().into())?,
            Err(_) if store.has_written() => {}
            _ => keyed.forgotten(store)?,
        }
        Ok(())
    }
}
