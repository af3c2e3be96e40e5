use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::commands::agent::length;
use crate::cli::context::{Context, Outcome};
use crate::model::workflow::State;
use crate::ops::workflows::{self, Halt, Until};
use crate::view::{self, Exit};

/// Wait until a workflow is done or stuck
///
/// Done: every task is done, or the workflow is over. Blocked: nothing runs, nothing can be taken, and not all is done. Sleeps
/// until a file changes or a claim ends. Exits 0 when the condition is met, 6 when time is up, and 5 when it can no longer be
/// met.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd workflow wait bd-a3f8 && bd workflow complete bd-a3f8
  bd workflow wait bd-a3f8 --until any --timeout 10m --json")]
pub(super) struct WaitArgs {
    /// The workflow
    id: String,
    /// What to wait for
    #[arg(long, value_name = "WHAT", default_value = "done")]
    until: What,
    /// Give up after this long: 90s, 10m (default: never)
    #[arg(long, value_name = "DURATION", value_parser = length)]
    timeout: Option<i64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    Done,
    Blocked,
    Any,
}

pub(super) fn run(args: &WaitArgs, cx: &mut Context) -> Outcome {
    let until = match args.until {
        What::Done => Until::Done,
        What::Blocked => Until::Blocked,
        What::Any => Until::Any,
    };
    let at_most = args.timeout.map(|nanos| Duration::from_nanos(nanos.unsigned_abs()));
    let end = workflows::wait(cx.store()?, &args.id, until, at_most)?;
    if let Some(why) = &end.polled {
        cx.ui.note(&format!("the system does not tell of changes ({why}): looked every two seconds"));
    }
    let exit = match end.halt {
        // An abandoned workflow is not done.
        Some(Halt::Done) if end.flow.workflow.state == State::Abandoned => Exit::Illegal,
        _ if end.reached => Exit::Ok,
        Some(Halt::Done) => Exit::Illegal,
        _ => Exit::Busy,
    };
    if cx.ui.wants_json() {
        cx.json(view::waited_workflow(&end));
        return Ok(exit);
    }
    let how = match exit {
        Exit::Busy => "Not yet",
        Exit::Illegal => "Over",
        _ => end.halt.map_or("", |halt| if halt == Halt::Done { "Done" } else { "Blocked" }),
    };
    cx.ui.done(&format!("{how}: {}", view::workflow_line(&end.flow)));
    Ok(exit)
}
