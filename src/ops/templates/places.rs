//! The places of templates, and reading them.

use crate::model::words::words;
use std::path::{Path, PathBuf};

use super::{TemplateError, not_found};
use crate::model::plan::Problem;
use crate::model::template::{MAX_BYTES, Template, is_name};
use crate::ops::Result;
use crate::store::{self, Store};
use crate::sys::below;
use crate::sys::fs::FsError;

/// The built-in templates.
const BUILT_IN: &[(&str, &str)] = &[
    ("bugfix", include_str!("builtin/bugfix.toml")),
    ("feature", include_str!("builtin/feature.toml")),
    ("refactor", include_str!("builtin/refactor.toml")),
    ("release", include_str!("builtin/release.toml")),
];

/// The directory name for the templates of a project or a user.
const TEMPLATES: &str = "templates";
const EXTENSION: &str = ".toml";
/// Directories with more files are not read.
const MAX_FILES: usize = 1000;

words! {
    /// The place of a template.
    #[derive(PartialOrd, Ord)]
    pub enum Origin {
        Project = "project",
        User = "user",
        BuiltIn = "built-in",
    }
}

/// A template and its place, or what is wrong with it.
#[derive(Debug, Clone)]
pub struct Found {
    pub name: String,
    pub origin: Origin,
    /// `None` for a built-in one.
    pub path: Option<PathBuf>,
    /// The original text.
    pub text: String,
    pub template: Option<Template>,
    pub problems: Vec<Problem>,
    /// Why the file could not be read at all.
    pub unread: Option<String>,
    /// Another with the same name precedes it.
    pub is_hidden: bool,
}

impl Found {
    /// The template, if it has no problems.
    pub fn usable(&self) -> std::result::Result<&Template, TemplateError> {
        if let (Some(problem), Some(path)) = (&self.unread, &self.path) {
            return Err(TemplateError::Unreadable { path: path.clone(), problem: problem.clone() });
        }
        match &self.template {
            Some(template) if self.problems.is_empty() => Ok(template),
            _ => Err(TemplateError::Broken { place: self.place(), problems: self.problems.clone() }),
        }
    }

    /// The file, or a word for a built-in one.
    pub fn place(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => format!("the built-in template {}", self.name),
        }
    }

    fn judged(name: &str, origin: Origin, path: Option<PathBuf>, text: String) -> Self {
        let (template, problems) = match Template::read(name, &text) {
            Ok(template) => {
                let problems = template.problems();
                (Some(template), problems)
            }
            Err(problems) => (None, problems),
        };
        Found { name: name.to_owned(), origin, path, text, template, problems, unread: None, is_hidden: false }
    }

    fn unread(name: &str, origin: Origin, path: PathBuf, problem: String) -> Self {
        Found {
            name: name.to_owned(),
            origin,
            path: Some(path),
            text: String::new(),
            template: None,
            problems: Vec::new(),
            unread: Some(problem),
            is_hidden: false,
        }
    }
}

/// The directory for the templates of a place, if it can have one.
pub(super) fn directory(store: &Store, origin: Origin) -> Option<PathBuf> {
    match origin {
        Origin::Project => Some(store.repos().primary_member().repo.beads().join(TEMPLATES)),
        // The user's own directory may be a link.
        Origin::User => store::user_config(&store.host().env).map(|config| store::real_path(&config.join(TEMPLATES))),
        Origin::BuiltIn => None,
    }
}

/// Every template, by name; hidden ones follow the one that hides them. An unreadable place is listed with its problem.
pub fn list(store: &Store) -> Vec<Found> {
    let mut all = Vec::new();
    for origin in [Origin::Project, Origin::User] {
        let paths = files(store, origin).unwrap_or_else(|(path, problem)| {
            all.push(Found::unread("templates", origin, path, problem));
            Vec::new()
        });
        for path in paths {
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let name = file.strip_suffix(EXTENSION).unwrap_or(&file);
            all.push(read(name, origin, &path));
        }
    }
    let built_in = BUILT_IN.iter().map(|(name, text)| Found::judged(name, Origin::BuiltIn, None, (*text).to_owned()));
    all.extend(built_in);
    all.sort_by(|a, b| (&a.name, a.origin).cmp(&(&b.name, b.origin)));
    for n in 1..all.len() {
        all[n].is_hidden = all[n].name == all[n - 1].name;
    }
    all
}

/// The template with this name.
pub fn find(store: &Store, name: &str) -> Result<Found> {
    if !is_name(name) {
        return Err(TemplateError::BadName { name: name.to_owned() }.into());
    }
    for origin in [Origin::Project, Origin::User] {
        // It is unknown what an unreadable place contains.
        files(store, origin).map_err(|(path, problem)| TemplateError::Unreadable { path, problem })?;
    }
    let known = list(store);
    match known.iter().find(|one| one.name == name && !one.is_hidden) {
        Some(found) => Ok(found.clone()),
        None => Err(not_found(name, &known).into()),
    }
}

/// A named file, checked as a template.
pub fn read_file(store: &Store, path: &Path) -> Result<Found> {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = file.strip_suffix(EXTENSION).unwrap_or(&file).to_owned();
    let bytes = store::read_named(path, store.repo().root(), MAX_BYTES).map_err(TemplateError::from)?;
    Ok(judged(&name, Origin::Project, path, Ok(bytes)))
}

fn read(name: &str, origin: Origin, path: &Path) -> Found {
    let (directory, file) = below::parted(path);
    let read = match origin {
        Origin::User => below::read_own(path, MAX_BYTES),
        Origin::Project | Origin::BuiltIn => below::read(directory, file, MAX_BYTES),
    };
    judged(name, origin, path, read.map(|contents| contents.bytes))
}

fn judged(name: &str, origin: Origin, path: &Path, read: std::result::Result<Vec<u8>, FsError>) -> Found {
    let unread = |problem: String| Found::unread(name, origin, path.to_owned(), problem);
    if !is_name(name) {
        return unread(TemplateError::BadName { name: name.to_owned() }.to_string());
    }
    match read {
        Err(error) => unread(error.source.to_string()),
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Found::judged(name, origin, Some(path.to_owned()), text),
            Err(_) => unread("is not UTF-8".to_owned()),
        },
    }
}

/// The possible template files of a place, by name; or the place and why it cannot be read.
fn files(store: &Store, origin: Origin) -> std::result::Result<Vec<PathBuf>, (PathBuf, String)> {
    let Some(directory) = directory(store, origin) else { return Ok(Vec::new()) };
    let names = match below::names(&directory, "") {
        Ok(names) => names,
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        Err(error) => return Err((directory, error.source.to_string())),
    };
    let is_template = |name: &String| name.ends_with(EXTENSION) && !name.starts_with('.');
    let paths: Vec<PathBuf> = names.iter().filter(|name| is_template(name)).map(|name| directory.join(name)).collect();
    if paths.len() > MAX_FILES {
        return Err((directory, format!("has {} templates; {MAX_FILES} are the most", paths.len())));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::super::places::*;

    #[test]
    fn what_bd_brings_is_in_order() {
        for (name, text) in BUILT_IN {
            let found = Found::judged(name, Origin::BuiltIn, None, (*text).to_owned());
            assert_eq!(found.problems, [], "{name}");
            let template = found.usable().unwrap();
            assert_eq!(template.unused(), Vec::<String>::new(), "{name}");
            assert!(template.description.is_some() && template.title.is_some() && template.tasks > 3, "{name}");
        }
    }
}
