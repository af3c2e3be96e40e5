//! Why a task of a workflow is not handed out.

use crate::model::workflow::State;

/// Why the tasks of a workflow are not handed out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    #[error("its workflow {workflow} is in no repo of this project")]
    Unknown { workflow: String },
    #[error("its workflow {workflow} cannot be read as one")]
    Unreadable { workflow: String },
    #[error("its workflow {workflow} is {state} in the checkout {worktree}, which is not merged here")]
    Elsewhere { workflow: String, state: State, worktree: String },
    #[error("its workflow {workflow} goes over repos that this project does not have: {}", repos.join(" "))]
    Hidden { workflow: String, repos: Vec<String> },
    #[error("its workflow {workflow} is {state}{}", and_how(*state))]
    State { workflow: String, state: State },
    #[error("{running} of at most {most} tasks of its workflow {workflow} run already")]
    Full { workflow: String, running: usize, most: i64 },
}

/// How to continue from a state in which no task is handed out.
fn and_how(state: State) -> String {
    let next = State::InProgress;
    match state.permit(next) {
        _ if state == State::Planning => "; run `bd workflow start` to hand out its tasks".to_owned(),
        Some(_) => format!("; run `bd workflow {}` to hand out its tasks", state.command_to(next)),
        None => ", and its tasks are not handed out any more".to_owned(),
    }
}
