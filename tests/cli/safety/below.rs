//! Files below a repository that are not what they should be: links, pipes, devices, directories, other names of other files. A
//! clone or an archive brings them along; `bd` neither follows nor waits for them, and writes nothing elsewhere.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::support::effort::pick;
use crate::support::harness::{BD, Env, Run, put_file};
use crate::support::programs::have;
use crate::support::repos::{issues, sh};

fn one() -> Env {
    let env = Env::new();
    env.given("add One --id bd-1");
    env
}

fn git() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = one();
    sh(&env, "cd web; git init -q; git add -A; git commit -q -m base");
    Some(env)
}

/// A file that nothing in the repository may reach.
fn victim(env: &Env, name: &str) -> PathBuf {
    let path = env.root().join("home").join(name);
    fs::write(&path, "mine\n").unwrap();
    path
}

#[track_caller]
fn is_untouched(path: &Path) {
    assert_eq!(fs::read_to_string(path).unwrap(), "mine\n", "{}", path.display());
}

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
}

/// Replaces a file by a link.
fn link(to: impl AsRef<Path>, path: &Path) {
    let _ = fs::remove_file(path);
    symlink(to, path).unwrap();
}

/// Runs `bd` with a bound on its memory; it must end by itself. (Without a limit of its own it would not end at all.)
#[track_caller]
fn bounded(env: &Env, line: &str) -> Run {
    let mut command = env.bd_command("/bin/sh");
    command.args(["-c", "ulimit -v 700000; exec timeout 60 \"$0\" \"$@\"", BD]).args(line.split(' '));
    let run = env.run(command, format!("bd {line}"), None);
    assert!(run.code < 100, "{}", run.snapshot());
    run
}

#[test]
fn what_is_set_aside_is_not_written_through_a_link() {
    let env = one();
    let bashrc = victim(&env, ".bashrc");
    let damaged = [env.ledger_text(), "touch pwned\n".to_owned()].concat();
    env.put_ledger(&damaged);
    link("../../home/.bashrc", &env.path(".beads/damaged.txt"));
    env.bd(["doctor", "--fix"]).fails(1, &["damaged.txt: it is a link"]);
    is_untouched(&bashrc);
    assert_eq!(env.ledger_text(), damaged, "the line stays where it is");
    // Another name of the file does not help.
    fs::remove_file(env.path(".beads/damaged.txt")).unwrap();
    fs::hard_link(&bashrc, env.path(".beads/damaged.txt")).unwrap();
    env.bd(["doctor", "--fix"]).fails(1, &["damaged.txt", "hard links"]);
    is_untouched(&bashrc);
    fs::remove_file(env.path(".beads/damaged.txt")).unwrap();
    env.bd(["doctor", "--fix"]).ok();
    assert_eq!(fs::read_to_string(env.path(".beads/damaged.txt")).unwrap(), "touch pwned\n");
}

#[test]
fn a_ledger_is_no_link_to_version_control_or_to_sources() {
    let Some(env) = git() else { return };
    let source = env.write("main.c", "int main;\n");
    for target in [".git/config", "main.c"] {
        let before = fs::read(env.path(target)).unwrap();
        link(Path::new("..").join(target), &env.ledger_path());
        for line in [&["add", "x"][..], &["list"], &["doctor", "--fix"], &["close", "1"]] {
            env.bd(line).fails(5, &["beads.jsonl is a link to", "must be a regular file"]);
        }
        assert_eq!(fs::read(env.path(target)).unwrap(), before);
    }
    assert!(source.is_file());
    fs::remove_file(env.ledger_path()).unwrap();
    link("../.git", &env.path("other"));
    env.write(".beads/redirect", ".git\n");
    env.bd(["list"]).fails(5, &[".git is in a directory of version control"]);
}

#[test]
fn init_writes_into_no_linked_directory() {
    let env = Env::bare();
    let victim = env.root().join("victim");
    fs::create_dir(&victim).unwrap();
    link("../victim", &env.path(".beads"));
    env.bd(["init"]).fails(5, &[".beads leads to", "victim, outside of this repository"]);
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
    link("../nowhere", &env.path(".beads"));
    env.bd(["init"]).fails(9, &[".beads is not a directory"]);
    assert!(!env.root().join("nowhere").exists());
}

