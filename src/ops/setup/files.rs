//! The files that are set up: below a project, where a link may lead to another file of the project, and in the user's home,
//! where it may lead anywhere.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use crate::ops::error::SetupError;
use crate::ops::{OpError, Result};
use crate::store::{BEADS_DIR, real_path};
use crate::sys::{below, path};

/// The longest settings file.
const MOST: u64 = 8 << 20;

/// As many links as the system itself follows.
const LINKS: usize = 40;

/// A file, and the directory below which no link is followed.
#[derive(Debug, Clone)]
pub(super) struct Place {
    root: PathBuf,
    inside: PathBuf,
    /// Where the last link leads: only directories below it may have come with the file.
    linked: Option<PathBuf>,
}

/// However it was found.
const WANTS_DIRECTORY: &str = "it is a file, and a directory is needed there";

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.path() == other.path()
    }
}

/// A file of a project, where a link may lead to another file of its kind.
pub(super) fn place_in(root: &Path, name: &str) -> Result<Place> {
    let root = real_path(root);
    let (real, linked) = followed(&root, name);
    let path = root.join(name);
    let Ok(inside) = real.strip_prefix(&root) else { return Err(SetupError::LeadsOut { path }.into()) };
    if linked.is_some()
        && let Some(why) = foreign(&root, inside, name)
    {
        return Err(SetupError::BadLink { path, target: inside.to_owned(), why }.into());
    }
    Ok(Place { inside: inside.to_owned(), root, linked })
}

/// Instructions and skills; some clients read their rules from files such as `.cursorrules`.
const DOCUMENTS: [&str; 5] = ["md", "mdc", "mdx", "markdown", "txt"];

/// Why nothing is written where a link of the project leads. The author of the link chose the target, and the text to write is
/// Markdown or a client's settings: in a file that something else reads it would be damage.
fn foreign(root: &Path, inside: &Path, name: &str) -> Option<&'static str> {
    let is_beads = inside.components().any(|part| part.as_os_str().eq_ignore_ascii_case(BEADS_DIR));
    if is_beads || root.join(inside).starts_with(real_path(&root.join(BEADS_DIR))) {
        return Some("a file of bd");
    }
    if below::is_control(inside) {
        return Some("a file of version control");
    }
    let kind = |path: &Path| path.extension().map(|kind| kind.to_string_lossy().to_ascii_lowercase());
    let (is, wanted) = (kind(inside), kind(Path::new(name)));
    if wanted.as_deref().is_some_and(|wanted| DOCUMENTS.contains(&wanted)) {
        let is_rules = inside.file_name().is_some_and(|name| name.to_string_lossy().ends_with("rules"));
        let is_document = is_rules || is.as_deref().is_some_and(|is| DOCUMENTS.contains(&is));
        return (!is_document).then_some("which is not a Markdown document");
    }
    (is != wanted).then_some("a file of another kind")
}

/// Where a name below a directory leads, and the end of the last link on the way. Unlike the system's own, this finds what does not
/// exist yet.
fn followed(root: &Path, name: &str) -> (PathBuf, Option<PathBuf>) {
    let mut todo: VecDeque<PathBuf> =
        Path::new(name).components().map(|part| PathBuf::from(part.as_os_str())).collect();
    let (mut real, mut linked) = (root.to_owned(), None);
    // How much is left to do when the last link has been followed to its end.
    let (mut after, mut links) = (None, 0);
    while let Some(part) = todo.pop_front() {
        match part.components().next() {
            Some(Component::ParentDir) => drop(real.pop()),
            Some(Component::CurDir) => {}
            _ => real.push(&part),
        }
        if links < LINKS
            && let Ok(target) = path::link(&real)
        {
            links += 1;
            after.get_or_insert(todo.len());
            real.pop();
            let parts: Vec<PathBuf> = target.components().map(|part| PathBuf::from(part.as_os_str())).collect();
            parts.into_iter().rev().for_each(|part| todo.push_front(part));
        } else if after.is_some_and(|after| todo.len() <= after) {
            (linked, after) = (Some(real.clone()), None);
        }
    }
    (real, linked)
}

impl Place {
    /// A file of the user's own.
    pub(super) fn in_home(home: &Path, name: &str) -> Self {
        let home = real_path(home);
        let (real, linked) = followed(&home, name);
        let root = match &linked {
            Some(linked) if !real.starts_with(&home) => below::nearest(linked).to_owned(),
            _ => home,
        };
        Place { inside: real.strip_prefix(&root).unwrap_or(&real).to_owned(), root, linked }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.root.join(&self.inside)
    }

    /// Its bytes; `None` if it does not exist.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>> {
        match below::read(&self.root, &self.inside, MOST) {
            Ok(contents) => Ok(Some(contents.bytes)),
            Err(error) if error.is_missing() => match self.file_above() {
                Some(path) => Err(SetupError::Unreadable { path, line: 1, what: WANTS_DIRECTORY.to_owned() }.into()),
                None => Ok(None),
            },
            Err(error) => Err(OpError::Fs(error)),
        }
    }

    /// A file where a directory is needed.
    fn file_above(&self) -> Option<PathBuf> {
        let path = self.path();
        let above = path.ancestors().skip(1).take_while(|above| above.starts_with(&self.root));
        above.filter(|above| above.is_file()).last().map(Path::to_owned)
    }

    /// Whether it does little else than naming another file, which the client reads in its place.
    pub(super) fn is_stub(&self, name: &str) -> Result<bool> {
        let bytes = self.read()?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(text
            .lines()
            .any(|line| matches!(line.trim().strip_prefix('@'), Some(named) if named.trim_start_matches("./") == name)))
    }

    pub(super) fn refuse_read_only(&self) -> Result<()> {
        let path = self.path();
        match path::follow(&path) {
            Ok(meta) if meta.permissions().readonly() => Err(SetupError::ReadOnly { path }.into()),
            _ => Ok(()),
        }
    }

    /// Puts bytes in its place; none removes it, with the directories that are empty then and that no link leads to.
    pub(super) fn write(&self, bytes: Option<&[u8]>) -> Result<()> {
        if let Some(bytes) = bytes {
            if let Some(above) = self.inside.parent().filter(|above| !above.as_os_str().is_empty()) {
                below::make(&self.root, above)?;
            }
            return Ok(below::put(&self.root, &self.inside, bytes)?);
        }
        below::remove(&self.root, &self.inside)?;
        let floor = self.linked.as_deref().unwrap_or(&self.root);
        for above in self.inside.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            let path = self.root.join(above);
            if path == floor || !path.starts_with(floor) || below::remove_empty(&self.root, above).is_err() {
                break;
            }
        }
        Ok(())
    }
}
