use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::ui::Style;
use crate::ops::{self, Severity};
use crate::view::{self, Exit, inline};

/// Check the ledgers for problems; `--fix` repairs them
///
/// Exits 8 while something is damaged, with --strict also while something is odd; `ok` in JSON says the same. --fix joins copies of one issue, moves lines that cannot be read to
/// .beads/damaged.txt, sorts, and makes line ends plain. bd resolve merges conflict regions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd doctor\n  bd doctor --fix\n  bd doctor --strict\n  bd doctor --json")]
pub(super) struct DoctorArgs {
    /// Repair what can be repaired without guessing
    #[arg(long)]
    fix: bool,
    /// Let warnings fail, too, as in CI
    #[arg(long)]
    strict: bool,
    #[arg(short, long, hide = true)]
    yes: bool,
    #[arg(long, hide = true)]
    clean: bool,
    #[arg(long, hide = true, value_name = "NAME")]
    check: Option<String>,
}

pub(super) fn run(args: DoctorArgs, cx: &mut Context) -> Outcome {
    cx.reports_problems = true;
    let report = ops::doctor(cx.store()?, args.fix)?;
    let worst = if args.strict { Severity::Warning } else { Severity::Damage };
    let is_ok = report.findings.iter().all(|finding| finding.severity < worst);
    let exit = if is_ok { Exit::Ok } else { Exit::Damaged };
    if cx.ui.wants_json() {
        cx.ui.json(view::doctor(&report, is_ok), &[]);
        return Ok(exit);
    }
    for step in &report.fixed {
        cx.ui.line(&format!("fixed: {}", inline(&cx.ui.short(step))));
    }
    for finding in &report.findings {
        let (style, word) = match finding.severity {
            Severity::Note => (Style::Dim, "note"),
            Severity::Warning => (Style::Yellow, "warning"),
            Severity::Damage => (Style::Red, "damaged"),
        };
        let file = finding.file.as_ref().map(|file| cx.ui.path(file)).unwrap_or_default();
        let place = match finding.line {
            Some(line) => format!("{file}:{line}: "),
            None if file.is_empty() => String::new(),
            None => format!("{file}: "),
        };
        let line =
            format!("{}: {}", cx.ui.paint(style, word), inline(&format!("{place}{}", cx.ui.short(&finding.message))));
        cx.ui.line(&line);
        if let Some(remedy) = &finding.remedy {
            cx.ui.line(&format!("    {}", inline(&cx.ui.short(remedy))));
        }
    }
    cx.ui.done_if(report.findings.is_empty(), "everything is in order");
    Ok(exit)
}
