//! What workflows say to a change of one of their issues, beside the claims: a task is not taken by writing its status, and the
//! status of a workflow follows its state.

use super::leases::standing;
use super::{Result, Row, Store, TaskRow, TaskState, Write};
use crate::model::change::{Change, ChangeError};
use crate::model::issue::{self, Status};
use crate::model::lease::Standing;
use crate::model::record::Record;
use crate::model::workflow::{Task, WorkflowError};

const WORKS: &str = "in_progress";

/// What a change does to the status.
enum Aim {
    Ends,
    Becomes(Status),
}

impl Store {
    /// Lets workflows be closed over open tasks from now on.
    pub fn force(&mut self) {
        self.forced = true;
    }

    /// Refuses a write that takes a task past the rules of its workflow, or moves a workflow past its table. The locks are held. Says
    /// which workflow a task is taken from; of those in `taken` one is taken already.
    pub(super) fn refuse_taking(&mut self, write: &Write, taken: &[String]) -> Result<Option<String>> {
        let Some((id, aim)) = aim_of(write) else { return Ok(None) };
        if self.claiming.borrow().as_deref() == Some(id) {
            return Ok(None);
        }
        self.refresh()?;
        let Some(row) = self.get(id)? else { return Ok(None) };
        if matches!(&aim, Aim::Becomes(status) if status.as_str() == WORKS)
            && Task::of_line(&row.line).is_some()
            && row.issue.status.as_str() != WORKS
            && !self.is_claimed(id)?
        {
            return self.refuse_task(&row, taken);
        }
        // A line from elsewhere is as it is: what disagrees is named.
        if let Write::Change { .. } = write {
            self.refuse_status(&row, &aim)?;
        }
        Ok(None)
    }

    /// Somebody holds it: then it counts already, and the claim says who may write.
    fn is_claimed(&mut self, id: &str) -> Result<bool> {
        let now = self.host.clock.both();
        Ok(self.claims()?.iter().any(|(known, lease)| known == id && standing(lease, &now) == Standing::Live))
    }

    fn refuse_status(&mut self, row: &Row, aim: &Aim) -> Result<()> {
        let was_done = row.issue.status.is_done();
        let Some(workflow) = self.as_workflow(row.clone()).filter(|_| !was_done) else { return Ok(()) };
        let id = row.issue.id.clone();
        match aim {
            Aim::Ends if self.forced => Ok(()),
            Aim::Ends => {
                let open = |task: &TaskRow| !task.is_done() && task.state() != TaskState::Unmerged;
                let tasks = self.tasks_of(&id)?.into_iter().filter(open).map(|task| task.task.name);
                let tasks: Vec<String> = tasks.collect();
                if tasks.is_empty() {
                    Ok(())
                } else {
                    Err(ChangeError::from(WorkflowError::OpenTasks { id, tasks }).into())
                }
            }
            Aim::Becomes(status) if *status == workflow.state.status() || *status == row.issue.status => Ok(()),
            Aim::Becomes(status) => {
                let (state, status) = (workflow.state, status.as_str().to_owned());
                Err(ChangeError::from(WorkflowError::StatusFollows { id, state, status }).into())
            }
        }
    }
}

/// Which issue gets another status by a write, and which.
fn aim_of(write: &Write) -> Option<(&str, Aim)> {
    let aim = |status: Status| if status.is_done() { Aim::Ends } else { Aim::Becomes(status) };
    match write {
        Write::File { .. } => None,
        Write::Put { id, line, .. } => {
            // Most lines are no tasks.
            let record = Record::parse(line).ok().filter(|record| issue::status_of(record).as_str() == WORKS)?;
            Some((id, aim(issue::status_of(&record))))
        }
        Write::Change { id, changes } => {
            let found = changes.iter().rev().find_map(|change| match change {
                Change::Status(status) => Some(aim(status.clone())),
                Change::Close { .. } => Some(Aim::Ends),
                Change::Defer { .. } => Some(Aim::Becomes(Status::new("deferred"))),
                Change::Claim { .. } => Some(Aim::Becomes(Status::new(WORKS))),
                _ => None,
            });
            found.map(|aim| (id.as_str(), aim))
        }
    }
}
