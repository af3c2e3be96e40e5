//! `--key`: a command that is repeated with the same key answers as it did, and writes nothing.

use super::context::{Context, Outcome};
use crate::ops::{self, Interrupted, KeyState, OpError};
use crate::store::Store;
use crate::view::{Exit, Failure};

impl Context {
    /// Carries a request out and tells of it; with a key only once. `text` is what is asked for, `before` what it
    /// changes, where that tells whether it was done. `earlier` finds what an interrupted request did.
    pub(super) fn once<T>(
        &mut self,
        key: Option<&str>,
        text: &str,
        before: impl FnOnce(&Store) -> Result<Option<String>, OpError>,
        earlier: impl FnOnce(&Store, &Interrupted) -> Result<Option<T>, OpError>,
        act: impl FnOnce(&mut Self) -> Result<T, Failure>,
        tell: impl FnOnce(&mut Self, T) -> Outcome,
    ) -> Outcome {
        let Some(key) = key else { return act(self).and_then(|done| tell(self, done)) };
        let form = [self.ui.wants_json(), self.global.ndjson, self.global.quiet];
        let request = format!("{} {form:?}\n{text}", self.command);
        let store = self.store()?;
        let before = before(store)?;
        let keyed = match ops::take_key(store, key, &request, before.as_deref())? {
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
        let exit = done.as_ref().ok().map(|exit| exit.code().into());
        let noted = keyed.end(self.store()?, exit, &answer);
        self.ui.verbatim(&answer);
        // The request is carried out, also if that cannot be noted.
        noted.unwrap_or_else(|error| self.ui.warning(&format!("the key is not noted: {error}")));
        done
    }
}
