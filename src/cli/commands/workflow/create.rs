use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::model::issue::Priority;
use crate::model::plan::Plan;
use crate::ops::workflows::NewWorkflow;
use crate::ops::{PlanFile, templates, workflows};
use crate::view::{self, Failure};

/// Create a workflow with all its tasks
///
/// With tasks it is ready to be started; without any it is in planning until some are added. With tasks in several repos each task
/// of the plan names its own, and all repos need one state home: `bd state move --to global` in each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd workflow create 'Ship 2.0' --plan plan.toml --max-parallel 3
  bd workflow create --template feature --var feature='Search in titles'
  bd workflow create 'Both halves' --plan halves.toml --repo web --repo server")]
pub(crate) struct CreateArgs {
    /// A plan in TOML or JSON (- is standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    plan: Option<PathBuf>,
    /// A template, as `bd workflow template list` shows it
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    #[command(flatten)]
    options: OptionArgs,
}

/// What a workflow that is made is to be; the same for `bd workflow template apply`.
#[derive(Debug, Args)]
pub(crate) struct OptionArgs {
    /// The title (default: the name of the plan)
    name: Option<String>,
    /// A value for a variable of the template
    #[arg(long, value_name = "NAME=VALUE", requires = "template")]
    var: Vec<String>,
    /// How many tasks may run at once (default: from the plan, else 1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_parallel: Option<u32>,
    /// Give each task its own workspace
    #[arg(long)]
    auto_workspace: bool,
    /// A repo that it covers, by name, path or rp_ id
    #[arg(long, value_name = "REPO")]
    repo: Vec<String>,
    /// The id of its issue (default: a new one)
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// What it is about
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Priority: 0 (most urgent) to 4
    #[arg(short, long, value_name = "N")]
    priority: Option<String>,
    /// A label of the workflow
    #[arg(short, long, value_name = "LABEL")]
    label: Vec<String>,
    #[command(flatten)]
    texts: TextArgs,
}

/// Where a workflow comes from.
#[derive(Debug, Args, Default)]
pub(crate) struct TextArgs {
    /// Its origin: prompt, github_issue, linear, jira or custom
    #[arg(long, value_name = "WORD")]
    source_type: Option<String>,
    /// Its id at the origin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    source_ref: Option<String>,
    /// Its text at the origin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    source_content: Option<String>,
    /// The plan in a few words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    plan_summary: Option<String>,
    /// The plan as first written
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    initial_plan: Option<String>,
}

impl TextArgs {
    /// Those that were given, by key.
    pub(crate) fn given(self) -> Vec<(&'static str, String)> {
        let texts = [
            ("source_type", self.source_type),
            ("source_ref", self.source_ref),
            ("source_content", self.source_content),
            ("plan_summary", self.plan_summary),
            ("initial_plan", self.initial_plan),
        ];
        texts.into_iter().filter_map(|(key, text)| Some((key, text?))).collect()
    }
}

pub(crate) fn run(args: CreateArgs, cx: &mut Context) -> Outcome {
    let plan = plan_of(&args, cx)?;
    create(args.options, plan, cx)
}

/// Files a workflow from a template.
pub(crate) fn apply(template: &str, args: OptionArgs, cx: &mut Context) -> Outcome {
    let plan = templates::fill(cx.store()?, template, &args.var)?.plan;
    create(args, Some(plan), cx)
}

fn create(args: OptionArgs, plan: Option<Plan>, cx: &mut Context) -> Outcome {
    if args.name.is_none() && plan.as_ref().is_none_or(|plan| plan.name.is_none()) {
        return Err(Failure::usage("a workflow needs a name: run `bd workflow create NAME`"));
    }
    let priority = args.priority.as_deref().map(Priority::typed).transpose().map_err(crate::ops::OpError::from)?;
    let wish = NewWorkflow {
        id: args.id,
        title: args.name,
        description: args.description,
        priority,
        labels: args.label,
        plan,
        max_parallel: args.max_parallel.map(i64::from),
        auto_workspace: args.auto_workspace,
        repos: args.repo,
        source_type: args.texts.source_type,
        source_ref: args.texts.source_ref,
        source_content: args.texts.source_content,
        plan_summary: args.texts.plan_summary,
        initial_plan: args.texts.initial_plan,
    };
    let store = cx.store()?;
    let created = workflows::create_workflow(store, wish)?;
    let flow = workflows::flow(store, &created.workflow.id)?;
    let tasks = view::plural(created.tasks.len(), "task");
    cx.answer(
        view::created_workflow(&created, &flow),
        &format!("Created a workflow with {tasks}: {}", created.workflow.id),
    )
}

fn plan_of(args: &CreateArgs, cx: &mut Context) -> Result<Option<Plan>, Failure> {
    if let Some(name) = &args.template {
        return Ok(Some(templates::fill(cx.store()?, name, &args.options.var)?.plan));
    }
    let Some(path) = &args.plan else { return Ok(None) };
    Ok(Some(plan_file(path, cx)?.plan()?))
}

/// A plan file as it was named; `-` is standard input.
pub(crate) fn plan_file(path: &Path, cx: &Context) -> Result<PlanFile, Failure> {
    if path.as_os_str() == "-" {
        return Ok(PlanFile::read("-", std::io::stdin().lock())?);
    }
    Ok(PlanFile::open(&cx.directory().join(path), &cx.directory())?)
}
