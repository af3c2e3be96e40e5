//! Changing issues: adding, editing, closing, dependencies, labels and notes; one, many or a file of them at once.

mod adding;
mod bad_input;
mod batch;
mod bulk;
mod closing;
mod closing_blocked;
mod dates;
mod dependencies;
mod editing;
mod far_times;
mod forms;
mod forms_kept;
mod labels;
mod later_commands;
mod notes;
pub mod transfer;
pub mod updating;
