//! `--key`: a command that is repeated with the same key answers as it did, and writes nothing.

use super::context::{Context, Outcome};
use crate::ops::{self, Given, KeyState, OpError, Plan};
use crate::store::Store;
use crate::view::{Exit, Failure};

impl Context {
    /// Carries a request out and tells of it; with a key only once. `text` is the whole request, `plan` what it is
    /// carried out with.
    pub(super) fn once<T>(
        &mut self,
        key: Option<&str>,
        text: &str,
        plan: impl FnOnce(&mut Store) -> Result<Plan, OpError>,
        act: impl FnOnce(&mut Self, &Given) -> Result<T, Failure>,
        tell: impl FnOnce(&mut Self, T) -> Outcome,
    ) -> Outcome {
        let Some(key) = key else { return act(self, &Given::default()).and_then(|done| tell(self, done)) };
        let form = [self.ui.wants_json(), self.global.ndjson, self.global.quiet];
        let request = format!("{} {form:?}\n{text}", self.command);
        let keyed = match ops::take_key(self.store()?, key, &request, plan)? {
            KeyState::Open(keyed) => keyed,
            KeyState::Answered { answer, exit } => {
                self.ui.verbatim(&answer);
                let code = u8::try_from(exit).unwrap_or(1);
                return Ok(if code == 0 { Exit::Ok } else { Exit::Program(code) });
            }
        };
        self.ui.keep();
        let done = act(self, &keyed.given).and_then(|done| tell(self, done));
        let answer = self.ui.kept();
        let exit = done.as_ref().ok().map(|exit| exit.code().into());
        let noted = keyed.end(self.store()?, exit, &answer);
        self.ui.verbatim(&answer);
        // The request is carried out, also if that cannot be noted.
        noted.unwrap_or_else(|error| self.ui.warning(&format!("the key is not noted: {error}")));
        done
    }
}
