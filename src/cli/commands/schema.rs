use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::model::nearest::nearest;
use crate::view::{self, Exit, Failure, schema};

/// Print the JSON Schema of a command's --json output; without a name, list the names
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd schema\n  bd schema list\n  bd schema dep add\n  bd schema --all")]
pub(super) struct SchemaArgs {
    /// The command, as `bd schema` lists it
    command: Vec<String>,
    /// Print all schemas, including that of an error
    #[arg(long, conflicts_with = "command")]
    all: bool,
}

pub(super) fn run(args: SchemaArgs, cx: &mut Context) -> Outcome {
    if args.all {
        cx.ui.json(schema::all(), &[]);
        return Ok(Exit::Ok);
    }
    if args.command.is_empty() {
        let names: Vec<String> = schema::commands().map(str::to_owned).collect();
        json_answer!(cx, view::texts(&names));
        names.iter().for_each(|name| cx.ui.line(name));
        return Ok(Exit::Ok);
    }
    let name = args.command.join(" ");
    let json = schema::of(&name).ok_or_else(|| {
        let failure = Failure::usage(format!("no schema for {name:?}"));
        match nearest(&name, schema::commands()) {
            None => failure.shell("run `bd schema` for their names"),
            meant => failure.meant(meant),
        }
    })?;
    cx.ui.json(json, &[]);
    Ok(Exit::Ok)
}
