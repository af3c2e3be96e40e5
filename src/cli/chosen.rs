//! Which issues a command changes: named, read from standard input, or chosen by a condition; and whether to go ahead.

use clap::Args;

use super::commands::NO_ID;
use super::context::Context;
use super::filters::{DoneArgs, names_status};
use crate::ops;
use crate::view::{Failure, plural};

/// More than so many are changed at a terminal only after a question.
const MANY: usize = 10;

/// The issues that a command is about.
#[derive(Debug, Args, Default)]
pub struct ChosenArgs {
    /// Issues, by id or its first characters (`-`: read ids from standard input)
    ids: Vec<String>,
    /// Every issue that meets a condition, in the language of `bd query`
    #[arg(long = "where", value_name = "EXPR", conflicts_with = "ids")]
    condition: Option<String>,
}

impl ChosenArgs {
    /// The ids. Without a condition on status, closed issues are not meant by one; deleted ones only if it names them.
    pub fn ids(&self, cx: &mut Context) -> Result<Vec<String>, Failure> {
        let Some(text) = &self.condition else { return cx.named(&self.ids) };
        let expr = ops::parse_query(cx.store()?, text)?;
        let names_status = names_status(&expr);
        let expr = DoneArgs::default().limited(expr, names_status);
        Ok(ops::ids_by(cx.store()?, &expr)?)
    }

    /// Refuses a command that does not say which.
    pub fn require(&self) -> Result<(), Failure> {
        if self.is_empty() { Err(Failure::usage(NO_ID)) } else { Ok(()) }
    }

    /// Nothing was said about which.
    pub fn is_empty(&self) -> bool {
        self.condition.is_none() && self.ids.is_empty()
    }
}

/// How careful a command is that changes many issues.
#[derive(Debug, Args, Default)]
pub struct CareArgs {
    /// Show what would change; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Change more than ten issues without a question
    #[arg(short, long)]
    pub yes: bool,
}

impl CareArgs {
    /// Asks a person before many issues are changed.
    pub fn check(&self, cx: &mut Context, verb: &str, count: usize) -> Result<(), Failure> {
        if count <= MANY || self.yes || self.dry_run || !cx.ui.is_interactive() {
            return Ok(());
        }
        match cx.ui.ask(&format!("{verb} {}? (y/N)", plural(count, "issue")), "N").to_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(Failure::failed("nothing was changed")),
        }
    }
}

impl Context {
    /// The ids that were typed, with those from standard input in place of `-`.
    pub fn named(&self, typed: &[String]) -> Result<Vec<String>, Failure> {
        if typed.is_empty() {
            return Err(Failure::usage(NO_ID));
        }
        let mut ids = Vec::new();
        for one in typed {
            match one.as_str() {
                "-" => ids.extend(self.stdin()?.split_whitespace().map(str::to_owned)),
                _ => ids.push(one.clone()),
            }
        }
        Ok(ids)
    }
}
