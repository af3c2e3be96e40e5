//! What a tool is: its name, what it takes and what it does. The schema that clients read and the check of what they send come from
//! the same row, so a schema cannot promise what the check refuses.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::arguments::{Argument, Arguments, Kind, must};
use super::context::{Context, Offer};
use crate::view::Failure;

/// A row of the table of tools.
pub(super) struct Tool {
    pub name: &'static str,
    pub about: &'static str,
    /// Only with `--tools all`.
    pub is_extra: bool,
    pub writes: Writes,
    /// Calling it again with the same arguments changes nothing more.
    pub is_idempotent: bool,
    pub arguments: &'static [Argument],
    /// The schema of what it answers, where that is small.
    pub output: Option<&'static str>,
    pub run: fn(&mut Context, &Arguments) -> Answer,
}

/// Whether a tool changes anything.
#[derive(Debug, Clone, Copy)]
pub(super) enum Writes {
    Never,
    Always,
    /// With some values of `action`: those that only look come first, this many of them.
    After(usize),
}

/// The argument that names the project, with `--multi`.
pub(super) const DIRECTORY: Argument = must("dir", Kind::Text, "Project directory");

impl Tool {
    pub(super) fn is_offered(&self, offer: Offer) -> bool {
        (offer.all || !self.is_extra) && !(offer.read_only && matches!(self.writes, Writes::Always))
    }

    /// The arguments that it takes on this server.
    pub(super) fn taken(&self, offer: Offer) -> impl Iterator<Item = &'static Argument> {
        let directory = offer.multi.then_some(&DIRECTORY);
        directory.into_iter().chain(self.arguments)
    }

    /// Checks what a client sends against this row.
    pub(super) fn check(&self, given: Map<String, Value>, offer: Offer) -> Result<Arguments, Failure> {
        let known: Vec<&Argument> = self.taken(offer).collect();
        Arguments::check(given, &known, self.name, &|one, words| self.words(one, words, offer))
    }

    /// The words of an argument on this server: a server that only reads knows no action that writes.
    pub(super) fn words(
        &self,
        argument: &Argument,
        words: &'static [&'static str],
        offer: Offer,
    ) -> &'static [&'static str] {
        match self.writes {
            Writes::After(looking) if offer.read_only && argument.name == "action" => &words[..looking],
            _ => words,
        }
    }

    /// As clients see it.
    pub(super) fn listed(&self, offer: Offer) -> Listed {
        let only_looks = offer.read_only || matches!(self.writes, Writes::Never);
        let hints = ToolAnnotations::new().read_only(only_looks).open_world(false);
        let hints = if only_looks { hints } else { hints.destructive(false).idempotent(self.is_idempotent) };
        let arguments: Vec<&Argument> = self.taken(offer).collect();
        let mut tool =
            Listed::new(self.name, self.about, Arc::new(self.object(&arguments, offer))).with_annotations(hints);
        let output = self.output.map(|text| serde_json::from_str(text).expect("a schema in the table is JSON"));
        tool.output_schema = output.map(|schema: JsonObject| Arc::new(schema));
        tool
    }

    fn object(&self, arguments: &[&Argument], offer: Offer) -> JsonObject {
        let properties: Map<String, Value> =
            arguments.iter().map(|one| (one.name.to_owned(), self.property(one, offer))).collect();
        let required: Vec<&str> = arguments.iter().filter(|one| one.is_required).map(|one| one.name).collect();
        let mut schema =
            Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), properties.into())]);
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }

    fn property(&self, argument: &Argument, offer: Offer) -> Value {
        let mut schema = match argument.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::Number { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Word(words) => json!({ "enum": self.words(argument, words, offer) }),
            Kind::Words(words) => json!({ "type": "array", "items": { "enum": words } }),
            Kind::Objects(keys) => {
                let keys: Vec<&Argument> = keys.iter().collect();
                json!({ "type": "array", "items": self.object(&keys, offer) })
            }
        };
        if !argument.about.is_empty() {
            schema["description"] = json!(argument.about);
        }
        schema
    }
}
