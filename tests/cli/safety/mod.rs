//! What strangers bring, and what must not get out: hostile repositories, trust, links, private issues.

mod below;
mod brought_markers;
pub mod hostile;
mod hostile_brought;
mod hostile_files;
mod hostile_keys;
mod leaks;
mod marks;
mod option_like;
mod trust;
mod unicode;
