use clap::Args;

use crate::cli::context::{Context, Outcome};

/// Show the first five minutes with bd
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd quickstart")]
pub(super) struct QuickstartArgs {}

const TEXT: &str = "\
bd keeps issues as lines of .beads/beads.jsonl, a file you commit like code.

  bd init                         make a ledger in this repo
  bd add \"Fix the parser\" -p 1    file an issue; its id is printed
  bd ready                        what can be worked on now
  bd work ID                      take it: assigned to you, in progress
  bd note ID \"what I found\"       add to its notes
  bd dep add ID OTHER             ID waits for OTHER
  bd close ID -r \"done in 4f2e\"   close it
  git add .beads && git commit    share it

A few characters of an id are enough. Every command takes --json. bd help --all lists the rest.";

pub(super) fn run(_: QuickstartArgs, cx: &mut Context) -> Outcome {
    cx.page_answer(TEXT)
}
