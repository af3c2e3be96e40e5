//! Claims as refs of a git remote: reads them, and swaps one for another with a push.
//!
//! A claim is a commit without files and parents; its message is the text. git reports success if the remote already
//! has the pushed object, so two clones that push the same text must not push the same object: a line of random digits
//! ends each message. The push names the version that it replaces (`--force-with-lease`), git compares that with the
//! remote's ref, and the server compares again while it holds the ref.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commit::git_at;
use super::config;
use super::hooks::checked;
use super::network::{self, NOT_AN_ADDRESS, RACES, is_odd, refused, run, unreachable};
use super::objects::{write, write_commit};
use crate::sys::process::{Output, Program};
use crate::sys::{Entropy, Env};
use crate::vcs::claims::{NOTES, PREFIX, RemoteClaim, Swap, id_of, ref_name};
use crate::vcs::layout::git_worktrees;
use crate::vcs::{Kind, SyncError, layout, place};

/// The size limit for lists of claims and for their texts.
const MAX: usize = 64 << 20;
/// How often a claim is retried that changes during a read, or that another process has locked.
const TRIES: u32 = 6;

const NO_REMOTE: &str =
    "claims need a remote: the one that the branch is pushed to, one called origin, or a single one of another name";
const SEVERAL: &str = "the remote has several addresses for a push, and only one server can settle claims";
const ODD_NAME: &str = "the name of a remote begins with `-` or holds a control character";
const ODD_TEXT: &str = "the text of a claim holds a NUL character";
const TOO_LONG: &str = "the remote holds more claims than can be looked at";

/// Ends the text of a message.
const NONCE: &str = "\n\nnonce ";

/// All claims on the remote that a push from here goes to, sorted by id. Like the two functions below, this talks to
/// the remote with the repository's settings: the caller has checked whether these may name programs.
pub fn remote_claims(path: &Path, env: &Env) -> Result<Vec<RemoteClaim>, SyncError> {
    let mut claims = server(path, None, env)?.claims(&format!("{PREFIX}*"))?;
    claims.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(claims)
}

/// The claim of one issue.
pub fn remote_claim(path: &Path, id: &str, env: &Env) -> Result<Option<RemoteClaim>, SyncError> {
    server(path, None, env)?.claim(&ref_name(PREFIX, id)?)
}

/// Replaces the expected version with a text; without an expected version no claim may exist. Without a text the claim
/// is removed.
pub fn swap_remote_claim(
    path: &Path,
    id: &str,
    expected: Option<&str>,
    text: Option<&str>,
    env: &Env,
) -> Result<Swap, SyncError> {
    server(path, None, env)?.swap(&ref_name(PREFIX, id)?, expected, text)
}

/// The notes that clones show each other in a private repository, by its address.
pub fn fleet_notes(path: &Path, address: &str, env: &Env) -> Result<Vec<RemoteClaim>, SyncError> {
    private(path, address, env)?.claims(&format!("{NOTES}*"))
}

/// Replaces the note of a clone there.
pub fn put_fleet_note(path: &Path, address: &str, id: &str, text: &str, env: &Env) -> Result<Swap, SyncError> {
    let (server, name) = (private(path, address, env)?, ref_name(NOTES, id)?);
    let known = server.claim(&name)?;
    server.swap(&name, known.as_ref().map(|known| known.version.as_str()), Some(text))
}

fn private<'a>(path: &Path, address: &str, env: &'a Env) -> Result<Server<'a>, SyncError> {
    if is_odd(address) {
        return Err(SyncError::Unreachable { remote: address.to_owned(), printed: NOT_AN_ADDRESS.to_owned() });
    }
    server(path, Some(address), env)
}

/// The name of that remote, from files alone.
pub fn claims_remote(path: &Path, env: &Env) -> Option<String> {
    match place(path)? {
        (Kind::Git, root) => remote(&root, None, env),
        (Kind::Jj, root) => remote(&root, Some(&layout::jj::git_behind(&root).ok()?), env),
        _ => None,
    }
}

/// The remote that the branch is pushed to, else `origin`, else the only one.
fn remote(root: &Path, dot_git: Option<&Path>, env: &Env) -> Option<String> {
    let settings = config::read(&dot_git.map_or_else(|| root.join(".git"), Path::to_owned), env);
    let remotes = config::remotes(&settings);
    let usual = remotes.first().filter(|first| first.name == "origin" || remotes.len() == 1);
    let usual = usual.map(|remote| remote.name.clone());
    // jj has no current branch.
    let branch = dot_git.is_none().then(|| git_worktrees::branch(&git_worktrees::admin_dir(root)?)).flatten();
    let of_branch = |key: &str| settings.string_by("branch", branch.as_deref()?, key).map(|value| value.to_string());
    let everywhere = || settings.string("remote.pushDefault").map(|value| value.to_string());
    let named = [of_branch("pushRemote"), branch.is_some().then(everywhere).flatten(), of_branch("remote")];
    let known = |name: &String| remotes.iter().any(|remote| remote.name == *name);
    named.into_iter().flatten().find(known).or(usual)
}

