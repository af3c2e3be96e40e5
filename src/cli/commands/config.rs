use clap::{Args, Subcommand};

use super::changed_settings::{FileArgs, change};
use super::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, ConfigRequest};
use crate::store::StoreError;
use crate::store::settings::{HeldBecause, Setting, Value, find_key, is_foreign_key, nearest_key};
use crate::view::{self, Exit, Failure, inline};

/// Settings: which repos are joined, where new issues go, and the rest
///
/// Settings come in layers, later wins: built-in, user (~/.config/beads/config.toml), committed (.beads/config.toml), personal
/// (in the directory that version control keeps for itself, never committed), environment (BD_ROUTING_MODE for
/// routing.mode), flags (--config KEY=VALUE). Lists add up. A maintainer's change goes to the committed file, a contributor's
/// and paths below the home directory to the personal one; --shared, --personal and --user choose. The committed file cannot
/// overrule a planning repo that you joined; `bd config list --origin` shows what is not in effect.
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
  bd config trust              agree to the paths in the committed file")]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Join a repo
    #[arg(long, value_name = "PATH")]
    add_repo: Vec<String>,
    /// Leave a repo out again; its file is not touched
    #[arg(long, value_name = "PATH")]
    remove_repo: Vec<String>,
    /// Show the repos of the project
    #[arg(long)]
    list_repos: bool,
    /// single, auto, explicit, or auto as: maintainer, contributor
    #[arg(long, value_name = "MODE")]
    routing: Option<String>,
    #[command(flatten)]
    file: FileArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print one setting
    Get { key: String },
    /// Set one setting; a list takes several values
    Set {
        key: String,
        #[arg(required = true)]
        values: Vec<String>,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Take one setting out
    Unset {
        key: String,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Print every setting in effect
    List {
        /// With the layer and the file of each
        #[arg(long)]
        origin: bool,
    },
    /// Agree to paths in the committed file that lead out of the repository
    Trust {
        /// Only show them
        #[arg(long)]
        dry_run: bool,
    },
}

pub fn run(args: ConfigArgs, cx: &mut Context) -> Outcome {
    let file = args.file.origin();
    match args.action {
        Some(Action::Get { key }) => get(&key, cx),
        Some(Action::List { origin }) => list(origin, cx),
        Some(Action::Trust { dry_run }) => trust(dry_run, cx),
        Some(Action::Set { key, values, file }) => {
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
    let Some(key) = find_key(name) else {
        if is_foreign_key(name) {
            return get_foreign(name, cx);
        }
        return Err(StoreError::UnknownKey { name: name.to_owned(), nearest: nearest_key(name) }.into());
    };
    let mut found: Vec<Setting> = cx.store()?.settings().in_effect();
    found.retain(|setting| setting.key == key);
    let values: Vec<String> = match (found.is_empty(), name) {
        (true, "issue_prefix") => vec![cx.store()?.prefix(0)?],
        _ => found.iter().flat_map(|setting| items(&setting.value)).collect(),
    };
    if values.is_empty() {
        let held = cx.store()?.settings().held.iter().find(|held| held.setting.key == key);
        let said = held.map(|held| format!("{name} = {} is {}", held.setting.value, held.because.text()));
        return Err(Failure::not_found(said.unwrap_or_else(|| format!("{name} is not set"))));
    }
    if cx.ui.wants_json() {
        let json = match found.first().map(|setting| &setting.value) {
            Some(Value::Flag(flag)) => view::setting_value(name, view::any(*flag)),
            _ if key.kind.is_list() => view::setting_value(name, view::any(&values)),
            _ => view::setting_value(name, view::any(&values[0])),
        };
        cx.json(json);
    } else {
        values.iter().for_each(|value| cx.ui.line(&inline(value)));
    }
    Ok(Exit::Ok)
}

fn get_foreign(name: &str, cx: &mut Context) -> Outcome {
    let found = cx.store()?.settings().foreign().into_iter().find(|known| known.name == name);
    let found = found.ok_or_else(|| Failure::not_found(format!("{name} is not set")))?;
    json_answer!(cx, view::setting_value(name, view::any(&found.value)));
    cx.ui.line(&inline(&found.value));
    Ok(Exit::Ok)
}

fn items(value: &Value) -> Vec<String> {
    match value {
        Value::List(items) => items.clone(),
        other => vec![other.to_string()],
    }
}

fn list(with_origin: bool, cx: &mut Context) -> Outcome {
    let settings = cx.store()?.settings();
    let foreign = settings.foreign();
    let held = settings.held.iter().map(|held| (held.setting.clone(), Some(held.because)));
    let settings: Vec<(Setting, Option<HeldBecause>)> =
        settings.in_effect().into_iter().map(|setting| (setting, None)).chain(held.filter(|_| with_origin)).collect();
    if cx.ui.wants_json() {
        let own = settings.iter().map(|(setting, held)| view::setting(setting, *held));
        cx.json(view::each(own.chain(foreign.iter().map(view::foreign_setting)), |one| one));
        return Ok(Exit::Ok);
    }
    let mut lines: Vec<[String; 4]> = settings
        .iter()
        .map(|(setting, held)| {
            let (origin, place) =
                if with_origin { (setting.origin.word(), setting.place.as_str()) } else { Default::default() };
            let place = held.map_or_else(|| place.to_owned(), |held| format!("{place}  {}", held.text()));
            [setting.key.name, &setting.value.to_string(), origin, &place].map(|cell| inline(cell).into_owned())
        })
        .collect();
    lines.extend(foreign.iter().map(|one| {
        let (origin, place) = if with_origin { (one.origin.word(), one.place.as_str()) } else { Default::default() };
        [&one.name, &one.value, origin, place].map(|cell| inline(cell).into_owned())
    }));
    render::columns(&mut cx.ui, "", &lines);
    Ok(Exit::Ok)
}

fn trust(dry_run: bool, cx: &mut Context) -> Outcome {
    let paths = ops::trust(cx.store()?, dry_run)?;
    json_answer!(cx, view::trusted_paths(&paths, dry_run));
    let word = if dry_run { "Would trust" } else { "Trusted" };
    for path in &paths {
        let missing = if path.is_missing() { "; the directory does not exist yet" } else { "" };
        cx.ui.done(&format!("{word}: {} = {} ({}{missing})", path.key, path.text, path.resolved.display()));
    }
    if paths.is_empty() {
        cx.ui.done("the committed file names no path that would need trust");
    }
    Ok(Exit::Ok)
}
