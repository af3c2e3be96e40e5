use std::path::PathBuf;

use clap::Args;

use crate::cli::context::{Context, Outcome};

/// Serve the project to an agent without a shell, over the Model Context Protocol
///
/// Talks on standard input and output until the input ends; a client starts it. Nine tools: ready, list, show, context, create, update,
/// claim, close, mail. There is no tool that deletes, prunes, syncs or pushes, and none makes a ledger. The project is --dir, else
/// BEADS_DIR, else the working directory; every call opens it afresh. The agent is BD_AGENT, else the client's name and its session.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd mcp
  bd mcp --dir ~/src/web --read-only
  BD_AGENT=reviewer bd mcp --tools all")]
pub(super) struct McpArgs {
    /// The project
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Which tools: core, or all (workflow, checkpoint, reserve, dep and history as well)
    #[arg(long, value_name = "TOOLS", default_value = "core", value_parser = ["core", "all"])]
    tools: String,
    /// Only tools that look
    #[arg(long)]
    read_only: bool,
    /// Serve many projects: every tool takes the directory as an argument
    #[arg(long, conflicts_with = "dir")]
    multi: bool,
}

#[cfg(feature = "mcp")]
pub(super) fn run(args: McpArgs, cx: &mut Context) -> Outcome {
    let mut config = cx.config()?;
    if let Some(dir) = &args.dir {
        config.path = cx.directory().join(dir);
        config.host.env = config.host.env.at(config.path.clone());
    }
    let read_only = args.read_only || cx.global.readonly;
    let offer = crate::mcp::Offer { all: args.tools == "all", read_only, multi: args.multi };
    crate::mcp::serve(config, args.dir.is_some(), offer)?;
    Ok(crate::view::Exit::Ok)
}

#[cfg(not(feature = "mcp"))]
pub fn run(args: McpArgs, _: &mut Context) -> Outcome {
    let _ = (args.dir, args.tools, args.read_only, args.multi);
    Err(crate::view::Failure::failed("this bd was built without the feature mcp"))
}
