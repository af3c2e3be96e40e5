//! Who has an issue or a file: claims, sessions, what is handed out, reservations, checkpoints.

mod checkpoints;
mod claims;
mod claims_odd;
mod claims_parts;
mod handout;
mod merged_status;
mod reserve;
mod resume;
mod sessions;
mod starting;
