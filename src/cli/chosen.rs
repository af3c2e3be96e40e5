//! The issues that a command changes: named, read from standard input, or selected by a condition; and the
//! confirmation.

use clap::Args;

use super::context::{Context, Outcome};
use super::filters::{DoneArgs, names_status};
use super::report::NO_ID;
use crate::ops;
use crate::view::{Exit, Failure, plural};

/// More than so many are changed at a terminal only after a question.
const MANY: usize = 10;

/// Issues that are named.
#[derive(Debug, Args, Default)]
pub(super) struct IdArgs {
    /// Issues, by id or its first characters (`-`: ids from standard input)
    pub ids: Vec<String>,
}

impl IdArgs {
    pub(super) fn read(&self, cx: &mut Context) -> Result<Vec<String>, Failure> {
        cx.named(&self.ids)
    }
}

/// The issues that a command changes.
#[derive(Debug, Args, Default)]
pub(super) struct ChosenArgs {
    #[command(flatten)]
    named: IdArgs,
    /// Every issue that meets a condition, in the language of `bd help query`
    #[arg(long = "where", value_name = "EXPR", conflicts_with = "ids")]
    condition: Option<String>,
}

impl ChosenArgs {
    /// The ids. Without a condition on status, closed issues are not meant by one; deleted ones only if it names them.
    pub(super) fn ids(&self, cx: &mut Context) -> Result<Vec<String>, Failure> {
        let Some(text) = &self.condition else { return self.named.read(cx) };
        let expr = ops::parse_query(cx.store()?, text)?;
        let names_status = names_status(&expr);
        let expr = DoneArgs::default().limited(expr, names_status);
        Ok(ops::ids_by(cx.store()?, &expr)?)
    }

    /// Refuses a command that does not say which.
    pub(super) fn require(&self) -> Result<(), Failure> {
        if self.is_empty() { Err(Failure::usage(NO_ID)) } else { Ok(()) }
    }

    /// Nothing was said about which.
    pub(super) fn is_empty(&self) -> bool {
        self.condition.is_none() && self.named.ids.is_empty()
    }
}

/// How careful a command is that changes many issues.
#[derive(Debug, Args, Default)]
pub(super) struct CareArgs {
    /// Show what would change; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Change more than ten issues without a question
    #[arg(short, long)]
    pub yes: bool,
}

impl CareArgs {
    /// Whether to go ahead; a person is asked before many issues are changed.
    pub(super) fn agrees(&self, cx: &mut Context, verb: &str, count: usize) -> bool {
        let needs_consent = count > MANY && !self.yes && !self.dry_run && cx.ui.is_interactive();
        let agrees = !needs_consent || cx.ui.confirm(&format!("{verb} {}?", plural(count, "issue")));
        cx.ui.note_if(!agrees, "nothing was changed");
        agrees
    }
}

impl Context {
    /// On a terminal, after a preview of what is lost: goes on if a person agrees.
    pub(super) fn after_question(&mut self, question: &str, go_on: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        if self.ui.confirm(question) {
            return go_on(self);
        }
        self.ui.note("nothing was changed");
        Ok(Exit::Failed)
    }

    /// The ids that were typed, with those from standard input in place of `-`.
    pub(super) fn named(&mut self, typed: &[String]) -> Result<Vec<String>, Failure> {
        if typed.is_empty() {
            return Err(Failure::usage(NO_ID));
        }
        let mut ids = Vec::new();
        for one in typed {
            match one.as_str() {
                "-" => ids.extend(self.piped_ids()?),
                _ => ids.push(one.clone()),
            }
        }
        Ok(ids)
    }

    /// The ids on standard input, one a line.
    fn piped_ids(&mut self) -> Result<Vec<String>, Failure> {
        let text = self.stdin()?;
        let mut ids = Vec::new();
        for (n, line) in text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()) {
            if line.contains(char::is_whitespace) && !self.is_id(line)? {
                let failure = Failure::usage(format!("line {} of standard input is not an id", n + 1));
                return Err(failure.shell("pipe one id a line, as `bd list --ids` prints them"));
            }
            ids.push(line.to_owned());
        }
        Ok(ids)
    }
}
