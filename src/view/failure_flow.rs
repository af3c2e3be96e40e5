//! Failures of creating and moving workflows.

use super::failure::{Exit, Failure};
use crate::ops::workflows::FlowError;

impl From<&FlowError> for Failure {
    fn from(error: &FlowError) -> Self {
        let message = error.to_string();
        match error {
            FlowError::OpenTasks { tasks, .. } => Self::illegal(message)
                .hint("close them, add --skip-open to close them as skipped, or run `bd workflow abandon`")
                .texts("tasks", tasks),
            FlowError::Running { tasks, .. } => Self::illegal(message)
                .hint("wait for them or have them released; run `bd leases` to see who holds what")
                .texts("tasks", tasks),
            FlowError::Hidden { repos, .. } => Self::illegal(message)
                .hint("work from the project that has all of them, join them with `bd repo add`, or run `bd workflow abandon`")
                .texts("repos", repos),
            FlowError::NoTasks { .. } => Self::illegal(message)
                .hint("run `bd workflow add-task` to add one, or `bd workflow replan` for a whole plan"),
            FlowError::OtherCommand { state, .. } => {
                let legal: Vec<String> = state.next().iter().map(|state| state.word().to_owned()).collect();
                Self::illegal(message).fact("state", state.word()).texts("legal", &legal)
            }
            FlowError::NoRepo { tasks } => Self::usage(message)
                .hint("add repo = \"NAME\" to each task of the plan; `bd repo list` shows the names")
                .texts("tasks", tasks),
            FlowError::Mixed { .. } => Self::would_leak(message)
                .hint("nothing was written; make one workflow for each, or propose the private issues first"),
            FlowError::NotAmong { tasks } => Self::usage(message)
                .hint("name these repos with --repo too, or leave --repo out to use the repos of the tasks")
                .texts("tasks", tasks),
            FlowError::SeveralHomes { repos } => Self::illegal(message)
                .hint("run `bd state move --to global` in each of them, or set BD_STATE_DIR for all")
                .texts("repos", repos),
            FlowError::PlanIsFixed { state, .. } => Self::illegal(message)
                .hint("make a new workflow for what is left to do")
                .fact("state", state.word()),
            FlowError::NoSuchTask { .. } => Self::not_found(message).hint("run `bd workflow show` to see its tasks"),
            FlowError::Namesakes { ids, .. } => Self::new(Exit::NotFound, "ambiguous", message)
                .hint("name one by its id, or remove one with `bd workflow remove-task WF ID`")
                .texts("candidates", ids),
            FlowError::TaskStays { why, .. } => Self::illegal(message)
                .hint("finished or running work stays in the plan; release the task first with `bd release`")
                .fact("task_state", why),
            FlowError::WouldMove { tasks } => Self::illegal(message)
                .hint("leave repo out for these tasks, or rename them: the old ones are removed and new ones filed there")
                .texts("tasks", tasks),
            FlowError::PartlyChanged { ids, .. } => Self::failed(message)
                .hint("run the same command again once the ledger can be written; it finishes the rest")
                .texts("ids", ids),
            FlowError::HalfMade { ids, .. } => Self::failed(message)
                .hint("run `bd delete` on them once the ledger can be written again")
                .texts("ids", ids),
        }
    }
}
