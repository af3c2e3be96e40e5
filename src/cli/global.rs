//! The flags that every command has.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::style::Colours;

/// Flags that are accepted before or after any command.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Global options")]
pub(super) struct GlobalArgs {
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Print JSON, each item of a list on a line of its own
    #[arg(long, global = true)]
    pub ndjson: bool,
    /// Run as if started in DIR
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Act as NAME (default: BD_ACTOR, BEADS_ACTOR, git's user.name, USER)
    #[arg(long, value_name = "NAME", global = true)]
    pub actor: Option<String>,
    /// Act as the agent NAME (default: BD_AGENT)
    #[arg(long, value_name = "NAME", global = true, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub agent: Option<String>,
    /// The state home: claims, mail, checkpoints (default: BD_STATE_DIR, else with the repository)
    #[arg(long, value_name = "DIR", global = true, hide = true)]
    pub state_dir: Option<PathBuf>,
    /// The state home that all of your repositories share
    #[arg(long, global = true, hide = true)]
    pub global: bool,
    /// Use colour: auto, always or never
    #[arg(long, value_name = "WHEN", global = true, value_parser = colours)]
    pub color: Option<Colours>,
    /// Do not page long output
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// Print only the result
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Override a setting for this command
    #[arg(long, value_name = "KEY=VALUE", global = true, value_parser = setting)]
    pub config: Vec<(String, String)>,
    /// Seconds to wait for another writer
    #[arg(long, value_name = "SECONDS", global = true, value_parser = seconds, hide = true)]
    pub lock_timeout: Option<Duration>,
    /// A file in the .beads directory to use
    #[arg(long, value_name = "PATH", global = true, hide = true)]
    pub db: Option<PathBuf>,
    /// Refuse every command that would write
    #[arg(long, global = true, hide = true)]
    pub readonly: bool,
    #[command(flatten)]
    pub ignored: IgnoredArgs,
}

impl GlobalArgs {
    pub(super) fn wants_json(&self) -> bool {
        self.json || self.ndjson
    }

    /// The flags for where a command works and for whom, to pass them on.
    pub(super) fn words(&self) -> Vec<String> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let texts = [
            ("--directory", path(&self.directory)),
            ("--actor", self.actor.clone()),
            ("--agent", self.agent.clone()),
            ("--state-dir", path(&self.state_dir)),
            ("--db", path(&self.db)),
        ];
        let texts = texts.into_iter().filter_map(|(flag, text)| Some(format!("{flag}={}", text?)));
        let settings = self.config.iter().map(|(key, value)| format!("--config={key}={value}"));
        texts.chain(self.global.then(|| "--global".to_owned())).chain(settings).collect()
    }
}

/// Flags that clients of the original pass. They are accepted and ignored: there is no daemon, database or profile.
#[derive(Debug, Args, Default)]
pub(super) struct IgnoredArgs {
    #[arg(long, global = true, hide = true)]
    sandbox: bool,
    #[arg(long, global = true, hide = true)]
    no_daemon: bool,
    #[arg(long, global = true, hide = true)]
    no_auto_flush: bool,
    #[arg(long, global = true, hide = true)]
    no_auto_import: bool,
    #[arg(long, global = true, hide = true)]
    no_db: bool,
    #[arg(long, global = true, hide = true)]
    allow_stale: bool,
    #[arg(short, long, global = true, hide = true)]
    verbose: bool,
    #[arg(long, global = true, hide = true)]
    profile: bool,
}

fn colours(word: &str) -> Result<Colours, String> {
    Colours::parse(word).ok_or_else(|| "one of auto always never".into())
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("{text:?} is not KEY=VALUE"))?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.strip_suffix('s').unwrap_or(text);
    let value: f64 = number.parse().map_err(|_| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(value).map_err(|error| error.to_string())
}
