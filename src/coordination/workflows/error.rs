//! Why something cannot be done with a workflow.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    #[error("{id} cannot become {to}: its tasks {} are not done", tasks.join(", "))]
    OpenTasks { id: String, to: &'static str, tasks: Vec<String> },
    #[error("{id} cannot become {to}: somebody works on {}", tasks.join(", "))]
    Running { id: String, to: &'static str, tasks: Vec<String> },
    #[error("{id} cannot become {to}: it has no tasks")]
    NoTasks { id: String, to: &'static str },
    #[error("a workflow over several repos has no usual one: these tasks name none: {}", tasks.join(", "))]
    NoRepo { tasks: Vec<String> },
    #[error("these tasks name repos that the workflow does not have: {}", tasks.join(", "))]
    NotAmong { tasks: Vec<String> },
    #[error(
        "a workflow over several repos needs one state home for all of them, so that claims are seen everywhere; not so: {}",
        repos.join(", ")
    )]
    SeveralHomes { repos: Vec<String> },
    #[error("the workflow was not made: {problem}; what was filed of it could not be taken back: {}", ids.join(" "))]
    HalfMade { ids: Vec<String>, problem: String },
}
