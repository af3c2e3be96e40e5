//! Files on disk that are not as they should be: ledgers, locks and full disks, and the state home.

mod carried;
mod home;
mod home_damage;
mod ledger_damage;
mod ledger_fixtures;
mod ledger_links;
mod ledger_odd_values;
pub mod ledger_surroundings;
mod merged;
mod moved;
mod rows;
mod sandboxed;
