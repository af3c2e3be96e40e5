//! Which repos make up the project: the primary, the additional ones, and those that new issues are routed to.
//!
//! A repo that cannot be joined is reported as a [`RepoProblem`] and left out; the others work.

use std::path::{Path, PathBuf};

use super::home::Site;
use super::repo_problem::RepoProblem;
use super::settings::{ConfigError, Origin, Settings, original_prefix};
use super::trust::{OutsidePath, Trust};
use super::{family, paths};
use crate::cache::UnknownIds;
use crate::store::{BEADS_DIR, LEDGER_NAMES, Repo, Result, StoreError};
use crate::sys::Env;
use crate::{sys, vcs};

/// A repo of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub repo: Repo,
    /// Where it is.
    pub(in crate::store) site: Site,
    /// Its name in answers.
    pub name: String,
    /// The prefix of new ids, if the repo sets it.
    pub prefix: Option<String>,
    /// The ledger's name, if the repo sets it.
    pub ledger_file: Option<String>,
    /// Its own config cannot be read: the repo is shown, but not written.
    pub broken: Option<ConfigError>,
    /// It receives a contributor's private issues.
    pub planning: bool,
    /// The layer that configured it; `None` for the primary.
    pub origin: Option<Origin>,
}

impl Member {
    /// The prefix of new ids set in the repo: ours, else the original's.
    pub fn named_prefix(&self) -> Option<String> {
        self.prefix.clone().or_else(|| original_prefix(self.repo.beads()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repos {
    /// Where the project was found; paths in settings are relative to it.
    pub root: PathBuf,
    /// The first is the primary.
    pub members: Vec<Member>,
    pub problems: Vec<RepoProblem>,
    /// Paths out of the repository in its committed config that the user does not trust yet.
    pub untrusted: Vec<OutsidePath>,
    /// Paths whose appearance or removal would change the project.
    pub watched: Vec<PathBuf>,
}

/// A path in the settings that may become a member.
struct Wanted<'s> {
    key: &'static str,
    text: &'s str,
    origin: Origin,
}

impl Repos {
    /// The repos that the settings name; `extra` are those named by a command.
    pub fn of(
        found: &Repo,
        site: Site,
        settings: &Settings,
        trust: &Trust,
        env: &Env,
        extra: &[String],
    ) -> Result<Self> {
        let root = found.root().to_owned();
        let mut project =
            Repos { root, members: Vec::new(), problems: Vec::new(), untrusted: Vec::new(), watched: Vec::new() };
        let primary = project.primary(found, site, settings, trust, env)?;
        project.members.push(primary);
        let single = settings.is_single();
        let excluded = settings.list("repos.exclude").into_iter();
        let excluded: Vec<(PathBuf, Origin)> =
            excluded.map(|(text, origin)| (project.beads_at(text, env), origin)).collect();
        let mut wanted = Vec::new();
        if !single {
            let additional = settings.list("repos.additional").into_iter();
            wanted.extend(additional.map(|(text, origin)| Wanted { key: "repos.additional", text, origin }));
            wanted.extend(routes(settings));
        }
        wanted.extend(extra.iter().map(|text| Wanted { key: "--repo", text, origin: Origin::Flag }));
        for wish in wanted {
            project.join(&wish, &excluded, trust, env);
        }
        project.mark_planning(settings, env);
        project.find_nested();
        Ok(project)
    }

    fn primary(&mut self, found: &Repo, site: Site, settings: &Settings, trust: &Trust, env: &Env) -> Result<Member> {
        let (prefix, file) = (settings.text("issue_prefix"), settings.text("ledger.file"));
        let mut repo = found.clone();
        if let Some((text, origin)) = settings.text("repos.primary").filter(|(text, _)| *text != ".") {
            let wish = Wanted { key: "repos.primary", text, origin };
            let path = self.path_of(text, env);
            if self.is_trusted(&wish, &path, trust) {
                repo = Repo::at(&path, format!("{} sets repos.primary", origin.word()))
                    .unwrap_or(Err(StoreError::NoRepository { start: path, beyond: None }))?;
            } else {
                // Until then the repo that was found is read, but not written.
                self.problems.push(RepoProblem::Untrusted { key: wish.key, text: text.to_owned(), path });
            }
        } else if settings.word("ledger.write") == "primary"
            && let Some(main) = main_beads(found)
        {
            repo = Repo::at(&main, "ledger.write is primary: the ledger of the main checkout".to_owned())
                .unwrap_or(Err(StoreError::NoRepository { start: main, beyond: None }))?;
        }
        let site = if repo.beads() == found.beads() { site } else { Site::of(repo.beads(), env) };
        Ok(Member {
            name: ".".to_owned(),
            repo,
            site,
            prefix: prefix.map(|(text, _)| text.to_owned()),
            ledger_file: file.map(|(text, _)| text.to_owned()),
            broken: settings.broken.first().cloned(),
            planning: false,
            origin: None,
        })
    }

    fn join(&mut self, wish: &Wanted<'_>, excluded: &[(PathBuf, Origin)], trust: &Trust, env: &Env) {
        let path = self.path_of(wish.text, env);
        let (key, text) = (wish.key, wish.text.to_owned());
        self.watched.push(path.clone());
        let beads = self.beads_at(wish.text, env);
        let leaves_out = |(of, origin): &(PathBuf, Origin)| {
            *of == beads && (*origin != Origin::Shared || wish.origin == Origin::Shared)
        };
        if key != "--repo" && excluded.iter().any(leaves_out) {
            return;
        }
        if !self.is_trusted(wish, &path, trust) {
            self.problems.push(RepoProblem::Untrusted { key, text, path });
            return;
        }
        let repo = match Repo::at(&path, format!("{key} in the {} settings", wish.origin.word())) {
            Some(Ok(repo)) => repo,
            Some(Err(error)) => {
                let message = error.to_string();
                return self.problems.push(RepoProblem::Unusable { key, text, path, message });
            }
            // Already named under another key, and missing there too.
            None if self.watched.iter().filter(|known| **known == path).count() > 1 => return,
            None => {
                return self.problems.push(match sys::path::follow(&path) {
                    Ok(meta) if meta.is_dir() => RepoProblem::NoRepo { key, text, path },
                    Ok(_) => {
                        RepoProblem::Unusable { key, text, path, message: "that is a file, not a directory".into() }
                    }
                    Err(e) if e.kind() == std::io::ErrorKind::NotFound => RepoProblem::Missing { key, text, path },
                    Err(e) => RepoProblem::Unusable { key, text, path, message: e.to_string() },
                });
            }
        };
        let mut excluding = excluded.iter().filter(|(beads, _)| beads == repo.beads()).map(|(_, origin)| *origin);
        // The committed file cannot remove what the user has joined.
        if excluding.clone().any(|origin| origin != Origin::Shared || wish.origin == Origin::Shared) && key != "--repo"
        {
            return;
        }
        let is_reported = self
            .problems
            .iter()
            .any(|known| matches!(known, RepoProblem::Joined { path: known, .. } if *known == path));
        if excluding.next().is_some() && key != "--repo" && !is_reported {
            self.problems.push(RepoProblem::Joined { text, path });
        }
        let text = wish.text.to_owned();
        if let Some(known) = self.members.iter().find(|member| member.repo.beads() == repo.beads()) {
            let first = known.repo.reason().to_owned();
            // Naming it in two layers, or also as a routing target, is legitimate.
            if key == "repos.additional" && known.origin == Some(wish.origin) && first == repo.reason() {
                let name = known.name.clone();
                let first = self.listed_as(repo.beads(), env, wish).unwrap_or_else(|| name.clone());
                self.problems.push(RepoProblem::Twice { name, first, second: text });
            }
            return;
        }
        let name = paths::display(repo.root(), &self.root, env);
        let site = Site::of(repo.beads(), env);
        let (own, broken) = match Settings::of_repo(repo.beads()) {
            Ok(own) => (own, site.stranded()),
            Err(error) => ((None, None), Some(error)),
        };
        let (prefix, ledger_file) = own;
        let origin = Some(wish.origin);
        self.members.push(Member { repo, site, name, prefix, ledger_file, broken, planning: false, origin });
    }

    /// The earlier path under which a repo was listed.
    fn listed_as(&self, beads: &Path, env: &Env, wish: &Wanted<'_>) -> Option<String> {
        let earlier = self.watched.iter().find(|path| beads_of(&paths::real(path)) == beads)?;
        let written = self.path_of(wish.text, env);
        Some(if *earlier == written { wish.text.to_owned() } else { paths::display(earlier, &self.root, env) })
    }

    /// A path from a committed file must stay in its repository, or be one that the user has agreed to.
    fn is_trusted(&mut self, wish: &Wanted<'_>, path: &Path, trust: &Trust) -> bool {
        if wish.origin != Origin::Shared {
            return true;
        }
        let Some(outside) = outside(&self.root, wish.key, wish.text, path) else { return true };
        let known = trust.covers(&outside);
        if !known {
            self.untrusted.push(outside);
        }
        known
    }

    /// Marks the repos that private issues are routed to.
    fn mark_planning(&mut self, settings: &Settings, env: &Env) {
        if settings.routing() == "single" {
            return;
        }
        let target = |key: &str| settings.text(key).map(|(text, _)| self.beads_at(text, env));
        let (named, fallback) = (target("routing.auto.contributor"), target("routing.default"));
        // A repo that only this command named is a guest.
        let is_guest = |member: &Member| member.origin.is_none_or(|origin| origin == Origin::Flag);
        // The committed file adds no planning repo if the user has joined some.
        let is_shared = |member: &Member| member.origin == Some(Origin::Shared);
        let has_own = self.members.iter().any(|member| !is_guest(member) && !is_shared(member));
        let counts = |member: &Member| !(is_guest(member) || has_own && is_shared(member));
        let alone = self.members.iter().filter(|member| counts(member)).count() == 1;
        let only = alone && named.is_none() && fallback.is_none();
        for member in self.members.iter_mut().skip(1) {
            let beads = Some(member.repo.beads());
            let is_target = named.as_deref() == beads || fallback.as_deref() == beads;
            member.planning = is_target || only && counts(member);
        }
    }

    /// Finds repos with version control of their own inside another's working copy.
    fn find_nested(&mut self) {
        if self.members.len() < 2 {
            return;
        }
        let roots: Vec<Option<PathBuf>> =
            self.members.iter().map(|member| vcs::root(member.repo.root()).map(|root| paths::real(&root))).collect();
        for (n, inner) in roots.iter().enumerate() {
            for (m, outer) in roots.iter().enumerate() {
                if let (Some(inner), Some(outer)) = (inner, outer)
                    && inner != outer
                    && inner.starts_with(outer)
                {
                    let name = |n: usize| self.members[n].name.clone();
                    self.problems.push(RepoProblem::Nested { name: name(n), outer: name(m) });
                }
            }
        }
    }

    /// The path that a setting means. One that leads out of the working copy is relative to a workspace's parent
    /// checkout: the workspace is elsewhere, and other repos do not move with it.
    pub fn path_of(&self, text: &str, env: &Env) -> PathBuf {
        let path = paths::expand(text, &self.root, env);
        let is_from_here = !Path::new(text).is_absolute() && !text.starts_with('~');
        let leaves = || !paths::plain(&path).starts_with(vcs::root(&self.root).unwrap_or_else(|| self.root.clone()));
        match is_from_here && leaves() {
            true => family::counterpart(&self.root).map_or(path, |first| first.join(text)),
            false => path,
        }
    }

    /// The directory of the ledger that a path in the settings means.
    pub fn beads_at(&self, text: &str, env: &Env) -> PathBuf {
        beads_of(&paths::real(&self.path_of(text, env)))
    }

    pub fn primary_member(&self) -> &Member {
        &self.members[0]
    }

    /// The member that a path or a name means: any spelling of its path, its name in answers, or the last part of that
    /// if it is unique.
    pub fn find(&self, text: &str, env: &Env, from: &Path) -> Option<usize> {
        let by_name = self.members.iter().position(|member| member.name == text);
        let by_path = || {
            let places = [self.path_of(text, env), paths::expand(text, from, env)];
            places.iter().find_map(|path| {
                let beads = beads_of(&paths::real(path));
                self.members.iter().position(|member| member.repo.beads() == beads)
            })
        };
        let by_last_part = || {
            let last = |member: &Member| member.repo.root().file_name().is_some_and(|name| name == text);
            let mut found = (0..self.members.len()).filter(|n| last(&self.members[*n]));
            found.next().filter(|_| found.next().is_none())
        };
        by_name.or_else(by_path).or_else(by_last_part)
    }

    /// Two repos share one working copy, or are in two checkouts of one repository: writes to one are committed with
    /// the other.
    pub fn share_working_copy(&self, one: usize, other: usize) -> bool {
        let root = |n: usize| vcs::root(self.members[n].repo.root()).map(|root| paths::real(&root));
        let shared = |n: usize| family::family(self.members[n].repo.root());
        let same = |one: Option<PathBuf>, other| one.is_some() && one == other;
        one != other && (same(root(one), root(other)) || same(shared(one), shared(other)))
    }
}

/// The paths that routing names.
fn routes(settings: &Settings) -> Vec<Wanted<'_>> {
    let keys: &[&'static str] = match settings.routing() {
        "auto" => &["routing.auto.maintainer", "routing.auto.contributor", "routing.default"],
        "explicit" => &["routing.default"],
        _ => &[],
    };
    let wanted = |key: &&'static str| settings.text(key).map(|(text, origin)| Wanted { key, text, origin });
    keys.iter().filter_map(wanted).collect()
}

/// A path in a committed config, if it leads out of the repository.
pub fn outside(root: &Path, key: &'static str, text: &str, path: &Path) -> Option<OutsidePath> {
    let fence = vcs::root(root).unwrap_or_else(|| root.to_owned());
    let fence = paths::real(&fence);
    let resolved = paths::real(path);
    // `~` and absolute paths depend on the machine, even if they lead inside today.
    let names_machine = text.starts_with('~') || Path::new(text).is_absolute();
    let root = paths::real(root);
    // The workspaces of a repository share its trusted paths.
    let root = family::parent(&root).and_then(|_| family::counterpart(&root)).unwrap_or(root);
    let repository = vcs::common_dir(&root).unwrap_or_else(|| root.clone());
    let leaves = names_machine || !resolved.starts_with(&fence);
    leaves.then(|| OutsidePath { repository, root, key, text: text.to_owned(), resolved })
}

/// The ledger directory of a repo path, which may name either.
pub fn beads_of(path: &Path) -> PathBuf {
    let is_beads = path.file_name().is_some_and(|name| name == BEADS_DIR);
    if is_beads || LEDGER_NAMES.iter().any(|name| path.join(name).is_file()) {
        path.to_owned()
    } else {
        paths::real(&path.join(BEADS_DIR))
    }
}

/// For a checkout that is not the main one: its `.beads` directory in the main one.
fn main_beads(found: &Repo) -> Option<PathBuf> {
    let vcs = vcs::open(found.beads());
    let inside = found.beads().strip_prefix(paths::real(vcs.root())).ok()?.to_owned();
    let main = vcs.checkouts().into_iter().find(|checkout| checkout.is_main && checkout.exists)?;
    let beads = main.root.join(inside);
    (beads != found.beads() && beads.is_dir()).then_some(beads)
}

/// The same, as far as it is known before a ledger is read.
pub(in crate::store) fn unknown_ids(settings: &Settings, project: &Repos) -> UnknownIds {
    match settings.flag("ready.unknown_blocks") {
        true => UnknownIds::Block,
        false if project.problems.iter().any(|problem| problem.left_out().is_some()) => UnknownIds::MayBeOpen,
        false => UnknownIds::Done,
    }
}
