//! The command line itself: help, completion, terminal and pager, messages, JSON schemas.

mod about;
mod complete;
mod complete_shells;
mod fewer_commands;
mod help;
mod line_widths;
mod local_times;
mod manual;
mod messages;
mod progress;
mod schemas;
pub mod screens;
mod short_paths;
mod signposts;
mod tips;
