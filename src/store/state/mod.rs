//! Contents of a state home: tables of records, the log of writes, and damaged parts of them.

pub(in crate::store) mod checkout_id;
pub(in crate::store) mod damage;
pub(in crate::store) mod directory;
pub(in crate::store) mod home;
pub(in crate::store) mod installed;
pub(in crate::store) mod leases;
pub(in crate::store) mod log;
pub(in crate::store) mod outbox;
pub(in crate::store) mod put;
pub(in crate::store) mod record_error;
pub(in crate::store) mod records;
pub(in crate::store) mod stamps;
pub(in crate::store) mod state_dir;
pub(in crate::store) mod tables;
