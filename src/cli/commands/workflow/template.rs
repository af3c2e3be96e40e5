use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::create::{self, OptionArgs};
use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::templates::SaveWish;
use crate::ops::{templates, workflows};
use crate::view::{self, Exit, Failure};

/// Manage templates for workflows
///
/// A template is a plan in TOML with {{variables}} in its texts. Of several with one name the first counts: `.beads/templates/` of the
/// project, then the user's (`~/.config/beads/templates/`), then those that bd brings: feature, bugfix, refactor, release.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd workflow template list
  bd workflow template show feature
  bd workflow template apply feature --var feature='Search in titles' --max-parallel 2
  bd workflow template save our-release --from bd-a3f8
  bd workflow template validate .beads/templates/our-release.toml")]
pub(in crate::cli::commands) struct TemplateArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the templates, including broken ones
    List {
        /// Include templates hidden by another of the same name
        #[arg(long)]
        all: bool,
    },
    /// Show a template: its variables and its text
    Show {
        /// The template
        name: String,
    },
    /// File a workflow from a template; the same as bd workflow create --template
    Apply {
        /// The template
        template: String,
        #[command(flatten)]
        options: Box<OptionArgs>,
    },
    /// Save the plan of a workflow as a template
    Save {
        /// Its name
        name: String,
        /// The workflow
        #[arg(long, value_name = "ID")]
        from: String,
        /// Save it for yourself instead of the project
        #[arg(long)]
        user: bool,
        /// Replace a template of the same name
        #[arg(long)]
        force: bool,
    },
    /// List every problem of a template
    Validate {
        /// The template file
        file: PathBuf,
    },
}

pub(in crate::cli::commands) fn run(args: TemplateArgs, cx: &mut Context) -> Outcome {
    match args.action {
        Action::List { all } => list(cx, all),
        Action::Show { name } => show(cx, &name),
        Action::Apply { template, options } => create::apply(&template, *options, cx),
        Action::Save { name, from, user, force } => save(cx, &from, SaveWish { name, for_user: user, force }),
        Action::Validate { file } => validate(cx, &file),
    }
}

fn list(cx: &mut Context, all: bool) -> Outcome {
    let mut found = templates::list(cx.store()?);
    found.retain(|one| all || !one.is_hidden);
    json_answer!(cx, view::each(&found, view::template_head));
    let lines: Vec<[String; 4]> = found.iter().map(view::template_line).collect();
    render::columns(&mut cx.ui, "", &lines);
    Ok(Exit::Ok)
}

fn show(cx: &mut Context, name: &str) -> Outcome {
    let found = templates::find(cx.store()?, name)?;
    json_answer!(cx, view::template(&found));
    let [name, place, tasks, purpose] = view::template_line(&found);
    cx.ui.line(&format!("{name}  ({place}, {tasks})  {purpose}"));
    cx.ui.below(view::variable_lines(&found));
    cx.ui.line("");
    cx.ui.line(&view::block(&found.text));
    Ok(Exit::Ok)
}

fn save(cx: &mut Context, from: &str, wish: SaveWish) -> Outcome {
    let store = cx.store()?;
    let flow = workflows::flow(store, from)?;
    let rows: Vec<_> =
        std::iter::once(&flow.workflow.row).chain(flow.tasks.iter().map(|task| &task.row)).cloned().collect();
    let saved = templates::save(store, &workflows::plan_of(&flow), &rows, &wish).map_err(|error| {
        let failure = Failure::from(error);
        // The usual advice about exports does not apply.
        match failure.code {
            "would_leak" => failure.without_hint().shell("it comes from private issues; --user keeps it to yourself"),
            _ => failure,
        }
    })?;
    let verb = if saved.replaced { "Replaced" } else { "Saved" };
    cx.answer(view::saved_template(&saved), &format!("{verb}: {}", cx.ui.path(&saved.path)))
}

fn validate(cx: &mut Context, file: &std::path::Path) -> Outcome {
    let found = {
        let path = cx.directory().join(file);
        templates::read_file(cx.store()?, &path)?
    };
    found.usable().map_err(|error| Failure::from(crate::ops::OpError::from(error)))?;
    json_answer!(cx, view::template(&found));
    for name in found.template.iter().flat_map(|template| template.unused()) {
        cx.ui.note(&format!("the variable {name} is not used"));
    }
    cx.ui.done(&format!("In order: {}", cx.ui.short(&found.place())));
    Ok(Exit::Ok)
}
