//! Changing the settings of a project: which repos it joins, where new issues go, and any single value.
//!
//! By default a maintainer's change goes to the committed file, and a contributor's to the personal one, because a pull
//! request must not contain it.

use std::path::{Path, PathBuf};

use super::{OpError, Result};
use crate::ops;
use crate::store::settings::{
    Edits, Key, Origin, Value, find_key, is_chosen_key, is_foreign_key, nearest_key, typed_value,
};
use crate::store::{self, OutsidePath, Repo, Role, StateMode, Store, StoreError};

/// What to change in one go.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    pub add: Vec<String>,
    pub remove: Vec<String>,
    pub routing: Option<String>,
    pub set: Vec<(String, Vec<String>)>,
    pub unset: Vec<String>,
    /// The file to change, if the caller chose one.
    pub file: Option<Origin>,
}

impl Request {
    /// To set one value.
    pub(super) fn setting(name: &str, value: &str, file: Option<Origin>) -> Self {
        Request { set: vec![(name.to_owned(), vec![value.to_owned()])], file, ..Request::default() }
    }
}

/// The changes, file by file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Configured {
    pub files: Vec<ChangedFile>,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub origin: Origin,
    pub path: PathBuf,
    /// `false` if the file already had this value.
    pub changed: bool,
}

pub const ROUTING: &[&str] = &["single", "auto", "explicit", "maintainer", "contributor"];

const STATE_MODE: &str = "state.mode";

/// Edits of files, collected before the first one is written.
struct Draft {
    edits: Vec<(Origin, Edits)>,
    trusted: Vec<OutsidePath>,
    remarks: Vec<String>,
}

impl Draft {
    fn of(&mut self, origin: Origin) -> &mut Edits {
        let at = self.edits.iter().position(|(known, _)| *known == origin).unwrap_or_else(|| {
            self.edits.push((origin, Edits::default()));
            self.edits.len() - 1
        });
        &mut self.edits[at].1
    }
}

pub fn configure(store: &mut Store, request: &Request) -> Result<Configured> {
    if let Some(word) = &request.routing
        && !ROUTING.contains(&word.as_str())
    {
        return Err(OpError::Usage(format!("--routing must be one of {}, not {word:?}", ROUTING.join(" "))));
    }
    store::refuse_stranded(store.repo().beads())?;
    store.refuse_unmarked()?;
    refuse_used(store, request)?;
    refuse_project(store, request)?;
    let mut draft = Draft { edits: Vec::new(), trusted: Vec::new(), remarks: Vec::new() };
    let file = choose_file(store, request);
    let added = request.add.iter().map(|text| add(store, text, file, &mut draft)).collect::<Result<Vec<String>>>()?;
    for text in &request.remove {
        remove(store, text, request.file, &mut draft)?;
    }
    if let Some(word) = &request.routing {
        route(store, word, &added, file, &mut draft)?;
    }
    for (name, values) in &request.set {
        set(store, name, values, request.file, &mut draft)?;
    }
    for name in &request.unset {
        let origin = if is_foreign_key(name) {
            request.file.or_else(|| foreign_holder(store, name)).unwrap_or(Origin::Personal)
        } else {
            let key = known(name)?;
            request.file.or_else(|| holder(store, key)).unwrap_or(file)
        };
        draft.of(origin).unset(name);
    }
    finish(store, draft)
}

/// Refuses a planning repo that is the project itself, however its remotes are written.
fn refuse_project(store: &Store, request: &Request) -> Result<()> {
    let becomes = request.routing.as_deref() == Some("contributor");
    let contributes = becomes || store.has_roles() && store.role().role == Role::Contributor;
    let keys = ["routing.auto.contributor", "routing.default"];
    let has_target = keys.iter().any(|key| store.settings().text(key).is_some());
    let added = request.add.iter().filter(|_| becomes || !has_target);
    let named = request.set.iter().filter(|(name, _)| keys.contains(&name.as_str())).flat_map(|(_, values)| values);
    let env = &store.host().env;
    for text in added.chain(named.filter(|text| *text != ".")).filter(|_| contributes) {
        store::check_planning(&store.repos().root, &store::expand_path(text, env.cwd(), env), env)?;
    }
    Ok(())
}