#[test]
fn attributes_and_settings_of_version_control_are_not_written_through_links() {
    let Some(env) = git() else { return };
    let mine = victim(&env, "mine");
    link("../home/mine", &env.path(".gitattributes"));
    env.bd(["hooks", "install", "--shared"]).fails(1, &[".gitattributes: it is a link"]);
    is_untouched(&mine);
    fs::remove_file(env.path(".gitattributes")).unwrap();
    link("../../../home/mine", &env.path(".git/info/attributes"));
    env.bd(["hooks", "install"]).fails(10, &["attributes is a link to"]);
    is_untouched(&mine);
    assert_eq!(sh(&env, "cd web; git config merge.bd.driver || true"), "", "and nothing half done");
}

#[test]
fn state_is_not_kept_behind_a_link() {
    let env = one();
    let outside = env.root().join("home/outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    link("../../home/outside", &env.path(".beads/run"));
    for line in [
        "add x",
        "claim bd-1",
        "undo --yes",
        "config set --personal routing.mode single",
        "agent register bob",
        "reserve a",
    ] {
        let run = bounded(&env, line);
        assert_ne!(run.code, 0, "{}", run.snapshot());
    }
    assert!(env.bd(["list"]).ok().stderr.contains("run: it is a link"), "a read says so and works");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    // A single file of state, too.
    fs::remove_file(env.path(".beads/run")).unwrap();
    env.given("claim bd-1");
    let mine = victim(&env, "mine");
    for name in ["leases.jsonl", "writes.jsonl", "journal.jsonl", "undo.jsonl", "version", "config.toml"] {
        let kept = fs::read(env.path(".beads/run").join(name)).ok();
        link("../../../home/mine", &env.path(".beads/run").join(name));
        for line in ["note bd-1 words", "release bd-1", "config set --personal routing.mode single"] {
            bounded(&env, line);
        }
        is_untouched(&mine);
        fs::remove_file(env.path(".beads/run").join(name)).unwrap();
        if let Some(bytes) = kept {
            fs::write(env.path(".beads/run").join(name), bytes).unwrap();
        }
    }
}

#[test]
fn templates_and_lists_are_not_read_through_links() {
    let env = one();
    let secret = env.root().join("home/secret.toml");
    fs::write(&secret, "[template]\ndescription = \"SECRET\"\n").unwrap();
    fs::create_dir(env.path(".beads/templates")).unwrap();
    link("../../../home/secret.toml", &env.path(".beads/templates/leak.toml"));
    let run = env.bd(["template", "list", "--all"]).ok();
    assert!(!run.stdout.contains("SECRET") && run.stdout.contains("it is a link"), "{}", run.snapshot());
    link("../home/secret.toml", &env.path("plan.toml"));
    env.bd(["workflow", "create", "--plan", "plan.toml"]).fails(1, &["plan.toml: it is a link"]);
    env.bd(["import", "plan.toml"]).fails(1, &["plan.toml: it is a link"]);
    env.bd(["template", "validate", "plan.toml"]).fails(1, &["plan.toml: it is a link"]);
    env.bd(["export", "-o", "plan.toml"]).fails(1, &["plan.toml: it is a link"]);
    assert!(fs::read_to_string(&secret).unwrap().contains("SECRET"));
    pipe(&env.path("pipe.jsonl"));
    bounded(&env, "import pipe.jsonl").fails(1, &["not a regular file"]);
    bounded(&env, "export -o pipe.jsonl").fails(1, &["not a regular file"]);
}

#[test]
fn a_redirect_is_a_short_regular_file() {
    let env = one();
    let redirect = env.path(".beads/redirect");
    link("/dev/zero", &redirect);
    bounded(&env, "list").fails(1, &["redirect: it is a link"]);
    bounded(&env, "add x").fails(1, &["redirect: it is a link"]);
    pipe(&redirect);
    bounded(&env, "list").fails(1, &["redirect: not a regular file"]);
    fs::remove_file(&redirect).unwrap();
    fs::File::create(&redirect).unwrap().set_len(1 << 40).unwrap();
    bounded(&env, "list").fails(1, &["redirect", "the limit is"]);
}

#[test]
fn redirects_in_a_row_are_bounded() {
    let Some(env) = git() else { return };
    for n in 1..=5 {
        fs::create_dir_all(env.path(&format!("r{n}/.beads"))).unwrap();
        env.write(&format!("r{n}/.beads/redirect"), format!("../r{}\n", n + 1));
    }
    env.write("r6/.beads/beads.jsonl", issues(&["in-6"]));
    let at = |n: usize| env.bd(["-C", &format!("r{n}"), "list", "--json"]);
    assert_eq!(at(2).ok().ids(), ["in-6"], "four");
    at(1).fails(5, &["r1/.beads redirects more than 4 times in a row"]);
    env.write("r6/.beads/redirect", "../r6\n");
    at(6).fails(5, &["redirects more than 4 times"]);
    // Each of them stays in the family.
    env.write("../other/.beads/beads.jsonl", issues(&["out-1"]));
    env.write("r5/.beads/redirect", "../../other\n");
    at(4).fails(5, &["outside of this repository"]);
}

#[test]
fn a_beads_that_is_no_directory_is_not_passed_over() {
    let env = one();
    fs::create_dir(env.path("inner")).unwrap();
    let odd = env.path("inner/.beads");
    let socket = |path: &Path| drop(UnixListener::bind(path).unwrap());
    let file = |path: &Path| fs::write(path, "").unwrap();
    let dangling = |path: &Path| symlink("../gone", path).unwrap();
    let device = |path: &Path| symlink("/dev/null", path).unwrap();
    type Maker<'a> = (&'a str, &'a dyn Fn(&Path));
    let makers: [Maker<'_>; 5] =
        [("pipe", &pipe), ("socket", &socket), ("file", &file), ("dangling", &dangling), ("device", &device)];
    let before = env.ledger();
    for (name, make) in makers {
        make(&odd);
        for line in ["-C inner list", "-C inner add x", "-C inner/ ready --claim"] {
            bounded(&env, line).fails(9, &["inner/.beads is not a directory"]);
        }
        assert_ne!(bounded(&env, "-C inner init").code, 0, "{name}");
        fs::remove_file(&odd).unwrap();
    }
    assert_eq!(env.ledger(), before, "the repo above is another");
}

#[test]
fn pipes_in_the_directory_of_version_control_are_not_waited_for() {
    for name in
        ["HEAD", "config", "packed-refs", "refs/heads/main", "index", "info/exclude", "objects/aa/pipe", "commondir"]
    {
        let Some(env) = git() else { return };
        fs::create_dir_all(env.path(".git/objects/aa")).unwrap();
        pipe(&env.path(".git").join(name));
        for line in ["list", "ready", "add x", "log", "diff", "role", "check-leaks", "where", "list --at 3d"] {
            bounded(&env, line);
        }
    }
    // Files included by the settings.
    for target in ["pipe", "/dev/zero"] {
        let Some(env) = git() else { return };
        pipe(&env.path(".git/pipe"));
        sh(&env, &format!("cd web; printf '[include]\\n\\tpath = {target}\\n' >> .git/config"));
        for line in ["list", "role", "add x"] {
            bounded(&env, line);
        }
    }
}

#[test]
fn a_ledger_of_any_kind_and_size_ends() {
    let env = one();
    fs::File::create(env.ledger_path()).unwrap().set_len(2 << 30).unwrap();
    for line in ["list", "add x", "doctor", "doctor --fix", "ready", "stats"] {
        bounded(&env, line).fails(1, &["beads.jsonl", "the limit is"]);
    }
    assert_eq!(fs::metadata(env.ledger_path()).unwrap().len(), 2 << 30);
    fs::remove_file(env.ledger_path()).unwrap();
    drop(UnixListener::bind(env.ledger_path()).unwrap());
    bounded(&env, "list").fails(1, &["beads.jsonl: not a regular file"]);
    fs::remove_file(env.ledger_path()).unwrap();
    fs::create_dir(env.ledger_path()).unwrap();
    bounded(&env, "list").fails(1, &["beads.jsonl: not a regular file"]);
    bounded(&env, "add x").fails(1, &["beads.jsonl: not a regular file"]);
}

/// Private issues go where the settings say: settings that cannot be read are not the same as none.
#[test]
fn settings_that_lead_nowhere_stop_every_write() {
    let env = one();
    let config = env.root().join("home/config");
    let user = config.join("beads/config.toml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    let before = env.ledger();
    let refused = |line: &str, text: &str| {
        bounded(&env, line).fails(1, &[text]);
        assert_eq!(env.ledger(), before, "{line}");
        assert!(bounded(&env, "list").ok().stderr.contains(text), "a read says so and works");
    };
    link("/dotfiles/not/mounted.toml", &user);
    for line in ["add x", "close bd-1", "q Quick", "claim bd-1", "update bd-1 -p 1"] {
        refused(line, "leads nowhere");
    }
    fs::remove_dir_all(user.parent().unwrap()).unwrap();
    link("/dotfiles/not/mounted", user.parent().unwrap());
    refused("add x", "leads nowhere");
    fs::remove_file(user.parent().unwrap()).unwrap();
    for (below, target) in [(".beads/config.toml", "../../home/x.toml"), (".beads/run/config.toml", "/dev/zero")] {
        fs::write(env.root().join("home/x.toml"), "[routing]\nmode = \"single\"\n").unwrap();
        let kept = fs::read(env.path(below)).ok();
        link(target, &env.path(below));
        refused("add x", "it is a link");
        fs::remove_file(env.path(below)).unwrap();
        if let Some(bytes) = kept {
            fs::write(env.path(below), bytes).unwrap();
        }
    }
    // A link that leads somewhere is the user's own business.
    let dotfiles = env.root().join("home/dotfiles.toml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    fs::write(&dotfiles, "issue_prefix = \"own\"\n").unwrap();
    link(&dotfiles, &user);
    env.bd(["add", "x"]).ok();
}

#[test]
fn settings_with_a_nul_stop_every_write() {
    let env = one();
    env.write(".beads/config.toml", "issue_prefix = \"a\0b\"\n");
    env.bd(["add", "x"]).fails(1, &["config.toml:1:"]);
    assert!(env.bd(["list"]).ok().stderr.contains("config.toml:1:"));
}

const LONG_AGO: Duration = Duration::from_secs(60 * 24 * 3600);

fn date_back(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - LONG_AGO).unwrap();
}

/// A repo that is worth an image, and the directory of images.
fn large() -> (Env, PathBuf) {
    let env = Env::new();
    let ids: Vec<String> = (0..400).map(|n| format!("bd-{n:04}")).collect();
    put_file(&env.ledger_path(), issues(&ids.iter().map(String::as_str).collect::<Vec<_>>()).as_bytes());
    let images = env.root().join("home/cache/beads");
    (env, images)
}

fn images_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "image")).collect()
}

