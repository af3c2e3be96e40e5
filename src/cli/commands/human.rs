use clap::{Args, Subcommand};

use crate::cache::Sort;
use crate::cli::context::{Context, Outcome};
use crate::cli::entry::Table;
use crate::cli::help;
use crate::model::change::Change;
use crate::model::query::{Expr, Field};
use crate::ops::{self, not_deleted, not_done};
use crate::view::Failure;

/// Answer issues that need a person (label `human`)
///
/// Without a subcommand it prints the commands of every day.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd human list
  bd human respond bd-a3f8 -r \"use the second design\"
  bd human dismiss bd-k9z2 --reason \"no longer needed\"")]
pub(super) struct HumanArgs {
    #[command(subcommand)]
    command: Option<HumanCommand>,
}

#[derive(Debug, Subcommand)]
enum HumanCommand {
    /// List open issues with the label `human`
    List {
        /// Only issues with this status (`all`: any)
        #[arg(short, long, value_name = "STATUS")]
        status: Option<String>,
    },
    /// Answer with a comment and close the issue
    Respond {
        /// The issue, by id or its first characters
        id: String,
        /// The answer
        #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
        response: String,
    },
    /// Close the issue without an answer
    Dismiss {
        /// The issue, by id or its first characters
        id: String,
        /// Why
        #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
        reason: Option<String>,
    },
}

pub(super) fn run(args: HumanArgs, table: Table, cx: &mut Context) -> Outcome {
    let (id, answer, reason) = match args.command {
        None => return help::overview(table, cx),
        Some(HumanCommand::List { status }) => return list(status.as_deref(), cx),
        Some(HumanCommand::Respond { id, response }) => {
            if response.trim().is_empty() {
                return Err(Failure::usage("a response needs a text"));
            }
            (id, Some(response), "responded".to_owned())
        }
        Some(HumanCommand::Dismiss { id, reason: Some(reason) }) => (id, None, format!("dismissed: {reason}")),
        Some(HumanCommand::Dismiss { id, reason: None }) => (id, None, "dismissed".to_owned()),
    };
    let batch = ops::change_each(cx.store()?, &[id], |store| {
        let comment = answer.clone().map(|text| Change::AddComment(ops::comment(store, text, None)));
        comment.into_iter().chain([Change::Close { reason: Some(reason.clone()) }]).collect()
    })?;
    cx.report(batch, |written| format!("Closed {}", written.id))
}

fn list(status: Option<&str>, cx: &mut Context) -> Outcome {
    let of_status = match status {
        None => not_done(),
        Some("all") => not_deleted(),
        Some(word) => Expr::text(Field::Status, ops::check_status(cx.store()?, word)?.as_str()),
    };
    let filter = Expr::And(vec![Expr::text(Field::Label, "human"), of_status]);
    let page = ops::list_by(cx.store()?, &filter, Sort::default(), None)?;
    cx.print_page(page, false, "no issue needs a person")
}
