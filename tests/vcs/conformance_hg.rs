//! The stories of `conformance.rs`, told with hg.

use beads::vcs::Kind;

use crate::vcs::conformance::{Shop, conformance};
use crate::vcs::lab::Lab;

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
        lab.sh(&format!("cd {clone}; hg addremove -q path:{file}; hg commit -q -m {file} path:{file}"));
    }

    fn send(lab: &Lab, clone: &str) {
        lab.sh(&format!("cd {clone}; hg push -q"));
    }

    fn last(lab: &Lab, clone: &str, file: &str) -> Option<String> {
        let there = lab.sh(&format!("cd {clone}; hg files -r . path:{file} || true"));
        (!there.is_empty()).then(|| lab.sh(&format!("cd {clone}; hg cat -r . path:{file}")))
    }

    fn commits(lab: &Lab, clone: &str) -> usize {
        lab.sh(&format!("cd {clone}; hg log -r 'not merge() and ::.' -T x")).len()
    }

    fn state(lab: &Lab, clone: &str) -> String {
        lab.sh(&format!(
            "cd {clone}; hg log -r . -T '{{node}}'; hg log -r 'draft()' -T '{{node}}'; hg status; hg log -r 'parents()' -T '{{node}}'
             hg branch; hg bookmarks; hg resolve --list; ls .hg/beads/merging 2>/dev/null || true"
        ))
    }

    fn misplace(lab: &Lab, clone: &str) {
        lab.write(&format!("{clone}/.hg/hgrc"), "[paths]\ndefault = http://127.0.0.1:1/\n");
    }
}

conformance!(Hg);
