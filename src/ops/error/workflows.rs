//! Errors of workflows.

use crate::model::plan::meant;
use crate::model::workflow::State;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    #[error("{id} cannot become {to}: its tasks {} are not done", tasks.join(", "))]
    OpenTasks { id: String, to: &'static str, tasks: Vec<String> },
    #[error("{id} cannot become {to}: somebody works on {}", tasks.join(", "))]
    Running { id: String, to: &'static str, tasks: Vec<String> },
    #[error("cannot tell whether the tasks of {id} are done; these repos are not joined here: {}", repos.join(" "))]
    Hidden { id: String, repos: Vec<String> },
    #[error("{id} cannot become {to}: it has no tasks; legal now: abandoned (bd workflow abandon)")]
    NoTasks { id: String, to: &'static str },
    #[error("{id} is {state}, and bd workflow {command} does not move it; legal now: {}", state.ways_on())]
    OtherCommand { id: String, state: State, command: &'static str },
    #[error("a workflow over several repos has no usual one: these tasks name none: {}", tasks.join(", "))]
    NoRepo { tasks: Vec<String> },
    #[error("a workflow goes over private repos or over others, not both: {} and {}", private.join(" "), public.join(" "))]
    Mixed { private: Vec<String>, public: Vec<String> },
    #[error("these tasks name repos that the workflow does not have: {}", tasks.join(", "))]
    NotAmong { tasks: Vec<String> },
    #[error(
        "a workflow over several repos needs one state home for all of them, so that claims are seen everywhere; not so: {}",
        repos.join(", ")
    )]
    SeveralHomes { repos: Vec<String> },
    #[error(
        "{id} is {state}, and its plan is not changed any more; it could be while planning, ready, in_progress, paused or failed"
    )]
    PlanIsFixed { id: String, state: State },
    #[error("{id} has no task {name:?}{}", meant(nearest))]
    NoSuchTask { id: String, name: String, nearest: Option<String> },
    #[error("several tasks of {id} are named {name:?}: {}", ids.join(" "))]
    Namesakes { id: String, name: String, ids: Vec<String> },
    #[error("the task {name} of {id} is {why} and stays")]
    TaskStays { id: String, name: String, why: &'static str },
    #[error("these tasks are in other repos than the plan says, and do not move: {}", tasks.join(", "))]
    WouldMove { tasks: Vec<String> },
    #[error("the plan of {id} was changed only in part: {problem}; changed: {}", ids.join(" "))]
    PartlyChanged { id: String, ids: Vec<String>, problem: String },
    #[error("the workflow was not made: {problem}; what was filed of it could not be taken back: {}", ids.join(" "))]
    HalfMade { ids: Vec<String>, problem: String },
}
