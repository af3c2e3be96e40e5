//! The stories of `conformance.rs` with jj, with a `.git` beside `.jj` and without.

use beads::internal::vcs::Kind;

use crate::vcs::conformance::{Shop, conformance};
use crate::vcs::lab::Lab;

/// jj pushes no commit of a person without an address.
pub fn identity(lab: &Lab) {
    lab.write("home/.jjconfig.toml", "[user]\nname = 'Ann'\nemail = 'ann@example.org'\n");
}

pub fn server(lab: &Lab) {
    identity(lab);
    lab.sh("git init -q --bare -b main server");
}

/// Of the working copy's change: parents, what it changes, its id, its description, and whether it holds a conflict.
pub const STATE: &str =
    "jj log --no-graph -r @ -T 'parents.map(|c| c.commit_id()) ++ change_id ++ description ++ conflict ++ diff.git()'";

trait Way {
    const FLAG: &'static str;
}

struct Beside;
struct Alone;

impl Way for Beside {
    const FLAG: &'static str = "--colocate";
}

impl Way for Alone {
    const FLAG: &'static str = "--no-colocate";
}

impl<W: Way> Shop for W {
    const KIND: Kind = Kind::Jj;
    const PROGRAMS: &'static [&'static str] = &["jj", "git"];
    const IS_SLOW: bool = true;

    fn server(lab: &Lab) {
        server(lab);
    }

    fn clone(lab: &Lab, name: &str) {
        lab.sh(&format!("jj git clone {} server {name}", W::FLAG));
    }

    fn alone(lab: &Lab, name: &str) {
        identity(lab);
        lab.sh(&format!("jj git init {} {name}; cd {name}; echo 1 > code; jj commit -m first", W::FLAG));
    }

    fn commit(lab: &Lab, clone: &str, file: &str) {
        lab.sh(&format!("cd {clone}; jj commit -m 'a change' {file}; jj bookmark set main -r @-"));
    }

    fn send(lab: &Lab, clone: &str) {
        lab.sh(&format!("cd {clone}; jj git push --bookmark main"));
    }

    fn last(lab: &Lab, clone: &str, file: &str) -> Option<String> {
        let found = lab.sh(&format!("cd {clone}; jj file show -r @- -T 'path ++ \":\"' {file} 2>/dev/null || true"));
        found.strip_prefix(&format!("{file}:")).map(str::to_owned)
    }

    fn commits(lab: &Lab, clone: &str) -> usize {
        lab.sh(&format!("cd {clone}; jj log --no-graph -r '::@- ~ empty()' -T '\".\"'")).len()
    }

    fn state(lab: &Lab, clone: &str) -> String {
        lab.sh(&format!("cd {clone}; {STATE}"))
    }

    fn misplace(lab: &Lab, clone: &str) {
        lab.sh(&format!("cd {clone}; jj git remote set-url origin git://127.0.0.1:1/"));
    }
}

mod with_git_beside {
    super::conformance!(super::Beside);
}

mod without_git_beside {
    super::conformance!(super::Alone);
}
