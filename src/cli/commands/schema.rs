use clap::Args;

use super::{Context, Outcome};
use crate::view::{Exit, Failure, schema};

/// The JSON Schemas of what --json prints
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd schema\n  bd schema list")]
pub struct SchemaArgs {
    /// Only of this command
    command: Option<String>,
}

pub fn run(args: SchemaArgs, cx: &mut Context) -> Outcome {
    let json = match args.command {
        None => schema::all(),
        Some(name) => schema::of(&name).ok_or_else(|| {
            Failure::usage(format!(
                "no schema for {name:?}; known: {}",
                schema::commands().collect::<Vec<_>>().join(" ")
            ))
        })?,
    };
    cx.ui.json(json, &[]);
    Ok(Exit::Ok)
}
