use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::cli::report::changed_line;
use crate::model::change::Change;
use crate::ops;
use crate::view::{self, Exit, Failure, inline};

/// Add, remove and list labels
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd label add bd-a3f8 backend
  bd label add a3 k9 urgent          the last word is the label
  bd label add a3 ui,backend         or several, with commas between
  bd label remove a3 urgent
  bd list --ids --overdue | bd label add - late
  bd label list-all")]
pub(super) struct LabelArgs {
    #[command(subcommand)]
    command: LabelCommand,
}

#[derive(Debug, Subcommand)]
enum LabelCommand {
    /// Add labels to issues: ID… LABEL[,LABEL…]
    Add {
        /// Issues, by id or its first characters, and then the labels, with commas between
        #[arg(required = true, num_args = 2.., value_names = ["ID", "LABEL"])]
        ids_and_label: Vec<String>,
    },
    /// Remove labels from issues: ID… LABEL[,LABEL…]
    #[command(visible_alias = "rm")]
    Remove {
        /// Issues, by id or its first characters, and then the labels, with commas between
        #[arg(required = true, num_args = 2.., value_names = ["ID", "LABEL"])]
        ids_and_label: Vec<String>,
    },
    /// List the labels of an issue
    List {
        /// The issue, by id or its first characters
        id: String,
    },
    /// List all labels in use, with the number of issues of each
    ListAll,
}

pub(super) fn run(args: LabelArgs, cx: &mut Context) -> Outcome {
    match args.command {
        LabelCommand::Add { ids_and_label } => change(ids_and_label, cx, true),
        LabelCommand::Remove { ids_and_label } => change(ids_and_label, cx, false),
        LabelCommand::List { id } => {
            let row = ops::find(cx.store()?, &id)?;
            json_answer!(cx, view::texts(&row.issue.labels));
            row.issue.labels.iter().for_each(|label| cx.ui.line(&inline(label)));
            cx.ui.note_if(row.issue.labels.is_empty(), "no labels");
            Ok(Exit::Ok)
        }
        LabelCommand::ListAll => {
            let labels = ops::labels(cx.store()?)?;
            json_answer!(cx, view::each(&labels, |(label, count)| view::label_count(label, *count)));
            labels.iter().for_each(|(label, count)| cx.ui.line(&format!("{count:>5}  {}", inline(label))));
            cx.ui.note_if(labels.is_empty(), "no labels");
            Ok(Exit::Ok)
        }
    }
}

fn change(mut ids: Vec<String>, cx: &mut Context, add: bool) -> Outcome {
    let typed = ids.pop().unwrap_or_default();
    let labels: Vec<&str> = typed.split(',').map(str::trim).collect();
    if labels.iter().any(|label| label.is_empty()) {
        return Err(Failure::usage("a label cannot be empty"));
    }
    let mut changes: Vec<Change> = labels.iter().map(|label| Change::AddLabel((*label).to_owned())).collect();
    if !add {
        // A ledger may contain a label with a comma.
        changes =
            labels.iter().chain([&typed.as_str()]).map(|label| Change::RemoveLabel((*label).to_owned())).collect();
    }
    let ids = cx.named(&ids)?;
    let done = ops::change_each(cx.store()?, &ids, |_| changes.clone());
    if let Some(words) = cx.words_after_ids(&ids, &done) {
        let all = format!("{},{typed}", words.replace(' ', ","));
        return done.map(|_| Exit::Failed).map_err(|error| {
            let advice = format!("several labels have commas between them: `bd label add ID {all}`");
            Failure::from(error).without_hint().shell(advice)
        });
    }
    let batch = done?;
    let (verb, word) = if add { ("Added", "added") } else { ("Removed", "removed") };
    if !cx.ui.wants_json() {
        let noun = if labels.len() == 1 { "label" } else { "labels" };
        let names: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
        let verb = format!("{verb} {noun} {}: ", names.join(", "));
        return cx.report(batch, |written| changed_line(written, &verb));
    }
    let items = batch.written().flat_map(|written| labels.iter().map(move |label| (&written.id, *label)));
    cx.json(view::each(items, |(id, label)| view::labelled(word, id, label)));
    cx.report_failures(batch)
}