/// Refuses to remove a repo that a workflow or a workspace needs.
fn refuse_used(store: &Store, request: &Request) -> Result<()> {
    let leaving = leaving(store, request);
    for repo in leaving {
        let used = ops::repo_use(store, repo)?;
        if !used.is_empty() {
            return Err(OpError::RepoInUse { repo: store.name(repo).to_owned(), used });
        }
    }
    Ok(())
}

/// The repos that a request removes from the project, by number.
fn leaving(store: &Store, request: &Request) -> Vec<usize> {
    let env = &store.host().env;
    let beads = |text: &str| store.repos().beads_at(text, env);
    let mut places: Vec<PathBuf> = Vec::new();
    for text in &request.remove {
        let typed = store::expand_path(text, env.cwd(), env).display().to_string();
        let member = store.find_repo(text).map(|repo| store.repos().members[repo].repo.beads().to_owned());
        places.extend(member.into_iter().chain([beads(text), beads(&typed)]));
    }
    let listed = || store.settings().list("repos.additional").into_iter().map(|(text, _)| beads(text));
    for (name, values) in &request.set {
        let named: Vec<PathBuf> = values.iter().map(|text| beads(text)).collect();
        match name.as_str() {
            "repos.exclude" => places.extend(named),
            "repos.additional" => places.extend(listed().filter(|place| !named.contains(place))),
            _ => {}
        }
    }
    if request.unset.iter().any(|name| name == "repos.additional") {
        places.extend(listed());
    }
    let members = store.repos().members.iter().enumerate().skip(1);
    members.filter(|(_, member)| places.iter().any(|place| place == member.repo.beads())).map(|(n, _)| n).collect()
}

/// Writes the files, records that this user trusts their own paths, and checks that the change takes effect.
fn finish(store: &mut Store, draft: Draft) -> Result<Configured> {
    let files = store.settings().files.clone();
    let mut done = Configured { remarks: draft.remarks, ..Configured::default() };
    // First the trust: alone it changes nothing, while a path without it would stay unused.
    if !draft.trusted.is_empty() {
        let trust = store::read_trust(&store.host().env);
        let new: Vec<OutsidePath> = draft.trusted.into_iter().filter(|path| !trust.covers(path)).collect();
        if !new.is_empty() {
            trust.add(&new, store.lock_wait(), &store.host().entropy).map_err(StoreError::from)?;
        }
    }
    for (origin, edits) in draft.edits.iter().filter(|(_, edits)| !edits.is_empty()) {
        let path = files
            .path(*origin)
            .ok_or_else(|| OpError::Usage("HOME is not set, so there is no user settings file".into()))?;
        if *origin == Origin::Personal
            && let Some(home) = path.parent()
        {
            store::prepare_home(home)?;
            if edits.decide() {
                store.mark_personal()?;
            }
        }
        let before = store.settings_before()?;
        let changed = edits.apply(path, *origin, store.lock_wait(), &store.host().entropy).map_err(StoreError::from)?;
        if changed && *origin == Origin::Shared {
            store.note_settings(before);
        }
        done.files.push(ChangedFile { origin: *origin, path: path.to_owned(), changed });
    }
    store.reopen()?;
    store.keep_placeholder().map_err(OpError::Fs)?;
    Ok(done)
}

/// The file for a change: the committed one for maintainers, the personal one for contributors and personal settings.
fn choose_file(store: &Store, request: &Request) -> Origin {
    let personal_routing = matches!(request.routing.as_deref(), Some("maintainer" | "contributor"));
    let is_personal = |origin: Origin| origin == Origin::Personal;
    let mode_is_personal = request.routing.is_some()
        && (store.settings().text("routing.mode").is_some_and(|(_, origin)| is_personal(origin))
            || store.settings().list("repos.additional").iter().any(|(_, origin)| is_personal(*origin)));
    let is_private = personal_routing || mode_is_personal || request.add.iter().any(|text| is_at_home(store, text));
    match request.file {
        Some(file) => file,
        None if is_private || store.role().role == Role::Contributor => Origin::Personal,
        None => Origin::Shared,
    }
}

