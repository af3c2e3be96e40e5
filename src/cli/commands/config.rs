use clap::{Args, Subcommand};

use super::changed_settings::{FileArgs, change};
use super::trust::path_line;
use crate::cli::context::{Context, Outcome};
use crate::cli::entry::Table;
use crate::cli::{alias, render};
use crate::ops::{self, AllSettings, ConfigRequest};
use crate::store::settings::{HeldBecause, Origin, Value};
use crate::view::{self, Exit, Failure, inline};

/// Read and change settings
///
/// Settings come in layers, later wins: built-in, user (~/.config/beads/config.toml), committed (.beads/config.toml), personal
/// (in the directory that version control keeps for itself, never committed), environment (BD_ROUTING_MODE for
/// routing.mode), flags (--config KEY=VALUE). Lists add up. A maintainer's change goes to the committed file, a contributor's
/// and paths below the home directory to the personal one; --shared, --personal and --user choose. The committed file cannot
/// overrule a planning repo that you joined; `bd config list --origin` shows what is not in effect.
///
/// `alias.NAME` is a command of your own, `query.NAME` a saved query (`bd list @NAME`); both count only in your own file.
///
/// Settings of other tools (jira.url, linear.api_key) are kept too, in the personal file unless you choose another.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  bd config --add-repo ~/.beads-planning --routing contributor
  bd config --list-repos
  bd config --routing auto
  bd config set routing.default ~/.beads-planning --personal
  bd config list --origin
  bd config set alias.mine \"list --assignee @me --sort due\"
  bd config set query.soon \"due<=eow status!=closed\"")]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Join a repo
    #[arg(long, value_name = "PATH")]
    add_repo: Vec<String>,
    /// Remove a repo from the project; its files stay
    #[arg(long, value_name = "PATH")]
    remove_repo: Vec<String>,
    /// List the repos of the project
    #[arg(long)]
    list_repos: bool,
    /// Routing mode: single, auto, explicit, or maintainer or contributor for auto with that role
    #[arg(long, value_name = "MODE")]
    routing: Option<String>,
    #[command(flatten)]
    file: FileArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print a setting
    Get {
        /// The setting, such as routing.mode; `bd config list` names all
        key: String,
    },
    /// Set a setting; a list takes several values
    Set {
        /// The setting, such as routing.mode; `bd config list` names all
        key: String,
        /// Its value; several for a list
        #[arg(required = true)]
        values: Vec<String>,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Remove a setting
    Unset {
        /// The setting, such as routing.mode
        key: String,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Print every setting in effect
    List {
        /// Show the layer and file of each
        #[arg(long)]
        origin: bool,
    },
    /// Trust paths in the committed file that lead outside the repository; a part of bd trust
    #[command(hide = true)]
    Trust {
        /// Show them; change nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub(super) fn run(args: ConfigArgs, table: Table, cx: &mut Context) -> Outcome {
    let file = args.file.origin();
    match args.action {
        Some(Action::Get { key }) => get(&key, cx),
        Some(Action::List { origin }) => list(origin, cx),
        Some(Action::Trust { dry_run }) => trust(dry_run, cx),
        Some(Action::Set { key, values, file }) => {
            if let (Some(name), [text]) = (key.strip_prefix(alias::ALIAS), values.as_slice()) {
                alias::check(name, text, table)?;
            } else if let (true, [text]) = (key.starts_with(alias::QUERY), values.as_slice()) {
                ops::parse_query(cx.store()?, text)?;
            }
            let set = vec![(key, values)];
            change(ConfigRequest { set, file: file.origin(), ..ConfigRequest::default() }, cx)
        }
        Some(Action::Unset { key, file }) => {
            change(ConfigRequest { unset: vec![key], file: file.origin(), ..ConfigRequest::default() }, cx)
        }
        None => {
            let request = ConfigRequest {
                add: args.add_repo,
                remove: args.remove_repo,
                routing: args.routing,
                file,
                ..ConfigRequest::default()
            };
            let asks = request == ConfigRequest { file, ..ConfigRequest::default() };
            if asks && !args.list_repos {
                return Err(Failure::usage(
                    "nothing to do: --add-repo, --remove-repo, --list-repos, --routing, or get, set, list",
                ));
            }
            if !asks {
                change(request, cx)?;
            }
            if args.list_repos { super::repo::list(cx) } else { Ok(Exit::Ok) }
        }
    }
}

fn get(name: &str, cx: &mut Context) -> Outcome {
    let found = ops::setting(cx.store()?, name)?;
    let found = found.map_err(|why| Failure::not_found(why.unwrap_or_else(|| format!("{name} is not set"))))?;
    json_answer!(cx, view::setting_value(name, &found));
    match found {
        Value::List(texts) => texts.iter().for_each(|text| cx.ui.line(&inline(text))),
        one => cx.ui.line(&inline(&one.to_string())),
    }
    Ok(Exit::Ok)
}

fn list(with_origin: bool, cx: &mut Context) -> Outcome {
    let AllSettings { own: mut settings, mut foreign } = ops::settings(cx.store()?);
    settings.retain(|(_, held)| with_origin || held.is_none());
    foreign.retain(|one| with_origin || one.held.is_none());
    if cx.ui.wants_json() {
        let own = settings.iter().map(|(setting, held)| view::setting(setting, *held));
        cx.json(view::each(own.chain(foreign.iter().map(view::foreign_setting)), |one| one));
        return Ok(Exit::Ok);
    }
    let unset = ops::unset_settings(cx.store()?);
    let cells = |name: &str, value: &str, origin: Origin, place: &str, held: Option<HeldBecause>| {
        let (origin, place) = if with_origin { (origin.word(), place) } else { Default::default() };
        let held = held.map(|held| format!("  {}", held.text())).unwrap_or_default();
        let place = format!("{}{held}", cx.ui.short(place));
        [name, value, origin, &place].map(|cell| inline(cell).into_owned())
    };
    let own =
        settings.iter().map(|(one, held)| cells(one.key.name, &one.value.to_string(), one.origin, &one.place, *held));
    let foreign = foreign.iter().map(|one| cells(&one.name, &one.value, one.origin, &one.place, one.held));
    let unset = unset.iter().map(|name| [*name, "(not set)", "", ""].map(str::to_owned));
    let lines: Vec<[String; 4]> = own.chain(foreign).chain(unset).collect();
    render::columns(&mut cx.ui, "", &lines);
    Ok(Exit::Ok)
}

fn trust(dry_run: bool, cx: &mut Context) -> Outcome {
    let paths = ops::trust(cx.store()?, |_| !dry_run)?;
    json_answer!(cx, view::trusted_paths(&paths, dry_run));
    let word = if dry_run { "Would trust" } else { "Trusted" };
    for path in &paths {
        let line = path_line(&cx.ui, path);
        cx.ui.done(&format!("{word}: {line}"));
    }
    cx.ui.done_if(paths.is_empty(), "the committed file names no path that would need trust");
    Ok(Exit::Ok)
}