/// A file in the default branch of that remote or a named one, as it was fetched last; `None` if that is not known.
pub fn published(path: &Path, remote: Option<&str>, file: &Path, env: &Env) -> Result<Option<Vec<u8>>, SyncError> {
    let server = server(path, remote, env)?;
    let names = ["HEAD", "main", "master", "trunk"].map(|branch| {
        let (remote, file) = (&server.name, file.display());
        format!("refs/remotes/{remote}/{branch}:{file}")
    });
    let output = server.batch("--batch", &names.each_ref().map(String::as_str))?;
    let mut rest = output.as_slice();
    // Of a name that means nothing only the first line is printed.
    while let Some((_, after)) = parted(rest).filter(|(head, _)| head.ends_with(b" missing")) {
        rest = after;
    }
    Ok(next_object(&mut rest).filter(|(_, kind, _)| *kind == "blob").map(|(_, _, bytes)| bytes.to_vec()))
}

/// The first line, and what follows it.
fn parted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

fn server<'a>(path: &Path, named: Option<&str>, env: &'a Env) -> Result<Server<'a>, SyncError> {
    let Some((kind, root)) = place(path) else { return Err(SyncError::NoVcs { root: path.to_owned() }) };
    let dot_git = match kind {
        Kind::Git => None,
        Kind::Jj => Some(layout::jj::git_behind(&root)?),
        _ => return Err(SyncError::Unsupported { kind, what: "claims on a remote need git" }),
    };
    match named {
        Some(name) => {
            let (name, address) = (name.to_owned(), name.to_owned());
            Ok(Server { root, dot_git, name, prefix: NOTES, address, env })
        }
        None => Server::of(&root, dot_git, env),
    }
}

/// A remote, as seen from a clone.
struct Server<'a> {
    root: PathBuf,
    /// If git's directory is not in the working copy.
    dot_git: Option<PathBuf>,
    name: String,
    /// The beginning of the names of its refs.
    prefix: &'static str,
    /// The address that claims are read from: it must be the one they are pushed to.
    address: String,
    env: &'a Env,
}

impl<'a> Server<'a> {
    pub(crate) fn of(root: &Path, dot_git: Option<PathBuf>, env: &'a Env) -> Result<Self, SyncError> {
        let unsupported = |what| SyncError::Unsupported { kind: Kind::Git, what };
        let mut server =
            Server { root: root.to_owned(), dot_git, name: String::new(), prefix: PREFIX, address: String::new(), env };
        let name = remote(root, server.dot_git.as_deref(), env).ok_or_else(|| unsupported(NO_REMOTE))?;
        if name.starts_with('-') || name.contains(char::is_control) {
            return Err(unsupported(ODD_NAME));
        }
        let addresses = |push: &[&str]| {
            let query =
                server.local().args(["remote", "get-url", "--all"]).args(push).arg("--end-of-options").arg(&name);
            let output = checked("git remote", query.run()?)?;
            Ok::<_, SyncError>(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>())
        };
        let (read, pushed) = (addresses(&[])?, addresses(&["--push"])?);
        let [only] = pushed.as_slice() else { return Err(unsupported(SEVERAL)) };
        server.address = if read.first() == Some(only) { name.clone() } else { only.clone() };
        server.name = name;
        Ok(server)
    }

