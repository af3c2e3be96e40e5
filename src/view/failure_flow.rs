//! What callers are told about workflows that cannot be made or moved.

use super::failure::{Exit, Failure};
use crate::coordination::workflows::FlowError;

impl From<FlowError> for Failure {
    fn from(error: FlowError) -> Self {
        let message = error.to_string();
        match error {
            FlowError::OpenTasks { tasks, .. } => Self::illegal(message)
                .hint("close them, or say --skip-open: that closes them as skipped; bd workflow abandon gives all of it up")
                .texts("tasks", &tasks),
            FlowError::Running { tasks, .. } => Self::illegal(message)
                .hint("wait for them, or have them given back with bd release; bd leases shows who holds what")
                .texts("tasks", &tasks),
            FlowError::Hidden { repos, .. } => Self::illegal(message)
                .hint("work from the project that has all of them, or join them with bd repo add; bd workflow abandon gives it up")
                .texts("repos", &repos),
            FlowError::NoTasks { .. } => Self::illegal(message)
                .hint("bd workflow add-task adds one; bd workflow replan takes a whole plan"),
            FlowError::OtherCommand { state, .. } => {
                let legal: Vec<String> = state.next().iter().map(|state| state.word().to_owned()).collect();
                Self::illegal(message).fact("state", state.word()).texts("legal", &legal)
            }
            FlowError::NoRepo { tasks } => Self::usage(message)
                .hint("say in each task of the plan: repo = \"NAME\", with a name of bd repo list")
                .texts("tasks", &tasks),
            FlowError::Mixed { .. } => Self::would_leak(message)
                .hint("nothing was written; make one workflow for each, or propose the private issues first"),
            FlowError::NotAmong { tasks } => Self::usage(message)
                .hint("name these repos with --repo too, or leave --repo out: then those of the tasks count")
                .texts("tasks", &tasks),
            FlowError::SeveralHomes { repos } => Self::illegal(message)
                .hint("run bd state move --to global in each of them, or name one for all with BD_STATE_DIR")
                .texts("repos", &repos),
            FlowError::PlanIsFixed { state, .. } => Self::illegal(message)
                .hint("make a new workflow for what is left to do")
                .fact("state", state.word()),
            FlowError::NoSuchTask { .. } => Self::not_found(message).hint("bd workflow show names its tasks"),
            FlowError::Namesakes { ids, .. } => Self::new(Exit::NotFound, "ambiguous", message)
                .hint("name one of them by its id; bd workflow remove-task WF ID takes one out")
                .texts("candidates", &ids),
            FlowError::TaskStays { why, .. } => Self::illegal(message)
                .hint("work that is done or goes on is not taken out of a plan; bd release gives it back first")
                .fact("task_state", why),
            FlowError::WouldMove { tasks } => Self::illegal(message)
                .hint("leave repo out for them, or give them new names: then the old ones go and new ones are filed there")
                .texts("tasks", &tasks),
            FlowError::PartlyChanged { ids, .. } => Self::failed(message)
                .hint("run the same again when the ledger can be written: it finishes what is left")
                .texts("ids", &ids),
            FlowError::HalfMade { ids, .. } => Self::failed(message)
                .hint("bd delete takes them out when the ledger can be written again")
                .texts("ids", &ids),
        }
    }
}