/// A typed path of this machine, below the home directory: a colleague's differs.
fn is_at_home(store: &Store, text: &str) -> bool {
    let env = &store.host().env;
    let names_machine = text.starts_with('~') || Path::new(text).is_absolute();
    let path = store::expand_path(text, env.cwd(), env);
    let is_inside = store::real_path(&path).starts_with(&store.repos().root);
    let home = env.home().map(|home| store::real_path(&home));
    names_machine && !is_inside && home.is_some_and(|home| store::real_path(&path).starts_with(home))
}

/// The file that currently sets a key, if any.
fn holder(store: &Store, key: &Key) -> Option<Origin> {
    let set = store.settings().in_effect().into_iter().filter(|setting| setting.key == key).map(|s| s.origin);
    set.filter(|origin| store.settings().files.path(*origin).is_some()).max()
}

/// The file with another tool's setting, if any.
fn foreign_holder(store: &Store, name: &str) -> Option<Origin> {
    store.settings().foreign().into_iter().find(|known| known.name == name).map(|known| known.origin)
}

/// Stores a setting of another tool. It may be a password: unless a file is named, it goes to an uncommitted one.
fn set_foreign(store: &Store, name: &str, values: &[String], file: Option<Origin>, draft: &mut Draft) -> Result<()> {
    let [value] = values else { return Err(StoreError::BadValue(format!("{name} takes one value")).into()) };
    let origin = match (is_chosen_key(name), file) {
        (true, None | Some(Origin::User)) => Origin::User,
        (true, Some(_)) => {
            return Err(OpError::Usage(format!("{}: leave out --shared and --personal", own_only(name))));
        }
        (false, file) => file.or_else(|| foreign_holder(store, name)).unwrap_or(Origin::Personal),
    };
    if !is_chosen_key(name) {
        draft.remarks.push(format!("{name} is not a setting of bd; it is kept for the tool that reads it"));
    }
    draft.of(origin).set(name, Value::Text(value.clone()));
    Ok(())
}

fn own_only(name: &str) -> String {
    format!("{name} counts only in your own settings")
}

fn known(name: &str) -> Result<&'static Key> {
    find_key(name).ok_or_else(|| StoreError::UnknownKey { name: name.to_owned(), nearest: nearest_key(name) }.into())
}