#[test]
fn only_images_are_cleaned_away() {
    let (env, images) = large();
    fs::create_dir_all(&images).unwrap();
    let foreign = ["notes.txt", "thesis.img", "0123456789abcdef01234567.img", "0123456789abcdef01234567.image"];
    let foreign = foreign.map(|name| images.join(name));
    for path in &foreign {
        fs::write(path, "mine").unwrap();
        date_back(path);
    }
    // Our former files.
    let ours = [
        ("fedcba9876543210fedcba98.img", "bd-img-2 and the rest", true),
        ("fedcba9876543210fedcba99.image", "SQLite format 3\0 and the rest", true),
        ("fedcba9876543210fedcba99.label", "bd-img-3 and the rest", true),
    ];
    let ours = ours.map(|(name, text, is_old)| {
        let path = images.join(name);
        fs::write(&path, text).unwrap();
        if is_old {
            date_back(&path);
        }
        path
    });
    env.bd(["list"]).ok();
    assert_eq!(images_in(&images).len(), 2, "the new one, and one that is no image");
    assert!(foreign.iter().all(|path| path.is_file()) && ours.iter().all(|path| !path.exists()));
}

#[test]
fn a_linked_directory_of_images_is_left_alone() {
    let (env, images) = large();
    let mine = env.root().join("home/mine");
    fs::create_dir_all(&mine).unwrap();
    fs::create_dir_all(images.parent().unwrap()).unwrap();
    symlink(&mine, &images).unwrap();
    fs::write(mine.join("old"), "mine").unwrap();
    date_back(&mine.join("old"));
    env.bd(["list"]).ok();
    let there: Vec<_> = fs::read_dir(&mine).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there, ["old"], "nothing is written or removed there");
}

