//! What must not leave, and the hooks that watch over it.

use super::{Object, array};
use crate::model::proposal::Leak;
use crate::store::{Found, FoundLeak, HooksStatus, LeakReport};

/// A leak in words: which field, and never what it says.
pub fn leak_text(found: &Found) -> String {
    match found {
        Found::Path(what) => format!("the path of {what}"),
        Found::Issue { id, leak } => match leak {
            Leak::Local => format!("an issue that is local: {id}"),
            Leak::Private => format!("a private issue of a planning repo: {id}"),
            Leak::Field(field) => format!("the private {field} of {id}"),
            Leak::Dependency(target) => format!("{id} depends on a private issue: {target}"),
            Leak::Mention(target) => format!("the text of {id} mentions a private issue: {target}"),
        },
    }
}

pub fn leaks(report: &LeakReport) -> String {
    let items = report.leaks.iter().map(|leak: &FoundLeak| {
        let object = Object::new()
            .optional("commit", leak.commit.as_deref())
            .text("file", &leak.file)
            .number("line", leak.line as i64)
            .text("kind", leak.found.kind());
        let object = match &leak.found {
            Found::Path(_) => object,
            Found::Issue { id, leak } => match leak {
                Leak::Field(field) => object.text("id", id).text("field", field),
                Leak::Dependency(target) => object.text("id", id).text("depends_on_id", target),
                Leak::Mention(target) => object.text("id", id).text("names", target),
                Leak::Local | Leak::Private => object.text("id", id),
            },
        };
        object.text("message", &leak_text(&leak.found)).finish()
    });
    Object::new()
        .flag("ok", report.leaks.is_empty())
        .number("checked", report.checked as i64)
        .raw("leaks", &array(items))
        .texts("skipped", &report.skipped)
        .finish()
}

pub fn hooks(status: &HooksStatus, changed: bool) -> String {
    let hooks = status.hooks.iter().map(|hook| {
        let chained = hook.chained.as_ref().map(|path| path.display().to_string());
        Object::new()
            .text("name", &hook.name)
            .text("state", hook.state)
            .optional("chained", chained.as_deref())
            .finish()
    });
    let file = status.driver.file.as_ref().map(|file| file.display().to_string());
    let driver = Object::new()
        .text("state", status.driver.state)
        .optional("command", status.driver.command.as_deref())
        .optional("file", file.as_deref())
        .flag("shared", status.driver.shared);
    Object::new()
        .flag("installed", status.installed)
        .flag("changed", changed)
        .text("directory", &status.directory.display().to_string())
        .raw("hooks", &array(hooks))
        .texts("remarks", &status.remarks)
        .raw("merge_driver", &driver.finish())
        .finish()
}
