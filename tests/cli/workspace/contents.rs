//! What a workspace contains beyond the commit, reusing one, and its descriptions.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::cli::workspace::workspaces::{directories, make, states, text};
use crate::support::checkouts::Family;
use crate::support::wait::until;

/// Only ignored files, never over something, never outside.
#[test]
fn ignored_files_are_copied_if_they_are_named() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let put = |name: &str, text: &str| {
        let path = web.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(".gitignore", ".env*\nout/\n*.key\nlink-*\nway\n");
    put(
        ".worktreeinclude",
        "# what a job needs\n.env\n!.env.secret\nout/**/*.txt\nlink-*\n/tracked.key\nplain\nway/deep\n",
    );
    put("tracked.key", "as committed");
    put("plain", "untracked and not ignored");
    family.git(&web, "add .gitignore .worktreeinclude").ok();
    family.git(&web, "add -f tracked.key").ok();
    symlink("nowhere", web.join("way")).unwrap();
    family.git(&web, "add -f way").ok();
    family.git(&web, "commit -qm files").ok();
    fs::remove_file(web.join("way")).unwrap();
    put("way/deep", "must not go through a link");
    put("tracked.key", "changed");
    put(".env", "A=1");
    fs::set_permissions(web.join(".env"), fs::Permissions::from_mode(0o600)).unwrap();
    put(".env.secret", "no");
    put("sub/.env", "B=2");
    put("out/a/b/one.txt", "1");
    put("out/a/b/one.bin", "2");
    put("out/a/.git/config.txt", "no");
    put("other.key", "by a flag");
    put(".beads/run/x.txt", "state");
    symlink("/etc/passwd", web.join("link-out")).unwrap();
    symlink("../../x", web.join("link-up")).unwrap();
    symlink(".env", web.join("link-in")).unwrap();
    let (made, path) = make(&family, "--copy other.key --copy .beads/run/*");
    let copied: Vec<&str> = made["copied"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert_eq!(copied, [".env", "link-in", "other.key", "out/a/b/one.txt", "sub/.env"]);
    assert_eq!(fs::read_to_string(path.join("tracked.key")).unwrap(), "as committed", "never over something");
    assert!(path.join("way").is_symlink());
    assert_eq!(fs::metadata(path.join(".env")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_link(path.join("link-in")).unwrap(), Path::new(".env"));
    for absent in
        [".env.secret", "out/a/b/one.bin", "out/a/.git", "plain", "link-out", "link-up", "nowhere", ".beads/run"]
    {
        assert!(fs::symlink_metadata(path.join(absent)).is_err(), "{absent}");
    }
    assert_eq!(family.git(&path, "status --porcelain").ok().stdout, "");
    family
        .bd(&web, "--config workspace.copy_limit=2 workspace create")
        .fails(1, &["workspace.copy_limit allows 2 bytes"]);
}

#[test]
fn a_setup_prepares_and_is_agreed_to() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    fs::create_dir_all(web.join("sub")).unwrap();
    let setup = |text: &str| format!("[workspace]\nsetup = '{text}'\n");
    let config = web.join(".beads/config.toml");
    let before = fs::read_to_string(&config).unwrap_or_default();
    fs::write(&config, format!("{before}{}", setup("echo $BD_ISSUE $BD_PORT > made; echo said"))).unwrap();
    family.commit(&web);
    let run = family.bd(&web, "workspace create --json").fails(10, &[]);
    assert!(text(&run.error(), "message").contains("echo $BD_ISSUE"), "{}", run.stderr);
    assert_eq!(directories(&family).len(), 0);
    family.bd(&web, "workspace create --no-setup").ok();
    let trusted = family.bd(&web, "config trust --json").ok().json();
    assert_eq!(trusted["trusted"][0]["key"], "workspace.setup", "{trusted}");
    let (made, path) = make(&family, "--issue bd-base");
    let port = made["port"].as_i64().unwrap();
    assert_eq!(fs::read_to_string(path.join("made")).unwrap(), format!("bd-base {port}\n"));
    let log = Path::new(&text(&made, "context_dir")).join("setup.log");
    assert_eq!(fs::read_to_string(log).unwrap(), "said\n");
    // Another command is another agreement; one that the user sets is agreed to.
    fs::write(&config, format!("{before}{}", setup("true other"))).unwrap();
    family.bd(&web, "workspace create").fails(10, &["true other"]);
    family.bd(&web, "config set workspace.setup true --shared").ok();
    make(&family, "--new");
    // The tail of what it said is in the error, and it has no more time than it is given; nothing of it goes on.
    fs::write(family.path("slow"), "echo one\necho two\nsleep 300 & echo $! > ../../../../../pid\nsleep 300\n")
        .unwrap();
    let script = format!(". '{}'", family.path("slow").display());
    // On a busy machine the first of them may be over before the program has said anything.
    let said = [1, 5, 25].iter().find_map(|seconds| {
        let limit = format!("workspace.setup_timeout={seconds}s");
        let mut command = family.env().bd_command(crate::support::harness::BD);
        command.args(["--config", &limit, "workspace", "create", "--setup", &script]);
        let run = family.env().run(command, format!("bd workspace create with {limit}"), None);
        let run = run.fails(1, &[&format!("did not end within {seconds}s")]);
        let pid = fs::read_to_string(family.path("home/pid")).ok().filter(|pid| pid.ends_with('\n'))?;
        Some((run, pid))
    });
    let (run, pid) = said.expect("the number of the process that it left behind");
    assert!(run.stderr.contains("one; two"), "{}", run.snapshot());
    until("nothing of it goes on", || {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        state.is_empty() || state.contains(") Z")
    });
}

#[test]
fn a_place_outside_is_agreed_to() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let config = web.join(".beads/config.toml");
    let before = fs::read_to_string(&config).unwrap_or_default();
    fs::write(&config, format!("{before}[workspace]\npath = '../elsewhere'\n")).unwrap();
    family.bd(&web, "workspace create").fails(10, &["leads out of the repository"]);
    assert!(!family.path("elsewhere").exists());
    assert_eq!(family.bd(&web, "list").ok().talk(), "", "nothing is said of it before it is needed");
    family.bd(&web, "config trust").ok();
    let (_, path) = make(&family, "");
    assert!(path.starts_with(family.path("elsewhere")), "{}", path.display());
    // Inside of the repository it keeps itself out of version control.
    fs::write(&config, format!("{before}[workspace]\npath = 'jobs'\n")).unwrap();
    family.commit(&web);
    let (_, path) = make(&family, "");
    assert!(path.starts_with(web.join("jobs")));
    assert_eq!(family.git(&web, "status --porcelain").ok().stdout, "");
    let (_, copy) = make(&family, "--kind copy");
    assert!(copy.starts_with(web.join("jobs")) && !copy.join("jobs").join(copy.file_name().unwrap()).exists());
}