#[test]
fn an_image_that_others_could_have_written_is_not_used() {
    let (env, images) = large();
    env.bd(["list"]).ok();
    let [image] = <[PathBuf; 1]>::try_from(images_in(&images)).unwrap();
    assert_eq!(fs::metadata(&image).unwrap().mode() & 0o777, 0o600);
    let inode = || fs::metadata(&image).unwrap().ino();
    let first = inode();
    env.bd(["list"]).ok();
    assert_eq!(inode(), first, "it is used, and needs no other");
    fs::set_permissions(&image, fs::Permissions::from_mode(0o666)).unwrap();
    env.bd(["list"]).ok();
    assert_ne!(inode(), first, "it is made anew");
    assert_eq!(fs::metadata(&image).unwrap().mode() & 0o777, 0o600);
}

/// A single bit counts: a damaged image is replaced, and never used for an answer.
#[test]
fn a_damaged_image_is_noticed_and_replaced() {
    let (env, images) = large();
    let answer = env.bd(["list", "--json"]).ok().stdout;
    let [image] = <[PathBuf; 1]>::try_from(images_in(&images)).unwrap();
    let whole = fs::read(&image).unwrap();
    for part in 1..pick(8, 16, 64) {
        let mut bytes = fs::read(&image).unwrap();
        let place = bytes.len() * part / 65;
        bytes[place] ^= 1;
        fs::write(&image, &bytes).unwrap();
        assert_eq!(env.bd(["list", "--json"]).ok().stdout, answer, "byte {place}");
        assert_ne!(fs::read(&image).unwrap(), bytes, "another is in its place");
    }
    assert_eq!(fs::read(&image).unwrap().len(), whole.len());
}

