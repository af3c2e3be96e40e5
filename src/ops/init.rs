//! Creating a ledger in a repo, and setting up the user's role in a project.
//!
//! A plain init touches nothing outside `.beads`. The set-up for a contributor also creates the planning repo, if it is
//! missing, and writes the personal settings; none of this can end up in a commit of the project.

use std::path::{Path, PathBuf};

use super::{ConfigRequest, Configured, OpError, Result, configure};
use crate::ledger::Ledger;
use crate::model::id;
use crate::store::settings::{Files, Origin, is_ledger_name, original_prefix};
use crate::store::{self, BEADS_DIR, Config, LEDGER_NAMES, PLACEHOLDER_NAME, Repo, Settings, Site, Store, StoreError};
use crate::sys::fs::Dir;
use crate::sys::{self, Entropy, Host, below};
use crate::vcs;

/// The user's role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Setup {
    /// One repo; no questions.
    #[default]
    Plain,
    /// Plans in a separate repo.
    Contributor {
        planning: String,
    },
    Maintainer,
    /// A shared project with these maintainers.
    Team {
        maintainers: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InitRequest {
    pub prefix: Option<String>,
    pub ledger_name: Option<String>,
    pub setup: Setup,
    /// Create a second ledger, although the directory is in a project that has one.
    pub here: bool,
    /// Keep a placeholder for clients that look for a database.
    pub legacy_db: bool,
    /// Begin without issues, although a database of the original has some.
    pub empty: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initialised {
    pub beads: PathBuf,
    pub ledger: PathBuf,
    pub prefix: String,
    /// There already was a ledger, which is unchanged.
    pub already: bool,
    /// git would merge the new ledger as text.
    pub wants_hooks: bool,
    /// Descriptions of additional steps.
    pub steps: Vec<String>,
    pub configured: Option<Configured>,
}

/// Files that some clients look for, and that keep other programs from harming the ledger.
const GITIGNORE: &str = "# Left only by an interrupted write; the next one removes it.\n.bd-tmp-*\n.bd-refused-*\n.bd-displaced-*\n# State of one machine.\nrun/\n# Databases of other tools.\n*.db\n*.db-*\n";
const GITATTRIBUTES: &str = "# The ledger's bytes are its truth: no line end conversion.\n*.jsonl -text\n";

pub const PLANNING: &str = "~/.beads-planning";

pub fn init(host: &Host, directory: &Path, request: &InitRequest) -> Result<Initialised> {
    store::refuse_stranded(directory)?;
    store::refuse_control(&place(host, directory))?;
    if let Setup::Contributor { planning } = &request.setup {
        // Before anything is created: an unsuitable planning repo must not leave half a set-up.
        store::check_planning(directory, &planning_path(host, directory, planning), &host.env)?;
    }
    let beads = match &request.setup {
        Setup::Plain => place(host, directory),
        // The role concerns the whole project, whatever the current directory in it.
        _ => store::ledger_of_working_copy(directory, &host.env).unwrap_or_else(|| place(host, directory)),
    };
    refuse_second(host, directory, &beads, request)?;
    let mut made = init_ledger(host, &beads, request)?;
    if matches!(request.setup, Setup::Contributor { .. } | Setup::Maintainer) {
        // Before the rest is created: settings that do not count as this user's are useless.
        open(host, directory)?.mark_personal()?;
    }
    let settings = match &request.setup {
        Setup::Plain => None,
        Setup::Contributor { planning } => {
            if !made.already {
                made.steps.push(store::keep_out_of_commits(&made.beads)?);
            }
            let planning = planning_path(host, directory, planning);
            made.steps.extend(make_planning(host, &planning)?);
            Some(ConfigRequest {
                add: vec![planning.display().to_string()],
                routing: Some("contributor".into()),
                file: Some(Origin::Personal),
                ..ConfigRequest::default()
            })
        }
        Setup::Maintainer => Some(ConfigRequest::setting("routing.role", "maintainer", Some(Origin::Personal))),
        Setup::Team { maintainers } => {
            let mut settings = ConfigRequest::setting("routing.mode", "auto", Some(Origin::Shared));
            if !maintainers.is_empty() {
                settings.set.push(("routing.maintainers".to_owned(), maintainers.clone()));
            }
            Some(settings)
        }
    };
    if let Some(settings) = settings {
        made.configured = Some(configure(&mut open(host, directory)?, &settings)?);
    }
    keep_placeholder(host, directory, request, &mut made)?;
    Ok(made)
}

/// Creates the placeholder for old clients, if requested here or by a setting.
fn keep_placeholder(host: &Host, directory: &Path, request: &InitRequest, made: &mut Initialised) -> Result<()> {
    let files = Files::of(&Site::of(&made.beads, &host.env), &host.env);
    if !request.legacy_db && !Settings::read(files, &host.env, &[]).flag("legacy.db") {
        return Ok(());
    }
    let mut store = open(host, directory)?;
    if request.legacy_db {
        let mut done = configure(&mut store, &ConfigRequest::setting("legacy.db", "true", Some(Origin::Personal)))?;
        let known = made.configured.get_or_insert_default();
        known.files.append(&mut done.files);
        known.remarks.append(&mut done.remarks);
    } else {
        store.keep_placeholder().map_err(OpError::Fs)?;
    }
    made.steps.push(format!("placeholder for old clients: {}", made.beads.join(PLACEHOLDER_NAME).display()));
    Ok(())
}

/// Refuses a ledger inside a project that has one, unless requested: the current directory would decide where issues
/// go.
fn refuse_second(host: &Host, directory: &Path, beads: &Path, request: &InitRequest) -> Result<()> {
    let is_named = ["BEADS_DIR", "BEADS_DB"].iter().any(|name| host.env.var(name).is_some());
    if request.here || is_named || beads.exists() {
        return Ok(());
    }
    match Repo::discover(directory, &host.env, true) {
        Ok(found) => {
            let (directory, project) = (directory.to_owned(), found.root().to_owned());
            Err(OpError::InsideProject { directory, project })
        }
        Err(_) => Ok(()),
    }
}

fn open(host: &Host, directory: &Path) -> Result<Store> {
    Ok(Store::open_with(Config::on(host.clone(), directory))?)
}

fn init_ledger(host: &Host, beads: &Path, request: &InitRequest) -> Result<Initialised> {
    let prefix = request.prefix.as_deref();
    if let Some(prefix) = prefix {
        id::check_prefix(prefix).map_err(StoreError::from)?;
    }
    if let Some(name) = request.ledger_name.as_deref().filter(|name| !is_ledger_name(name)) {
        return Err(OpError::Usage(format!("--ledger-name must be the name of a .jsonl file, not {name:?}")));
    }
    let found = match sys::path::look(beads) {
        Ok(_) if !beads.is_dir() => return Err(StoreError::NotADirectory { path: beads.to_owned() }.into()),
        // A linked or redirected one is followed as everywhere else.
        Ok(_) => Repo::at(beads, String::new()).transpose()?.map(|found| found.beads().to_owned()),
        Err(_) => None,
    };
    let beads = found.as_deref().unwrap_or(beads);
    // Only a place named by the environment can be missing.
    below::make_missing(&store::real_path(below::parted(beads).0)).map_err(OpError::Fs)?;
    let (_, configured) = Settings::of_repo(beads).map_err(StoreError::from)?;
    let configured = configured.or_else(|| request.ledger_name.clone());
    let names = configured.iter().map(String::as_str).chain(LEDGER_NAMES.into_iter().filter(|_| configured.is_none()));
    let existing = names.map(|name| beads.join(name)).find(|path| path.exists());
    let name = beads.parent().and_then(|root| sys::path::real(root).ok());
    let name = name.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("bd").to_owned();
    let prefix = prefix.map(str::to_owned).or_else(|| original_prefix(beads)).unwrap_or_else(|| id::prefix_from(&name));
    let made = |ledger, already| Initialised {
        beads: beads.to_owned(),
        ledger,
        prefix: prefix.clone(),
        already,
        wants_hooks: false,
        steps: Vec::new(),
        configured: None,
    };
    if let Some(ledger) = existing {
        return Ok(made(ledger, true));
    }
    if let Some(error @ StoreError::OtherLedger { .. }) =
        configured.as_ref().map(|name| store::missing(&beads.join(name)))
    {
        return Err(error.into());
    }
    if let Some(database) = store::databases(beads).into_iter().next().filter(|_| !request.empty) {
        return Err(StoreError::OnlyDatabase { database }.into());
    }
    store::refuse_not_checked_out(beads, configured.as_deref(), &host.env)?;
    let (above, name) = below::parted(beads);
    let dir = below::make(above, name).map_err(OpError::Fs)?;
    let ledger_name = configured.as_deref().unwrap_or(LEDGER_NAMES[0]);
    let mut config = format!("# Settings of this repo's ledger; see `bd help`.\nissue_prefix = \"{prefix}\"\n");
    if let Some(name) = &request.ledger_name {
        config.push_str(&format!("\n[ledger]\nfile = \"{name}\"\n"));
    }
    write_new(&dir, "config.toml", &config)?;
    let metadata = format!("{{\"backend\":\"jsonl\",\"jsonl_export\":\"{ledger_name}\"}}\n");
    write_new(&dir, "metadata.json", &metadata)?;
    write_new(&dir, ".gitignore", GITIGNORE)?;
    write_new(&dir, ".gitattributes", GITATTRIBUTES)?;
    let path = beads.join(ledger_name);
    let ledger = Ledger::at(&path, beads).map_err(StoreError::from)?;
    let created = ledger.create(Config::LOCK_WAIT, &host.entropy).map_err(StoreError::from)?;
    let wants_hooks = created && vcs::merge_setup(&sys::path::real(&path).unwrap_or(path.clone()), &host.env).is_some();
    Ok(Initialised { wants_hooks, ..made(path, !created) })
}

/// The directory of a planning repo.
fn planning_path(host: &Host, directory: &Path, text: &str) -> PathBuf {
    store::plain_path(&store::expand_path(text, directory, &host.env))
}

/// Creates the planning repo: directory, version control, ledger, first commit; each only if missing.
fn make_planning(host: &Host, path: &Path) -> Result<Vec<String>> {
    let mut steps = Vec::new();
    if Repo::at(path, String::new()).is_some() {
        return Ok(steps);
    }
    below::make_own(path).map_err(OpError::Fs)?;
    steps.extend(store::start_version_control(path, &host.env));
    let made = init_ledger(host, &path.join(BEADS_DIR), &InitRequest::default())?;
    steps.push(format!("planning repo made: {}", made.ledger.display()));
    let files = ["config.toml", "metadata.json", ".gitignore", ".gitattributes"].map(|name| made.beads.join(name));
    let files: Vec<PathBuf> = files.into_iter().chain([made.ledger]).collect();
    let author = store::find_actor(&host.env, path);
    steps.extend(store::commit_files(&files, "start the ledger", &author, &host.env));
    Ok(steps)
}

/// The `.beads` directory to create: in the command's directory, or where the environment says.
fn place(host: &Host, directory: &Path) -> PathBuf {
    let named = |name| host.env.var(name).map(|value| store::named_beads(name, &host.env.path(&value)));
    named("BEADS_DIR").or_else(|| named("BEADS_DB")).unwrap_or_else(|| directory.join(BEADS_DIR))
}

/// Writes a file unless it exists.
fn write_new(dir: &Dir, name: &str, text: &str) -> Result<()> {
    dir.create(name, text.as_bytes(), &Entropy::System).map(drop).map_err(OpError::Fs)
}
