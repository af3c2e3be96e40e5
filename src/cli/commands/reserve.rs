use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::model::duration;
use crate::model::reservation::DEFAULT_TTL;
use crate::ops::{self, Release, ReserveRequest};
use crate::view::{self, Exit, Failure, inline, plural};

/// Reserve files so that others on this machine leave them alone
///
/// A glob is relative to the current directory and is stored relative to the repository's root. `*` and `?` stay inside one name,
/// `**` is any number of directories, `[a-z]` one character, `{a,b}` either. A directory means everything in it. Two reservations
/// conflict if some path matches both, unless both are shared or have the same holder; then nothing is reserved, and the exit
/// code is 11. Reserving the same glob again renews it. All checkouts see the reservations.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  bd reserve 'src/parser/**' --issue bd-a3f8
  bd reserve Cargo.toml docs --shared --ttl 20m
  bd reserve list --mine
  bd reserve check --staged            in a pre-commit hook
  bd reserve release --all")]
pub(super) struct ReserveArgs {
    #[command(subcommand)]
    command: Option<ReserveCommand>,
    /// The files to reserve, as globs
    #[arg(required = true, value_name = "GLOB")]
    globs: Vec<String>,
    /// Allow other shared reservations
    #[arg(long)]
    shared: bool,
    /// Expire after this long: 20m, 2h; people may use none (default: 1h)
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
    /// The issue it is for
    #[arg(long, value_name = "ID")]
    issue: Option<String>,
    /// Why, for others who need the files
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Subcommand)]
enum ReserveCommand {
    /// List the reservations
    List {
        /// Only your own
        #[arg(long)]
        mine: bool,
        /// Only expired ones
        #[arg(long)]
        expired: bool,
    },
    /// Release your reservations
    Release {
        /// Globs or ids
        #[arg(value_name = "GLOB|ID", required_unless_present = "all", conflicts_with = "all")]
        which: Vec<String>,
        /// All of your own
        #[arg(long)]
        all: bool,
    },
    /// Check whether someone else has reserved these paths; exits 11 if so
    ///
    /// With --staged the setting reserve.mode decides: block (exit 11) or warn (exit 0). BD_BYPASS=1 lets everything pass, with a
    /// warning.
    Check {
        /// Files or directories
        #[arg(value_name = "PATH", required_unless_present = "staged", conflicts_with = "staged")]
        paths: Vec<String>,
        /// Check the paths that git has staged
        #[arg(long)]
        staged: bool,
    },
}

pub(super) fn run(args: ReserveArgs, cx: &mut Context) -> Outcome {
    match args.command {
        Some(ReserveCommand::List { mine, expired }) => list(mine, expired, cx),
        Some(ReserveCommand::Release { which, all }) => {
            release(if all { Release::All } else { Release::These(which) }, cx)
        }
        Some(ReserveCommand::Check { paths, staged }) => check(&paths, staged, cx),
        None => {
            let ttl = ttl(args.ttl.as_deref())?;
            let ReserveArgs { globs, shared, issue, reason, .. } = args;
            reserve(&ReserveRequest { globs, is_shared: shared, ttl, issue, reason }, cx)
        }
    }
}

fn ttl(typed: Option<&str>) -> Result<Option<i64>, Failure> {
    match typed {
        None => Ok(Some(DEFAULT_TTL)),
        Some("none") => Ok(None),
        Some(text) => match duration::parse(text) {
            Some(nanos) if nanos > 0 => Ok(Some(nanos)),
            _ => Err(Failure::usage(format!("invalid --ttl {text:?}: a time such as 20m or 2h, or none"))),
        },
    }
}

fn reserve(request: &ReserveRequest, cx: &mut Context) -> Outcome {
    let reserved = ops::reserve(cx.store()?, request)?;
    json_answer!(cx, view::each(&reserved, view::reserved));
    let calendar = cx.ui.calendar();
    for one in &reserved {
        let verb = if one.reservation.renewed.is_some() { "Renewed" } else { "Reserved" };
        cx.ui.done(&format!("{verb} {}", view::reservation_text(&one.reservation, &calendar)));
    }
    Ok(Exit::Ok)
}

fn list(mine: bool, expired: bool, cx: &mut Context) -> Outcome {
    let found = ops::reservations(cx.store()?, mine, expired)?;
    json_answer!(cx, view::each(&found, view::reserved));
    let calendar = cx.ui.calendar();
    for one in &found {
        cx.ui.line(&inline(&view::reservation_text(&one.reservation, &calendar)));
    }
    cx.ui.note_if(found.is_empty(), "nothing is reserved");
    Ok(Exit::Ok)
}

fn release(which: Release, cx: &mut Context) -> Outcome {
    let released = ops::unreserve(cx.store()?, &which)?;
    json_answer!(cx, view::each(&released, view::reservation));
    for one in &released {
        cx.ui.done(&format!("Released {}  {}", one.glob, one.id));
    }
    cx.ui.note_if(released.is_empty(), "nothing is reserved");
    Ok(Exit::Ok)
}

fn check(paths: &[String], staged: bool, cx: &mut Context) -> Outcome {
    let store = cx.store()?;
    let checked = if staged { ops::check_staged(store)? } else { ops::check_paths(store, paths)? };
    let bypassed = cx.host().env.var("BD_BYPASS").as_deref() == Some("1");
    let only_warns = staged && ops::only_warns(cx.store()?);
    if cx.ui.wants_json() {
        cx.json(view::reserve_check(&checked, bypassed));
    } else {
        let calendar = cx.ui.calendar();
        for one in &checked.obstacles {
            let text = format!("{}: reserved: {}", one.wanted, view::reservation_text(&one.reservation, &calendar));
            cx.ui.line(&inline(&text));
        }
    }
    if checked.obstacles.is_empty() {
        if !cx.ui.wants_json() && !staged {
            cx.ui.note(&format!("nobody else has reserved {}", plural(checked.checked, "path")));
        }
        return Ok(Exit::Ok);
    }
    let message = format!("{} reserved by others", plural(checked.obstacles.len(), "path"));
    if bypassed || only_warns {
        let why = if bypassed { "BD_BYPASS is set" } else { "reserve.mode is warn" };
        cx.ui.warning(&format!("{message}; {why}"));
        return Ok(Exit::Ok);
    }
    Err(Failure::reserved(message, &checked.obstacles))
}