#[test]
fn an_idle_workspace_is_taken_again() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (first, path) = make(&family, "--issue bd-base");
    let id = text(&first, "id");
    fs::write(path.join(".git/kept-by-the-job"), "x").unwrap();
    let (other, _) = make(&family, "");
    assert_ne!(text(&other, "id"), id, "somebody works in it");
    let idle = |id: &str| family.bd(&web, &format!("workspace update {id} --status idle")).ok();
    idle(&id);
    fs::write(web.join("news"), "x").unwrap();
    family.commit(&web);
    fs::write(path.join("dirty"), "x").unwrap();
    let run = family.bd(&web, "workspace create --json").ok();
    let made = run.json();
    assert_ne!(text(&made, "id"), id, "what is in it is nowhere else");
    assert!(made["notes"][0].as_str().unwrap().contains("dirty"), "{made}");
    let record = family.bd(&web, &format!("workspace show {id} --json")).ok().json();
    assert_eq!((text(&record, "state"), text(&record, "issue_id")), ("idle".into(), "bd-base".into()));
    assert!(text(&record, "error").contains("not taken again"), "{record}");
    fs::remove_file(path.join("dirty")).unwrap();
    family.git(&path, "commit -q --allow-empty -m own").ok();
    assert_ne!(text(&make(&family, "").0, "id"), id, "a commit that is nowhere else");
    family.git(&path, "push -q origin HEAD:refs/heads/saved").ok();
    family.git(&path, "fetch -q origin").ok();
    family.bd_with(&path, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    family.git(&path, "checkout -q .").ok();
    assert_ne!(text(&make(&family, "").0, "id"), id, "somebody holds something there");
    family.bd_with(&path, "release bd-base", &[("BD_AGENT", "bob")]).ok();
    family.git(&path, "checkout -q .").ok();
    assert_ne!(text(&make(&family, "--new").0, "id"), id, "a new one was asked for");
    assert_ne!(text(&make(&family, "--kind worktree").0, "id"), id, "another kind was asked for");
    let (again, same) = make(&family, "--branch next");
    assert_eq!((text(&again, "id"), &same), (id, &path));
    assert_eq!((again["was_there"].as_bool(), again["reused"].as_i64()), (Some(true), Some(1)));
    assert!(again["issue_id"].is_null() && again["error"].is_null(), "{again}");
    assert!(path.join("news").exists() && path.join(".git/kept-by-the-job").exists());
    assert_eq!(family.git(&path, "symbolic-ref --short HEAD").ok().stdout, "next\n");
    assert_eq!(family.git(&path, "status --porcelain").ok().stdout, "");
}