    /// A command that needs no network.
    fn local(&self) -> Program<'a> {
        git_at(&self.root, self.dot_git.as_deref(), self.env).var("GIT_NO_LAZY_FETCH", "1").keeping(MAX)
    }

    /// A command that talks to the remote, without anything else that the remote's settings ask for.
    fn far(&self) -> Program<'a> {
        let settings = ["mirror=false", "followRemoteHEAD=never"].map(|set| format!("remote.{}.{set}", self.name));
        let settings = settings
            .into_iter()
            .chain(["fetch.negotiationAlgorithm=noop".to_owned(), "push.negotiate=false".to_owned()]);
        let program = network::git_at(&self.root, self.dot_git.as_deref(), self.env).keeping(MAX);
        settings.fold(program, |program, setting| program.arg("-c").arg(setting))
    }

    pub(crate) fn claim(&self, name: &str) -> Result<Option<RemoteClaim>, SyncError> {
        Ok(self.claims(name)?.pop())
    }

    /// The claims whose refs match a pattern. One that is replaced during the read is read again.
    pub(crate) fn claims(&self, pattern: &str) -> Result<Vec<RemoteClaim>, SyncError> {
        let mut tries = 0;
        loop {
            let listed = self.listed(pattern)?;
            let versions: Vec<&str> = listed.iter().map(|(_, version)| version.as_str()).collect();
            let missing = self.missing(&versions)?;
            let problem = if missing.is_empty() { None } else { self.fetch(&missing)? };
            let Some(problem) = problem else {
                let texts = self.texts(&versions)?;
                let claims =
                    listed.into_iter().zip(texts).map(|((id, version), text)| RemoteClaim { id, version, text });
                return Ok(claims.collect());
            };
            tries += 1;
            if tries == TRIES {
                return Err(problem);
            }
            pause(tries);
        }
    }

    /// The ids and versions of claims.
    fn listed(&self, pattern: &str) -> Result<Vec<(String, String)>, SyncError> {
        let flags = ["ls-remote", "--quiet", "--refs", "--end-of-options"];
        let output = run(&self.name, &self.far().args(flags).arg(&self.address).arg(pattern))?;
        if !output.status.success() {
            return Err(unreachable(&self.name, &output));
        }
        if output.stdout.len() >= MAX {
            return Err(SyncError::Unsupported { kind: Kind::Git, what: TOO_LONG });
        }
        // A pattern of `ls-remote` also matches refs that only end like it.
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        let is_meant = |name: &str| pattern.ends_with('*') || name == pattern;
        Ok(lines
            .filter(|(_, name)| is_meant(name))
            .filter_map(|(id, name)| Some((id_of(self.prefix, name)?, id.to_owned())))
            .collect())
    }

    /// The versions that the clone does not have.
    fn missing<'v>(&self, versions: &[&'v str]) -> Result<Vec<&'v str>, SyncError> {
        let output = self.batch("--batch-check=%(objectname)", versions)?;
        let text = String::from_utf8_lossy(&output);
        let lines = text.lines().zip(versions);
        Ok(lines.filter(|(line, _)| line.ends_with(" missing")).map(|(_, version)| *version).collect())
    }

    /// Fetches objects; returns the failure if the reason may be that they are no longer on the remote.
    fn fetch(&self, versions: &[&str]) -> Result<Option<SyncError>, SyncError> {
        let flags = ["fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-prune", "--refmap="];
        let more = ["--no-recurse-submodules", "--no-write-commit-graph", "--no-show-forced-updates", "--stdin"];
        let program = self.far().args(flags).args(more).arg("--end-of-options").arg(&self.address);
        let output = run(&self.name, &program.input(lines(versions)))?;
        if output.status.success() && self.missing(versions)?.is_empty() {
            return Ok(None);
        }
        Ok(Some(unreachable(&self.name, &output)))
    }

    /// The texts of claims. An object that is not a commit has none.
    fn texts(&self, versions: &[&str]) -> Result<Vec<String>, SyncError> {
        let output = self.batch("--batch", versions)?;
        let mut rest = output.as_slice();
        let mut texts = Vec::new();
        for version in versions {
            let object = next_object(&mut rest).filter(|(id, _, _)| id == version);
            let is_commit = |(_, kind, _): &(&str, &str, &[u8])| *kind == "commit";
            texts.push(object.filter(is_commit).map(|(_, _, bytes)| text_of(bytes)).unwrap_or_default());
        }
        Ok(texts)
    }

    fn batch(&self, flag: &str, versions: &[&str]) -> Result<Vec<u8>, SyncError> {
        if versions.is_empty() {
            return Ok(Vec::new());
        }
        let output = checked("git cat-file", self.local().args(["cat-file", flag]).input(lines(versions)).run()?)?;
        let is_cut = output.stdout.len() >= MAX;
        if is_cut { Err(SyncError::Unsupported { kind: Kind::Git, what: TOO_LONG }) } else { Ok(output.stdout) }
    }

    pub(crate) fn swap(&self, name: &str, expected: Option<&str>, text: Option<&str>) -> Result<Swap, SyncError> {
        if (expected.is_none() && text.is_none()) || !expected.is_none_or(is_version) {
            let current = self.claim(name)?;
            let is_none = current.is_none() && expected.is_none();
            return Ok(if is_none { Swap::Done { version: String::new() } } else { Swap::Lost { current } });
        }
        let mut tries = 0;
        loop {
            let new = text.map(|text| self.commit(text)).transpose()?;
            let problem = match self.push(name, expected, new.as_deref())? {
                None => return Ok(Swap::Done { version: new.unwrap_or_default() }),
                Some(problem) => problem,
            };
            // The server may have done it although we got no answer.
            let (current, error) = match (self.claim(name), problem) {
                (Ok(Some(claim)), _) if Some(&claim.version) == new.as_ref() => {
                    return Ok(Swap::Done { version: claim.version });
                }
                (_, Problem::Failed(error)) => return Err(error),
                (current, Problem::Race(error)) => (current?, error),
            };
            if current.as_ref().map(|claim| claim.version.as_str()) != expected {
                return Ok(Swap::Lost { current });
            }
            // Another process held the ref and released it unchanged.
            tries += 1;
            if tries == TRIES {
                return Err(error);
            }
            pause(tries);
        }
    }

    /// Makes a commit with a text. Each one is unique.
    fn commit(&self, text: &str) -> Result<String, SyncError> {
        if text.contains('\0') {
            return Err(SyncError::Unsupported { kind: Kind::Git, what: ODD_TEXT });
        }
        let tree = write(self.local(), "tree", Vec::new())?;
        let nonce = u128::from_le_bytes(Entropy::System.bytes());
        write_commit(self.local(), &tree, &[], &format!("{text}{NONCE}{nonce:032x}"))
    }

    /// Pushes to one ref; `None` if it has the wanted value.
    fn push(&self, name: &str, expected: Option<&str>, new: Option<&str>) -> Result<Option<Problem>, SyncError> {
        let flags = ["push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"];
        let lease = format!("--force-with-lease={name}:{}", expected.unwrap_or_default());
        let program = self.far().args(flags).arg(lease).arg("--end-of-options").arg(&self.name);
        let output = match run(&self.name, &program.arg(format!("{}:{name}", new.unwrap_or_default()))) {
            Ok(output) => output,
            Err(error @ SyncError::Unreachable { .. }) => return Ok(Some(Problem::Failed(error))),
            Err(error) => return Err(error),
        };
        Ok(problem(&self.name, name, &output))
    }
}

