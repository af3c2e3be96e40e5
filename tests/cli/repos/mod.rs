//! Making a ledger, finding it, its settings, and several repos as one project: roles, planning repos, routing.

mod broken;
mod contributing;
mod discovery;
mod foreign_settings;
mod in_use;
mod init;
mod joined;
mod ledger_name;
mod moved_plans;
mod onboarding;
mod out_of_use;
mod planned_for;
mod planning_setup;
mod roles;
mod same_project;
mod settings;