#[test]
fn what_became_of_it() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (made, path) = make(&family, "");
    let id = text(&made, "id");
    let update = |line: &str| family.bd(&web, &format!("workspace update {id} {line}"));
    update("--status merged").fails(5, &["merged only by a commit", "--merge-commit"]);
    update("--status merged --merge-commit nothing").fails(3, &["no commit \"nothing\""]);
    update("--pr-url javascript:x").fails(2, &["not the address"]);
    let merged = update("--status merged --merge-commit HEAD --pr-url https://example.org/pull/1 --json").ok().json();
    let head = family.git(&web, "rev-parse HEAD").ok().stdout;
    assert_eq!(text(&merged, "merge_commit"), head.trim());
    assert_eq!(text(&merged, "pr_url"), "https://example.org/pull/1");
    update("--fetch").fails(2, &["only a clone that is active or idle"]);
    update("--status abandoned").ok();
    update("--status active").ok();
    fs::write(web.join("news"), "x").unwrap();
    family.commit(&web);
    fs::write(path.join("dirty"), "x").unwrap();
    let run = update("--fetch").fails(8, &["it has 1 untracked file: dirty; nothing is pulled over that"]);
    assert!(!run.stderr.contains("removed"), "{}", run.snapshot());
    fs::remove_file(path.join("dirty")).unwrap();
    update("--fetch").ok();
    assert!(path.join("news").exists());
    // One that could not be made can become nothing.
    family.bd(&web, "workspace create --setup false").fails(1, &[]);
    assert_eq!(states(&family, "workspace list --json"), ["active", "failed"]);
    let all = family.bd(&web, "workspace list --json").ok().json();
    let failed = text(&all[1], "id");
    family
        .bd(&web, &format!("workspace update {failed} --status idle"))
        .fails(5, &["is failed and cannot become idle", "it can become nothing"]);
}

#[test]
fn a_checkout_that_is_there_is_looked_after() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let tree = family.worktree("side");
    family.git(&web, "clone -q . ../clone").ok();
    family.git(&family.path(""), "init -q stranger").ok();
    let adopt = |name: &str| family.bd(&web, &format!("workspace adopt ../{name} --json"));
    let one = adopt("side").ok().json();
    assert_eq!((text(&one, "kind"), text(&one, "branch")), ("worktree".into(), "side".into()));
    assert_eq!(one["adopted"], true);
    assert_eq!(text(&adopt("side").ok().json(), "id"), text(&one, "id"), "once is enough");
    let clone = adopt("clone").ok().json();
    assert_eq!(text(&clone, "kind"), "clone");
    family.bd_with(&family.path("clone"), "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    assert_eq!(family.held(&tree), ["bd-base in clone"]);
    adopt("web").fails(1, &["the checkout that the others are made from"]);
    adopt("stranger").fails(1, &["neither a checkout nor a clone of this repository"]);
    adopt("tmp").fails(1, &["no working copy"]);
}

#[test]
fn how_large_it_is_and_opening_it() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (made, path) = make(&family, "");
    fs::write(path.join("large"), vec![7; 3 << 20]).unwrap();
    let rows = family.bd(&web, "workspace du --json").ok().json();
    let size = rows[0]["size"].as_i64().unwrap();
    assert!((3 << 20..4 << 20).contains(&size), "{rows}");
    assert!(rows[0]["shared"].as_i64().unwrap() > 0, "linked objects are not counted: {rows}");
    let record = family.bd(&web, &format!("workspace show {} --json", text(&made, "id"))).ok().json();
    assert_eq!(record["size"].as_i64(), Some(size));
    let open = |vars: &[(&str, &str)]| family.bd_with(&web, &format!("workspace open {}", text(&made, "id")), vars);
    let run = open(&[("BD_OPEN", "printf '%s %s ' \"$PWD\" \"$BD_WORKSPACE\"; echo")]).ok();
    assert_eq!(run.stdout, format!("{} {} {}\n", path.display(), text(&made, "id"), path.display()));
    assert_eq!(open(&[("EDITOR", "exit 3;")]).code, 3);
    open(&[]).fails(2, &["set BD_OPEN, VISUAL, EDITOR or SHELL"]);
    fs::remove_dir_all(&path).unwrap();
    open(&[("BD_OPEN", "true")]).fails(3, &["is not there"]);
}
