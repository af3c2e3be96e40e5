//! Judges a repository's own settings before git, hg, jj or sl is started in it.
//!
//! A repository may come from strangers with version control's own directory, and that can name programs, files to
//! write and places to send passwords. Settings of the user (home, system, environment, flags) are never judged. A
//! repository's setting is harmless; or idle, because our flags override it or none of our commands uses it; or it
//! needs the user's agreement (`bd trust`). The judgement happens where a program is started: [`Program::new`] requires
//! a [`Clearance`], and for a repository only a [`Verdict`] gives one.
//!
//! [`Program::new`]: crate::sys::process::Program::new

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::sys::Env;
use crate::sys::process::{Clearance, Refusal};

/// The findings about a repository.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// One line for each setting or file that needs the user's agreement.
    pub asks: BTreeSet<String>,
    /// One line for each that could have an effect, but has none in our commands.
    pub idle: BTreeSet<String>,
    /// The settings that 2.0.0 listed: agreements made with it remain valid.
    pub before: BTreeSet<String>,
    /// What overrides the idle ones.
    pub overrides: BTreeSet<&'static str>,
    /// A pipe or a device that a program would block on.
    pub odd: Option<PathBuf>,
}

impl Verdict {
    /// Clearance to start a program in the working copy with this root.
    pub fn clearance(&self, root: &Path, env: &Env) -> Clearance {
        let untrusted = || {
            let settings = self.asks.iter().cloned().collect();
            (!self.is_agreed(root, env)).then(|| Refusal::Untrusted { root: root.to_owned(), settings })
        };
        Clearance::unless(self.odd.clone().map(Refusal::Odd).or_else(untrusted))
    }

    /// Whether nothing needs agreement, or the user has agreed to all of it.
    pub fn is_agreed(&self, root: &Path, env: &Env) -> bool {
        let lines = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
        self.asks.is_empty()
            || env.agrees(root, &lines(&self.asks))
            || (self.asks.is_subset(&self.before) && env.agrees(root, &lines(&self.before)))
    }

    /// All findings, in order.
    pub fn named(&self) -> Vec<String> {
        self.asks.union(&self.idle).cloned().collect()
    }

    pub fn join(&mut self, other: Verdict) {
        self.asks.extend(other.asks);
        self.idle.extend(other.idle);
        self.before.extend(other.before);
        self.overrides.extend(other.overrides);
        self.odd = self.odd.take().or(other.odd);
    }

    /// Adds every link in a directory of version control that leads out of the given places: a program that writes
    /// through it writes there. `enters` decides which subdirectories are checked, by their relative names.
    pub fn links(&mut self, directory: &Path, inside: &[PathBuf], enters: fn(&Path) -> bool) {
        let mut open = vec![directory.to_owned()];
        while let Some(at) = open.pop() {
            for entry in std::fs::read_dir(&at).into_iter().flatten().flatten() {
                let path = entry.path();
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_symlink() && leads_out(&path, inside) {
                    let target = std::fs::read_link(&path).unwrap_or_default();
                    self.asks.insert(format!("{} is a link to {}", path.display(), target.display()));
                } else if kind.is_dir() && path.strip_prefix(directory).is_ok_and(enters) {
                    open.push(path);
                }
            }
        }
    }
}

/// Whether a link leads out. A dangling link does unless its target would be inside: writing through it creates the
/// target.
fn leads_out(link: &Path, inside: &[PathBuf]) -> bool {
    let within = |path: &Path| inside.iter().any(|place| path.starts_with(place));
    if let Ok(target) = std::fs::canonicalize(link) {
        return !within(&target);
    }
    let target = std::fs::read_link(link).ok().zip(link.parent()).map(|(target, parent)| parent.join(target));
    let parent = target.as_deref().and_then(Path::parent).and_then(|parent| std::fs::canonicalize(parent).ok());
    !parent.is_some_and(|parent| within(&parent))
}
