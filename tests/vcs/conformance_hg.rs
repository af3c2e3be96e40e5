//! The stories of `conformance.rs`, run with hg.

use beads::internal::vcs::Kind;

use crate::vcs::conformance::{Shop, conformance};
use crate::vcs::lab::Lab;

/// The commits that are only here, the parents of the working copy, and what is changed in it.
const STATE: &str = "{node} {phase} {bookmarks} of {p1node} {p2node}: {file_mods} A {file_adds} R {file_dels}\n";

struct Hg;

impl Shop for Hg {
    const KIND: Kind = Kind::Hg;
    const PROGRAMS: &'static [&'static str] = &["hg"];

    fn server(lab: &Lab) {
        lab.sh("hg init server");
    }

    fn clone(lab: &Lab, name: &str) {
        lab.sh(&format!("hg clone -q server {name}"));
    }

    fn alone(lab: &Lab, name: &str) {
        lab.sh(&format!("hg init {name}; cd {name}; echo 1 > code; hg commit -q -A -m first code"));
    }

    fn commit(lab: &Lab, clone: &str, file: &str) {
        lab.sh(&format!("cd {clone}; hg commit -q -A -m {file} path:{file}"));
    }

    fn send(lab: &Lab, clone: &str) {
        lab.sh(&format!("cd {clone}; hg push -q"));
    }

    fn last(lab: &Lab, clone: &str, file: &str) -> Option<String> {
        let found = lab.sh(&format!("cd {clone}; hg cat -r . -T '{{path}}:{{data}}' path:{file} || true"));
        found.strip_prefix(&format!("{file}:")).map(str::to_owned)
    }

    fn commits(lab: &Lab, clone: &str) -> usize {
        lab.sh(&format!("cd {clone}; hg log -r 'not merge() and ::.' -T x")).len()
    }

    fn state(lab: &Lab, clone: &str) -> String {
        // One process of hg, and the files in which it keeps what no template tells.
        lab.sh(&format!(
            "cd {clone}; hg log -r 'draft() or parents() or wdir()' -T '{STATE}'
             cd .hg; cat branch bookmarks bookmarks.current merge/* 2>/dev/null || true; ls beads/merging 2>/dev/null || true"
        ))
    }

    fn misplace(lab: &Lab, clone: &str) {
        lab.write(&format!("{clone}/.hg/hgrc"), "[paths]\ndefault = http://127.0.0.1:1/\n");
    }
}

conformance!(Hg);
