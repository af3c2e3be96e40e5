//! What a repository brings, judged before git, hg, jj or sl is started in it.
//!
//! A repository may come from strangers with its version control's own directory, and that can name programs, files to write
//! and ways for passwords. Settings of the user (home, system, environment, flags) are never judged. What the repository says
//! is harmless; or idle, because flags of ours override it or no command of ours comes to it; or it asks for the user's word
//! (`bd trust`). The judgement is made where a program is started: [`Program::new`] wants a [`Clearance`], and for a repository
//! only a [`Verdict`] gives one.
//!
//! [`Program::new`]: crate::sys::process::Program::new

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::sys::Env;
use crate::sys::process::{Clearance, Refusal};

/// What was found in a repository.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// One line for each setting or file that needs the user's word.
    pub asks: BTreeSet<String>,
    /// One line for each that could do something, and does nothing in a command of ours.
    pub idle: BTreeSet<String>,
    /// What 2.0.0 asked for: agreements made with it hold.
    pub before: BTreeSet<String>,
    /// What overrides the idle ones.
    pub overrides: BTreeSet<&'static str>,
    /// A pipe or a device, which a program would wait for.
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

    /// Nothing asks, or the user has agreed to all of it.
    pub fn is_agreed(&self, root: &Path, env: &Env) -> bool {
        let lines = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
        self.asks.is_empty()
            || env.agrees(root, &lines(&self.asks))
            || (self.asks.is_subset(&self.before) && env.agrees(root, &lines(&self.before)))
    }

    /// All that was found, in order.
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

    /// Adds every link in a directory of version control that leads out of the given places: whoever writes through it writes there.
    /// `enters` says which directories below are looked into, by their names relative to the directory.
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

/// A link that leads nowhere leads out, unless its target would be inside: writing through it makes the target.
fn leads_out(link: &Path, inside: &[PathBuf]) -> bool {
    let within = |path: &Path| inside.iter().any(|place| path.starts_with(place));
    if let Ok(target) = std::fs::canonicalize(link) {
        return !within(&target);
    }
    let target = std::fs::read_link(link).ok().zip(link.parent()).map(|(target, parent)| parent.join(target));
    let parent = target.as_deref().and_then(Path::parent).and_then(|parent| std::fs::canonicalize(parent).ok());
    !parent.is_some_and(|parent| within(&parent))
}