enum Problem {
    /// Another process was faster, or holds the ref.
    Race(SyncError),
    Failed(SyncError),
}

/// git's report about a ref: a flag, both names, and the reason.
fn problem(remote: &str, name: &str, output: &Output) -> Option<Problem> {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| {
        let [flag, names, summary] = line.splitn(3, '\t').collect::<Vec<_>>().try_into().ok()?;
        names.split_once(':').is_some_and(|(_, there)| there == name).then_some((flag, summary))
    });
    match line {
        Some((" " | "+" | "*" | "-", _)) if output.status.success() => None,
        Some((_, summary)) if RACES.iter().any(|race| summary.contains(race)) => {
            Some(Problem::Race(refused(remote, summary, output)))
        }
        Some((_, summary)) => Some(Problem::Failed(refused(remote, summary, output))),
        // git does not even try to remove a ref that does not exist.
        None if String::from_utf8_lossy(&output.stderr).contains("remote ref does not exist") => {
            Some(Problem::Race(unreachable(remote, output)))
        }
        None => Some(Problem::Failed(unreachable(remote, output))),
    }
}

/// Whether a text is an object id: git would take anything else for a name, or for "no ref".
fn is_version(text: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    [40, 64].contains(&text.len()) && text.bytes().all(is_hex) && text.bytes().any(|byte| byte != b'0')
}

/// The next object in the output of `cat-file --batch`: its id, kind and bytes.
fn next_object<'b>(rest: &mut &'b [u8]) -> Option<(&'b str, &'b str, &'b [u8])> {
    let (head, after) = parted(rest)?;
    let head = std::str::from_utf8(head).ok()?;
    *rest = after;
    let [id, kind, length] = head.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let length: usize = length.parse().ok()?;
    let bytes = after.get(..length)?;
    *rest = after.get(length + 1..)?;
    Some((id, kind, bytes))
}

/// The message of a commit, without the line that makes it unique.
fn text_of(commit: &[u8]) -> String {
    let text = String::from_utf8_lossy(commit);
    let message = text.split_once("\n\n").map(|(_, message)| message).unwrap_or_default();
    let is_nonce = |end: &str| end.trim_end_matches('\n').bytes().all(|byte| byte.is_ascii_hexdigit());
    match message.rsplit_once(NONCE) {
        Some((text, end)) if is_nonce(end) => text.to_owned(),
        _ => message.to_owned(),
    }
}

fn lines(versions: &[&str]) -> Vec<u8> {
    versions.iter().flat_map(|version| [version.as_bytes(), b"\n"].concat()).collect()
}

/// Pauses for a varying time, so that two processes do not collide again.
fn pause(tries: u32) {
    let [uneven] = Entropy::System.bytes::<1>();
    std::thread::sleep(Duration::from_millis(u64::from(10 * tries) + u64::from(uneven) % 32));
}
