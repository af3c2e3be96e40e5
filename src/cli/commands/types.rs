use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, Types};
use crate::view::{self, Exit, inline};

/// List the issue types
///
/// Those that bd knows, those that types.custom adds, and those that issues of this project bear.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd types\n  bd config set types.custom \"spike,incident\"")]
pub(super) struct TypesArgs {}

const ABOUT: [(&str, &str); 5] = [
    ("task", "a piece of work (the default)"),
    ("bug", "something is wrong"),
    ("feature", "something new"),
    ("chore", "upkeep"),
    ("epic", "a large piece of work with parts"),
];

pub(super) fn run(_: TypesArgs, cx: &mut Context) -> Outcome {
    let Types { custom, more, used } = ops::types(cx.store()?, &ABOUT.map(|(word, _)| word))?;
    json_answer!(cx, view::types(&ABOUT, &custom, &more, &used));
    let mut lines: Vec<[String; 2]> = ABOUT.map(|pair| [pair.0.to_owned(), pair.1.to_owned()]).to_vec();
    for (words, about) in [(custom, "of this project (types.custom)"), (used, "borne by issues here"), (more, "")] {
        lines.extend(words.into_iter().map(|word| [inline(&word).into_owned(), about.to_owned()]));
    }
    render::columns(&mut cx.ui, "", &lines);
    Ok(Exit::Ok)
}
