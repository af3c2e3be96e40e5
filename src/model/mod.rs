//! Pure values and rules: no files, no clock, no SQL.

pub mod agent;
pub mod budget;
pub mod change;
pub mod checkpoint;
pub mod dependency;
pub mod difference;
pub mod duration;
pub mod glob;
pub mod graph;
pub mod id;
pub mod issue;
pub mod json;
pub mod lease;
pub mod merge;
pub mod message;
pub mod nearest;
pub mod plan;
pub mod proposal;
pub mod query;
pub mod record;
pub mod reservation;
pub mod size;
pub mod state_id;
pub mod time;
pub mod when;
pub mod workflow;