/// A path as stored: relative to the root if it is inside the project. Outside, the committed file gets it relative to
/// the root too, unless typed otherwise; the user's own files get `~/…` if it is in the home directory, else the full
/// path.
fn stored_path(store: &Store, text: &str, file: Origin) -> String {
    let env = &store.host().env;
    let path = store::plain_path(&store::expand_path(text, env.cwd(), env));
    let root = &store.repos().root;
    let real = store::real_path(&path);
    if let Some(inside) = real.strip_prefix(root).ok().filter(|inside| !inside.as_os_str().is_empty()) {
        return inside.display().to_string();
    }
    let is_whole = text.starts_with('~') || Path::new(text).is_absolute();
    if file == Origin::Shared && (!is_whole || is_at_home(store, text)) {
        // Other checkouts resolve it from the first one.
        let first = store::counterpart(root).unwrap_or_else(|| root.clone());
        return store::path_from(&path, &first).display().to_string();
    }
    match env.home().as_deref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

fn add(store: &Store, text: &str, file: Origin, draft: &mut Draft) -> Result<String> {
    if text.trim().is_empty() {
        return Err(OpError::Usage("a repo needs a path".into()));
    }
    let env = &store.host().env;
    let path = store::expand_path(text, env.cwd(), env);
    let repo = match Repo::at(&path, String::new()) {
        Some(repo) => repo?,
        None => return Err(StoreError::NotARepo { path }.into()),
    };
    if repo.beads() == store.repos().primary_member().repo.beads() {
        return Err(OpError::Usage(format!("{text} is this project's own repo; it is always read")));
    }
    let stored = stored_path(store, text, file);
    let excluded = matching(store, "repos.exclude", repo.beads());
    for (item, origin) in excluded {
        draft.of(origin).remove(known("repos.exclude")?, vec![item]);
    }
    let listed = matching(store, "repos.additional", repo.beads());
    if let Some((item, origin)) = listed.into_iter().find(|(_, origin)| *origin <= file) {
        trust_own(store, origin, "repos.additional", &item, draft);
        draft.remarks.push(format!("{item} is already listed in the {} settings", origin.word()));
        return Ok(item);
    }
    trust_own(store, file, "repos.additional", &stored, draft);
    draft.of(file).add(known("repos.additional")?, stored.clone());
    Ok(stored)
}

/// This user trusts a path that they put into the committed file.
fn trust_own(store: &Store, file: Origin, name: &'static str, stored: &str, draft: &mut Draft) {
    let root = &store.repos().root;
    let path = store::expand_path(stored, root, &store.host().env);
    if file == Origin::Shared
        && let Some(outside) = store::outside(root, name, stored, &path)
    {
        if store.role().role == Role::Contributor {
            draft.remarks.push(format!(
                "{stored} is now in a file that is committed: others will see it (--personal keeps it to yourself)"
            ));
        }
        draft.trusted.push(outside);
    }
}

/// The items of a list that lead to this ledger directory, with the layer of each.
fn matching(store: &Store, name: &str, beads: &Path) -> Vec<(String, Origin)> {
    let all = store.settings().list(name).into_iter();
    all.filter(|(text, _)| store.repos().beads_at(text, &store.host().env) == beads)
        .map(|(text, origin)| (text.to_owned(), origin))
        .collect()
}

fn remove(store: &Store, text: &str, file: Option<Origin>, draft: &mut Draft) -> Result<()> {
    let env = &store.host().env;
    let beads = match store.find_repo(text) {
        Some(repo) => store.repos().members[repo].repo.beads().to_owned(),
        None => {
            // First relative to the root, as the settings mean it; then as typed.
            let typed = store::expand_path(text, env.cwd(), env).display().to_string();
            let places = [text, &typed].map(|text| store.repos().beads_at(text, env));
            let listed = places.iter().find(|beads| !matching(store, "repos.additional", beads).is_empty());
            listed.unwrap_or(&places[0]).clone()
        }
    };
    if beads == store.repos().primary_member().repo.beads() {
        return Err(OpError::Usage(format!("{text} is this project's own repo; it cannot be removed")));
    }
    let contributor = store.role().role == Role::Contributor;
    let mut found = false;
    for (item, origin) in matching(store, "repos.additional", &beads) {
        found = true;
        match file {
            Some(file) if file != origin => continue,
            None if origin == Origin::Shared && contributor => {
                draft.remarks.push(format!("{item} is in the committed file; you leave it out for yourself"));
                draft.of(Origin::Personal).add(known("repos.exclude")?, item);
            }
            _ if store.settings().files.path(origin).is_none() => {
                draft.remarks.push(format!("{item} comes from the {}; unset it there", origin.word()));
            }
            _ => draft.of(origin).remove(known("repos.additional")?, vec![item]),
        }
    }
    for name in ["routing.default", "routing.auto.contributor", "routing.auto.maintainer"] {
        let target = store.settings().text(name).map(|(text, origin)| (text.to_owned(), origin));
        let Some((target, origin)) = target else { continue };
        let leads = store.repos().beads_at(&target, &store.host().env);
        let mine = store.settings().files.path(origin).is_some() && !(origin == Origin::Shared && contributor);
        if leads == beads && mine {
            found = true;
            draft.of(origin).unset(name);
            draft.remarks.push(format!("{name} named it and is unset"));
        }
    }
    if found {
        return Ok(());
    }
    Err(store.no_such_repo(text).into())
}

fn route(store: &Store, word: &str, added: &[String], file: Origin, draft: &mut Draft) -> Result<()> {
    let text = |text: &str| Value::Text(text.to_owned());
    let mode = if matches!(word, "maintainer" | "contributor") { "auto" } else { word };
    draft.of(file).set("routing.mode", text(mode));
    if matches!(word, "maintainer" | "contributor") {
        draft.of(file).set("routing.role", text(word));
    }
    let only = || {
        let listed = store.settings().list("repos.additional");
        match (added, listed.as_slice()) {
            ([one], _) => Some(one.clone()),
            ([], [(one, _)]) => Some((*one).to_owned()),
            _ => None,
        }
    };
    let (name, must) = match word {
        "contributor" => ("routing.auto.contributor", true),
        "explicit" => ("routing.default", false),
        _ => return Ok(()),
    };
    let has_target = store.settings().text(name).is_some() || store.settings().text("routing.default").is_some();
    match only() {
        Some(repo) if added.len() == 1 || !has_target => {
            trust_own(store, file, name, &repo, draft);
            draft.of(file).set(name, Value::Text(repo));
        }
        _ if has_target => {}
        _ if must => {
            return Err(OpError::Usage(
                "a contributor needs a planning repo: name it with --add-repo PATH, or make one with `bd init --contributor`"
                    .into(),
            ));
        }
        _ => draft.remarks.push("no repo gets new issues yet; run `bd config set routing.default PATH`".into()),
    }
    Ok(())
}

fn set(store: &Store, name: &str, values: &[String], file: Option<Origin>, draft: &mut Draft) -> Result<()> {
    if is_foreign_key(name) {
        return set_foreign(store, name, values, file, draft);
    }
    let key = known(name)?;
    let is_private = key.personal || key.kind.is_path() && values.iter().any(|text| is_at_home(store, text));
    let by_role = if store.role().role == Role::Contributor { Origin::Personal } else { Origin::Shared };
    let usual = if is_private { Origin::Personal } else { by_role };
    // A value in a later file would override the new one.
    let origin = file.unwrap_or_else(|| usual.max(holder(store, key).unwrap_or(usual)));
    if key.name == STATE_MODE && origin == Origin::Shared {
        return Err(OpError::Usage(format!("{}: leave out --shared", own_only(name))));
    }
    let stored = |text: &String| if text == "." { text.clone() } else { stored_path(store, text, origin) };
    let values: Vec<String> = if key.kind.is_path() { values.iter().map(stored).collect() } else { values.to_vec() };
    let value = typed_value(key, &values).map_err(StoreError::BadValue)?;
    if key.kind.is_path() {
        values.iter().for_each(|stored| trust_own(store, origin, key.name, stored, draft));
    }
    if key.name == store::SETUP_KEY && origin == Origin::Shared {
        let own = values.iter().map(|text| store::committed_command(&store.repos().root, store::SETUP_KEY, text));
        draft.trusted.extend(own);
    }
    if let (STATE_MODE, Value::Text(mode)) = (key.name, &value) {
        let (old, new) = (store.state(), store.state_home_in(StateMode::requested(mode)));
        if old.path() != new.path && old.exists() {
            let old = old.path().display();
            draft.remarks.push(format!(
                "claims, mail and checkpoints in {old} stay there: `bd state move --from {old}` copies them"
            ));
        }
    }
    draft.of(origin).set(key.name, value);
    Ok(())
}

/// Trusts the paths in the committed config that lead out of the repository, and the command in it, if the user agrees. Returns them.
pub fn trust(store: &mut Store, agrees: impl FnOnce(&[OutsidePath]) -> bool) -> Result<Vec<OutsidePath>> {
    let mut paths = store.repos().untrusted.clone();
    paths.extend(store.unagreed());
    if !paths.is_empty() && agrees(&paths) {
        let trust = store::read_trust(&store.host().env);
        trust.add(&paths, store.lock_wait(), &store.host().entropy).map_err(StoreError::from)?;
        store.reopen()?;
    }
    Ok(paths)
}
