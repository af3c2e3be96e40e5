//! A jj repository's facts: those of the git repository behind it, overridden by jj's own settings.

use beads::internal::vcs::{Kind, facts};

use crate::vcs::lab::Lab;

#[test]
fn the_git_repository_behind_it() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("jj git init --colocate a; cd a; git config beads.role contributor; git config user.email git@example.org
            jj git remote add upstream https://up/x; jj git remote add origin https://me/x; jj workspace add ../b
            jj git init --no-colocate ../c; cd ../c; jj git remote add origin https://me/c");
    for place in ["a", "b"] {
        let facts = lab.facts(place);
        assert_eq!(facts.kind, Kind::Jj);
        assert_eq!(facts.role, Some(("contributor".to_owned(), "git config beads.role".to_owned())));
        assert_eq!(facts.email.as_deref(), Some("git@example.org"));
        let names: Vec<&str> = facts.remotes.iter().map(|remote| remote.name.as_str()).collect();
        assert_eq!(names, ["origin", "upstream"]);
    }
    assert_eq!(lab.facts("c").remotes[0].url, "https://me/c");
    assert_eq!(lab.facts("c").pushed, None);
}

#[test]
fn jj_settings_win() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("jj git init --colocate a; cd a; git config beads.role contributor; git config user.email git@example.org
            jj config set --user user.email jj@example.org; jj config set --user beads.role reviewer");
    assert_eq!(lab.facts("a").email.as_deref(), Some("jj@example.org"));
    assert_eq!(lab.facts("a").role.unwrap(), ("reviewer".to_owned(), "jj config beads.role".to_owned()));
    lab.sh("cd a; jj config set --repo beads.role maintainer; jj workspace add ../b
            jj config set --repo user.email repo@example.org; jj config set --workspace user.email here@example.org");
    assert_eq!(lab.facts("a").role.unwrap().0, "maintainer");
    assert_eq!(lab.facts("b").role.unwrap().0, "maintainer", "another workspace of the repository");
    assert_eq!(lab.facts("a").email.as_deref(), Some("here@example.org"));
    assert_eq!(lab.facts("b").email.as_deref(), Some("repo@example.org"));
}

#[test]
fn other_places_of_jj_settings() {
    let Some(lab) = Lab::with(&["jj"]) else { return };
    lab.sh("jj git init --no-colocate a");
    lab.write("home/.jjconfig.toml", "user.email = 'old@example.org'\n");
    assert_eq!(lab.facts("a").email.as_deref(), Some("old@example.org"));
    lab.write("xdg/jj/config.toml", "[user]\nemail = 'xdg@example.org'\n");
    let xdg = lab.env().with("XDG_CONFIG_HOME", lab.path("xdg"));
    assert_eq!(facts(&lab.path("a"), &xdg).email.as_deref(), Some("xdg@example.org"));
    lab.write("xdg/jj/conf.d/more.toml", "[user]\nemail = 'more@example.org'\n");
    assert_eq!(facts(&lab.path("a"), &xdg).email.as_deref(), Some("more@example.org"));
    let said = lab.sh("unset JJ_USER JJ_EMAIL; export XDG_CONFIG_HOME=\"$PWD/xdg\"; cd a; jj config get user.email");
    assert_eq!(said, "more@example.org\n", "what jj itself says");
    let named = lab.write("named.toml", "user.email = 'named@example.org'\n");
    assert_eq!(facts(&lab.path("a"), &xdg.with("JJ_CONFIG", named)).email.as_deref(), Some("named@example.org"));
    lab.write("a/.jj/repo/config.toml", "beads.role = 'maintainer'\n");
    assert_eq!(lab.facts("a").role.unwrap().0, "maintainer", "where jj kept it before");
    lab.write("a/.jj/repo/config-id", "../../../home");
    assert_eq!(lab.facts("a").role.unwrap().0, "maintainer", "an id that is a path is not followed");
}

#[test]
fn a_push_by_jj() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("git init -q -b main seed; git -C seed commit -q --allow-empty -m one; git clone -q --bare seed hub.git
            jj git clone --colocate hub.git a");
    assert_eq!(lab.facts("a").pushed, None);
    lab.sh("cd a; jj commit -m two; jj bookmark set main -r @-; jj git push --allow-empty-description -b main");
    assert_eq!(lab.facts("a").pushed.as_deref(), Some("origin/main"));
}
