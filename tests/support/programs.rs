//! Programs that a test needs: those that may not be installed, and those that it makes.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::effort::left_to_ci;
use super::place;

/// Where a program is.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// Whether these programs are installed. A missing one is named, with the test that goes without; in CI it is a failure. hg takes
/// longer to start than most tests last, so what needs it is left to CI.
pub fn have(programs: &[&str]) -> bool {
    if programs.contains(&"hg") && left_to_ci() {
        return false;
    }
    let missing = programs.iter().find(|name| find(name).is_none());
    missing.is_none_or(|name| skip(&format!("{name} is missing")))
}

/// Skips this test for a reason that a person sees, and that fails in CI. Always `false`.
pub fn skip(reason: &str) -> bool {
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Past the capture of the test runner: a person must see it.
    let _ = writeln!(std::io::stderr(), "skipped ({count}): {test}: {reason}");
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "nothing may be skipped in CI: {reason}");
    false
}

/// Makes a program. Another process writes it: a file that this one had open would be busy for as long as a child of another test,
/// forked at that moment, has not come to its own program.
pub fn put(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a directory")).unwrap();
    let script = "rm -f -- \"$0\" && cat > \"$0\" && chmod 755 -- \"$0\"";
    let mut writer = Command::new("sh").args(["-c", script]).arg(path).stdin(Stdio::piped()).spawn().unwrap();
    writer.stdin.take().expect("a pipe").write_all(text.as_ref()).unwrap();
    assert!(writer.wait().unwrap().success(), "{}", path.display());
}

/// Makes a copy of a program, for the same reason by another process.
pub fn copy(from: impl AsRef<Path>, to: &Path) {
    assert!(Command::new("cp").arg("--").arg(from.as_ref()).arg(to).status().unwrap().success(), "{}", to.display());
}

/// Lets a script of a test start hg through `chg`, which comes with it and starts three times as fast: its server, one for all
/// tests, has everything loaded. The server ends when its socket is gone, with the directories of this run.
pub fn quick_hg(script: &mut Command) {
    static CHG: LazyLock<Option<[(&str, OsString); 3]>> = LazyLock::new(|| {
        let (hg, chg, place) = (find("hg")?, find("chg")?, place::root().join("chg"));
        // The name of a socket is short.
        if place.as_os_str().len() > 60 {
            return None;
        }
        std::fs::create_dir(&place).expect("a directory");
        symlink(chg, place.join("hg")).expect("a link");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(place.clone()).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(path).expect("a PATH");
        Some([("PATH", path), ("CHGHG", hg.into()), ("CHGSOCKNAME", place.join("socket").into())])
    });
    script.envs(CHG.iter().flatten().map(|(name, value)| (name, value)));
}
