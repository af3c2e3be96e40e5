//! Failures of workflows, and of the plans and templates that they are made from.

use super::*;
use crate::model::plan::Problem;
use crate::ops::templates::TemplateError;
use crate::ops::workflows::FlowError;
use crate::sys::lock::LockError;

impl Classify for FlowError {
    fn classify(&self) -> Failure {
        use FlowError::*;
        match self {
            OpenTasks { tasks, .. } => ILLEGAL
                .shell("close them, add --skip-open to close them as skipped, or run `bd workflow abandon`")
                .texts("tasks", tasks),
            Running { tasks, .. } => ILLEGAL
                .hint("wait for them or have them released")
                .run("bd leases", "to see who holds what")
                .texts("tasks", tasks),
            Hidden { repos, .. } => ILLEGAL
                .shell("work from the project that has all of them, join them with `bd repo add`, or run `bd workflow abandon`")
                .texts("repos", repos),
            NoTasks { .. } => {
                ILLEGAL.run("bd workflow add-task", "to add one, or `bd workflow replan` for a whole plan")
            }
            OtherCommand { state, .. } => illegal_from(*state),
            NoRepo { tasks } => USAGE
                .hint("add repo = \"NAME\" to each task of the plan")
                .shell("`bd repo list` shows the names")
                .texts("tasks", tasks),
            Mixed { .. } => WOULD_LEAK
                .hint("nothing was written; make one workflow for each, or propose the private issues first"),
            NotAmong { tasks } => USAGE
                .shell("name these repos with --repo too, or leave --repo out to use the repos of the tasks")
                .texts("tasks", tasks),
            SeveralHomes { repos } => ILLEGAL
                .run("bd state move --to global", "in each of them, or set BD_STATE_DIR for all")
                .texts("repos", repos),
            PlanIsFixed { state, .. } => {
                ILLEGAL.hint("make a new workflow for what is left to do").fact("state", state.word())
            }
            NoSuchTask { .. } => NOT_FOUND.run("bd workflow show", "to see its tasks"),
            Namesakes { ids, .. } => AMBIGUOUS
                .hint("name one by its id")
                .or(shell("remove one with `bd workflow remove-task WF ID`"))
                .texts("candidates", ids),
            TaskStays { why, .. } => ILLEGAL
                .hint("finished or running work stays in the plan")
                .shell("release the task first with `bd release`")
                .fact("task_state", why),
            WouldMove { tasks } => ILLEGAL
                .hint("leave repo out for these tasks, or rename them: the old ones are removed and new ones filed there")
                .texts("tasks", tasks),
            PartlyChanged { ids, .. } => FAILED
                .hint("run the same command again once the ledger can be written; it finishes the rest")
                .texts("ids", ids),
            HalfMade { ids, .. } => {
                FAILED.run("bd delete", "on them once the ledger can be written again").texts("ids", ids)
            }
        }
    }
}

/// Something is wrong with a plan; every problem of it is told.
pub(super) fn broken_plan(problems: &[Problem]) -> Failure {
    USAGE.texts("problems", problems.iter().map(ToString::to_string))
}

impl Classify for TemplateError {
    fn classify(&self) -> Failure {
        use TemplateError::*;
        match self {
            NotFound { .. } => NOT_FOUND.run("bd workflow template list", "to see them"),
            BadName { .. } | BadVariable { .. } => USAGE,
            Broken { problems, .. } => broken_plan(problems)
                .hint("nothing was written")
                .shell("fix it and check with `bd workflow template validate FILE`"),
            Variables { missing, unknown, .. } => USAGE
                .shell("set each with --var NAME=VALUE")
                .run("bd workflow template show", "for their meaning")
                .texts("missing", missing.iter().map(|one| &one.name))
                .texts("unknown", unknown.iter().map(|(name, _)| name)),
            Exists { .. } => {
                ILLEGAL.hint("nothing was written").hint("choose another name").or(shell("replace it with --force"))
            }
            NoUserPlace | Unreadable { .. } | Fs(_) => FAILED,
            Lock(LockError::Timeout { .. }) => BUSY,
            Lock(_) => FAILED,
        }
    }
}
