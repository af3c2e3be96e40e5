use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, InitRequest, PLANNING, Setup};
use crate::store::HooksRequest;
use crate::view::{self, Exit, Failure};

/// Create a ledger here
///
/// Creates `.beads/` with an empty ledger and touches nothing else: no hook, no commit, no other file. --contributor also makes
/// a planning repo, if it is missing, and sends your new issues there; the project is not touched by that. Questions are asked
/// only on a terminal, and only about what a flag left open.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd init
  bd init --prefix web
  bd init --contributor                    plan in ~/.beads-planning
  bd init --contributor ~/plans/big
  bd init --merge-driver                   let git merge the ledger field by field
  bd init --team --maintainers ann@example.org,bob@example.org")]
pub(super) struct InitArgs {
    /// What new ids start with (default: the directory's name)
    #[arg(short, long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// The ledger's file name (default: beads.jsonl)
    #[arg(long, value_name = "NAME")]
    ledger_name: Option<String>,
    /// Act as a contributor: plan in a repo of your own
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "", group = "part")]
    contributor: Option<String>,
    /// Act as a maintainer: new issues go to this repo
    #[arg(long, group = "part")]
    maintainer: bool,
    /// Set up a team: maintainers write here, others plan in their own repos
    #[arg(long, group = "part")]
    team: bool,
    /// E-mail addresses of the team's maintainers
    #[arg(long, value_name = "EMAIL", value_delimiter = ',', requires = "team")]
    maintainers: Option<Vec<String>>,
    /// Register the merge driver with version control (see bd hooks)
    #[arg(long)]
    merge_driver: bool,
    /// Make a second ledger in a subdirectory of a project that has one
    #[arg(long)]
    here: bool,
    /// Keep .beads/beads.db, an empty stand-in for clients that look for a database
    #[arg(long)]
    legacy_db: bool,
    /// Begin without issues, although a database of the original has some
    #[arg(long)]
    empty: bool,
    /// Accepted for compatibility: without a terminal nothing is asked
    #[arg(long, hide = true)]
    non_interactive: bool,
    /// The role: maintainer or contributor
    #[arg(long, value_name = "ROLE", group = "part", hide = true, value_parser = ["maintainer", "contributor"])]
    role: Option<String>,
}

pub(super) fn run(args: InitArgs, cx: &mut Context) -> Outcome {
    if !cx.directory().is_dir() {
        return Err(Failure::usage(format!("no such directory: {}", cx.directory().display())));
    }
    let setup = setup(&args, cx);
    let InitArgs { prefix, ledger_name, here, legacy_db, empty, .. } = args;
    let request = InitRequest { prefix, ledger_name, setup, here, legacy_db, empty };
    let mut made = ops::init(&cx.host_here(), &cx.directory(), &request)?;
    if made.already {
        made.prefix = ops::prefix(cx.store()?)?;
    }
    if args.merge_driver {
        let request = HooksRequest { hooks: false, driver: true, shared: false };
        let done = ops::install_hooks(cx.store()?, request)?;
        let word = if done.changed { "merge driver registered" } else { "merge driver registered before" };
        let file = done.status.driver.file.map(|file| format!(": {}", file.display())).unwrap_or_default();
        made.steps.push(format!("{word}{file}"));
    }
    json_answer!(cx, view::initialised(&made));
    if made.already {
        let path = cx.ui.path(&made.ledger);
        cx.ui.done(&match request.setup {
            Setup::Plain => format!("already initialized, nothing changed: {path}"),
            _ => format!("already initialized: {path}"),
        });
        if request.prefix.as_ref().is_some_and(|prefix| *prefix != made.prefix) {
            let advice = "`bd rename-prefix` changes it for all issues, `bd config set issue_prefix` for new ones";
            cx.ui.hint(&format!("new ids start with {}-; {advice}", made.prefix));
        }
    } else {
        cx.ui.done(&format!("bd initialized successfully! Ledger: {}", cx.ui.path(&made.ledger)));
        cx.ui.done(&format!("new ids start with {}-", made.prefix));
    }
    made.steps.iter().for_each(|step| cx.ui.done(&cx.ui.short(step)));
    if let Some(done) = &made.configured {
        super::changed_settings::print_changes(done, cx);
    }
    match request.setup {
        Setup::Plain if !made.already => {
            cx.ui.hint("run `bd add \"First issue\"`, then `bd ready`");
            if made.wants_hooks && !args.merge_driver {
                cx.ui.hint(
                    "run `bd hooks install`: git then merges issues without conflicts, and commits nothing private",
                );
            }
        }
        Setup::Plain => {}
        Setup::Contributor { .. } => {
            cx.ui.hint("run `bd add \"First plan\"`: it goes to your planning repo (see `bd info`)")
        }
        Setup::Maintainer | Setup::Team { .. } => cx.ui.hint("run `bd info` to see what is in effect"),
    }
    if let (true, Some(because)) = (cx.ui.is_interactive(), ops::files_for_others(cx.store()?)) {
        let advice = "run `bd init --contributor` to plan in a repo of your own";
        cx.ui.hint(&format!("you look like a contributor here ({because}); {advice}"));
    }
    Ok(Exit::Ok)
}

/// What the flags say; on a terminal the user is asked for what they left open.
fn setup(args: &InitArgs, cx: &mut Context) -> Setup {
    let role = args.role.as_deref();
    match &args.contributor {
        Some(path) if !path.is_empty() => return Setup::Contributor { planning: path.clone() },
        Some(_) => {}
        None if role == Some("contributor") => {}
        None if args.maintainer || role == Some("maintainer") => return Setup::Maintainer,
        None if args.team => {
            let maintainers = match &args.maintainers {
                Some(given) => given.clone(),
                None if cx.ui.is_interactive() => {
                    let answer = cx.ui.ask("E-mail addresses of the maintainers, comma-separated", "");
                    answer.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
                }
                None => Vec::new(),
            };
            return Setup::Team { maintainers };
        }
        None => return Setup::Plain,
    }
    let planning = if cx.ui.is_interactive() { cx.ui.ask("Planning repo", PLANNING) } else { PLANNING.to_owned() };
    Setup::Contributor { planning }
}