#[test]
fn a_write_protected_ledger_stays_as_it_is() {
    let env = one();
    let before = env.ledger();
    fs::set_permissions(env.ledger_path(), fs::Permissions::from_mode(0o444)).unwrap();
    for line in [&["add", "x"][..], &["close", "1"], &["import", "other.jsonl"]] {
        env.write("other.jsonl", issues(&["bd-9"]));
        env.bd(line).fails(5, &["beads.jsonl is write-protected", "chmod u+w"]);
    }
    assert_eq!(env.ledger(), before);
    env.bd(["list"]).ok();
}

#[test]
fn workspaces_are_not_made_in_a_directory_of_version_control() {
    let Some(env) = git() else { return };
    for path in [".git/hooks", ".git", "x/../.git/refs"] {
        env.write(".beads/config.toml", format!("[workspace]\npath = \"{path}\"\n"));
        env.bd(["workspace", "create", "--branch", "w"]).fails(1, &["directory of version control"]);
    }
    assert_eq!(sh(&env, "cd web; find .git -name 'ws_*'"), "");
}

#[test]
fn numbers_of_claims_never_fall() {
    let env = one();
    env.given("add Two --id bd-2");
    let epoch = |id: &str| env.bd(["claim", id, "--json"]).ok().json()[0]["epoch"].as_i64().unwrap();
    assert_eq!((epoch("bd-1"), epoch("bd-2")), (1, 1));
    env.given("release bd-1");
    assert_eq!(epoch("bd-1"), 2);
    env.given("release bd-1\nrelease bd-2");
    for emptied in [true, false] {
        let leases = env.path(".beads/run/leases.jsonl");
        if emptied {
            fs::write(&leases, "").unwrap()
        } else {
            fs::remove_file(&leases).unwrap()
        }
        let first = epoch("bd-1");
        env.given("release bd-1");
        let (again, other) = (epoch("bd-1"), epoch("bd-2"));
        assert!(first > 2 && again > first && other > 2, "{first} {again} {other}");
        env.given("release bd-1\nrelease bd-2");
    }
    // Elsewhere they begin with 1 as ever.
    let other = one();
    assert_eq!(other.bd(["claim", "bd-1", "--json"]).ok().json()[0]["epoch"], 1);
}

#[test]
fn a_file_with_another_name_is_not_exported_to() {
    let env = one();
    let before = env.ledger();
    fs::hard_link(env.ledger_path(), env.root().join("backup.jsonl")).unwrap();
    env.bd(["export", "-o", "../backup.jsonl"]).fails(5, &["backup.jsonl has 2 names"]);
    let tracked = env.write("data.txt", "tracked\n");
    fs::hard_link(&tracked, env.root().join("out.jsonl")).unwrap();
    env.bd(["export", "-o", "../out.jsonl"]).fails(5, &["out.jsonl has 2 names"]);
    assert_eq!((env.ledger(), fs::read_to_string(&tracked).unwrap()), (before, "tracked\n".to_owned()));
}
