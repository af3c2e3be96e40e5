//! An hg repository's facts.

use beads::internal::vcs::{Facts, Kind, Remote, facts};

use crate::vcs::lab::Lab;

const HGRC: &str = "
# a comment
[paths]
stable = https://up/stable
default = https://up/x
default:pushurl = ssh://up/x
default-push = ssh://me/x
; another
[ui]
username = Ann Example <ann@example.org>
[beads]
role = maintainer
";

#[test]
fn paths_username_and_role() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a");
    assert_eq!(lab.facts("a"), Facts { kind: Kind::Hg, ..Facts::default() });
    lab.write("a/.hg/hgrc", HGRC);
    // hg reads the file as we do.
    assert_eq!(lab.sh("cd a; hg config paths.default; hg config beads.role"), "https://up/x\nmaintainer\n");
    let facts = lab.facts("a");
    let remotes = [("origin", "https://up/x"), ("stable", "https://up/stable"), ("default-push", "ssh://me/x")];
    let remotes = remotes.map(|(name, url)| Remote { name: name.to_owned(), url: url.to_owned() });
    assert_eq!(facts.remotes, remotes);
    assert_eq!(facts.email.as_deref(), Some("ann@example.org"));
    assert_eq!(facts.role, Some(("maintainer".to_owned(), "hg config beads.role".to_owned())));
    assert_eq!(facts.pushed, None);
}

#[test]
fn a_share_and_a_clone() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a; hg clone -q a b");
    lab.write("a/.hg/hgrc", HGRC);
    lab.sh(
        "hg --config extensions.share= share -q a c; hg init --config format.use-share-safe=1 d; cp a/.hg/hgrc d/.hg/
            hg --config extensions.share= share -q d e",
    );
    assert_eq!(lab.facts("c").remotes[0].url, "https://up/x");
    assert_eq!(lab.facts("c").role.unwrap().0, "maintainer");
    assert_eq!(lab.facts("e").remotes[0].url, "https://up/x");
    assert_eq!(
        lab.facts("b").remotes,
        [Remote { name: "origin".to_owned(), url: lab.path("a").display().to_string() }]
    );
}

#[test]
fn the_users_files() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a");
    lab.write("home/.hgrc", "[ui]\nusername = home@example.org\n[beads]\nrole = contributor\n");
    assert_eq!(lab.facts("a").email.as_deref(), Some("home@example.org"));
    lab.write("xdg/hg/hgrc", "[ui]\nusername = Ann\n <xdg@example.org>\n");
    let xdg = lab.env().with("XDG_CONFIG_HOME", lab.path("xdg"));
    assert_eq!(facts(&lab.path("a"), &xdg).email.as_deref(), Some("xdg@example.org"), "a value of two lines");
    lab.write("a/.hg/hgrc", "[ui]\nusername = Only A Name\n[beads]\n%unset role\n");
    assert_eq!((lab.facts("a").email, lab.facts("a").role), (None, None));
    let named = lab.write("named", "[beads]\nrole = named\n");
    let other = facts(&lab.path("a"), &lab.env().with("HGRCPATH", named));
    assert_eq!(other.role, None, "the repository takes it back");
}

/// sl is not at hand; the files are as its documentation says.
#[test]
fn sapling_files() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("a/.sl/config", "[paths]\ndefault = https://up/x\n");
    lab.write("home/.config/sapling/sapling.conf", "[ui]\nusername = Ann <ann@example.org>\n");
    let facts = lab.facts("a");
    assert_eq!((facts.kind, facts.email.as_deref()), (Kind::Sl, Some("ann@example.org")));
    assert_eq!(facts.remotes[0].name, "origin");
}
