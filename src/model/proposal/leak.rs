//! Finds private data in a line of a target, by comparing it with the planning repos.

use std::collections::HashSet;

use super::export::{Include, is_public};
use super::{Owner, Proposal, State, Visibility, is_companion, mentions};
use crate::model::issue;
use crate::model::record::Record;

/// Something private in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leak {
    /// The issue is marked as local.
    Local,
    /// A planning repo holds the issue, and it was not proposed.
    Private,
    /// A field, by its name, has the planning copy's private value.
    Field(String),
    /// It depends on an issue that only planning repos hold.
    Dependency(String),
    /// A text mentions an unproposed issue that only planning repos hold.
    Mention(String),
}

/// How a target is recognized.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// The prefixes of its ids.
    pub prefixes: Vec<String>,
    /// The ids, in records, of other projects. Two projects may have one prefix.
    pub others: HashSet<String>,
}

/// Whether a copy in a planning repo was not proposed to this target. One that was proposed to another project is
/// public there only.
pub fn is_private(planning: &Record<'_>, here: &Target) -> bool {
    let offered = |proposal: Proposal| {
        matches!(proposal.state, State::Open | State::Accepted) && here.prefixes.contains(&proposal.target)
    };
    let is_elsewhere = Owner::of(planning).is_some_and(|owner| here.others.contains(&owner.id));
    is_elsewhere || !Proposal::of(planning).is_some_and(offered)
}

/// Whether planning repos hold copies of an issue, and all of them are private. A companion does not count: its issue
/// belongs to the target.
pub fn is_planned_only(planning: &[Record<'_>], here: &Target) -> bool {
    let mut copies = planning.iter().filter(|line| !is_companion(line)).peekable();
    copies.peek().is_some() && copies.all(|copy| is_private(copy, here))
}

/// The private parts of a line in the target. `planning` are the copies of the issue in planning repos, `hidden` tells
/// which ids only planning repos hold, and `unnamed` which of those must not appear in a text, because they were not
/// proposed.
pub fn leaks(
    line: &Record<'_>,
    planning: &[Record<'_>],
    here: &Target,
    hidden: impl Fn(&str) -> bool,
    unnamed: impl Fn(&str) -> bool,
) -> Vec<Leak> {
    let mut found = Vec::new();
    if Visibility::of(line) == Visibility::Local {
        found.push(Leak::Local);
    } else if is_planned_only(planning, here) {
        found.push(Leak::Private);
    }
    // All of it is private: the parts need not be listed.
    if found.is_empty() {
        for copy in planning {
            let fields = private_fields(line, copy).into_iter().map(Leak::Field);
            found.extend(fields.collect::<Vec<_>>());
        }
    }
    let targets = issue::dependencies_of(line).into_iter().map(|dependency| dependency.target);
    found.extend(targets.filter(|target| hidden(target)).map(Leak::Dependency));
    found.extend(mentions(line).into_iter().filter(|word| unnamed(word)).map(Leak::Mention));
    let mut unique: Vec<Leak> = Vec::new();
    found.into_iter().for_each(|leak| {
        if !unique.contains(&leak) {
            unique.push(leak)
        }
    });
    unique
}

/// The fields of a line that have the planning copy's private value.
fn private_fields(line: &Record<'_>, planning: &Record<'_>) -> Vec<String> {
    // Anyone may have written the proposal in the target's line: only the planning copy decides what may be published.
    let include = Proposal::of(planning).map(|proposal| Include::of(&proposal)).unwrap_or_default();
    let mut fields = Vec::new();
    for (key, raw) in line.iter() {
        if is_public(&key) || matches!(raw, "null" | "\"\"" | "[]" | "{}" | "0" | "false" | "true") {
            continue;
        }
        let same = match key.as_ref() {
            "notes" => !include.notes && same_notes(line, planning),
            "comments" => !include.comments && same_comment(line, planning),
            _ => match (line.string(&key), planning.string(&key)) {
                (Some(ours), Some(theirs)) => ours == theirs,
                _ => planning.raw(&key) == Some(raw),
            },
        };
        if same {
            fields.push(key.into_owned());
        }
    }
    fields
}

/// Notes grow at the end, so one text may be the beginning of the other. A short text would match many others.
fn same_notes(line: &Record<'_>, planning: &Record<'_>) -> bool {
    const TELLING: usize = 12;
    let text = |record: &Record<'_>| record.text_of("notes").map(|text| text.trim().to_owned()).unwrap_or_default();
    let (public, private) = (text(line), text(planning));
    let holds = |whole: &str, part: &str| part.len() >= TELLING && whole.contains(part);
    !public.is_empty() && (public == private || holds(&public, &private) || holds(&private, &public))
}

fn same_comment(line: &Record<'_>, planning: &Record<'_>) -> bool {
    let texts = |record: &Record<'_>| -> Vec<String> {
        let parts = record.elements("comments").into_iter().filter_map(|raw| Record::parse_part(raw).ok());
        parts.filter_map(|comment| comment.text_of("text").map(|text| text.trim().to_owned())).collect()
    };
    let private = texts(planning);
    texts(line).iter().any(|text| private.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = r#""visibility":"proposed","proposal":{"id":"prop_1","state":"open","target":"web"}"#;

    fn target(prefix: &str) -> Target {
        Target { prefixes: vec![prefix.into()], others: HashSet::from(["other".to_owned()]) }
    }

    fn found(line: &str, planning: &str) -> Vec<Leak> {
        let planning = Record::parse(planning).unwrap();
        let hidden = |id: &str| id.starts_with("pl-");
        leaks(&Record::parse(line).unwrap(), &[planning], &target("web"), hidden, |id| id == "pl-2")
    }

    #[test]
    fn a_copy_is_private_until_it_is_proposed() {
        let private =
            |rest: &str| is_private(&Record::parse(&format!("{{\"id\":\"pl-1\"{rest}}}")).unwrap(), &target("web"));
        assert!(private("") && private(r#","visibility":"local""#));
        assert!(private(r#","visibility":"local","proposal":{"id":"p","state":"withdrawn"}"#));
        assert!(private(r#","visibility":"local","proposal":{"id":"p","state":"rejected"}"#));
        assert!(!private(&format!(",{OPEN}")));
        assert!(!private(r#","visibility":"canonical","proposal":{"id":"p","state":"accepted","target":"web"}"#));
    }

    #[test]
    fn what_went_to_another_project_is_private_here() {
        for state in ["open", "accepted"] {
            let copy = format!(
                r#"{{"id":"pl-1","title":"T","visibility":"proposed","proposal":{{"id":"p","state":"{state}","target":"api"}}}}"#
            );
            assert!(is_private(&Record::parse(&copy).unwrap(), &target("web")), "{state}");
            assert!(!is_private(&Record::parse(&copy).unwrap(), &target("api")), "{state}");
            assert_eq!(found(r#"{"id":"pl-1","title":"T"}"#, &copy), [Leak::Private], "{state}");
        }
    }

    #[test]
    fn two_projects_may_have_one_prefix() {
        for (owner, private) in [("other", true), ("this", false)] {
            let copy = format!(r#"{{"id":"web-1","title":"T","project":{{"id":"{owner}","name":"web"}},{OPEN}}}"#);
            assert_eq!(is_private(&Record::parse(&copy).unwrap(), &target("web")), private, "{owner}");
        }
    }

    /// The target's line may claim anything.
    #[test]
    fn only_the_planning_copy_decides_what_is_included() {
        let claim =
            r#""visibility":"proposed","proposal":{"id":"prop_1","state":"open","target":"web","include":["notes"]}"#;
        let line = format!(r#"{{"id":"pl-1","notes":"call Ann about it",{claim}}}"#);
        let kept = format!(r#"{{"id":"pl-1","notes":"call Ann about it",{OPEN}}}"#);
        assert_eq!(found(&line, &kept), [Leak::Field("notes".into())]);
        let unproposed = r#"{"id":"pl-1","notes":"call Ann about it"}"#;
        assert_eq!(private_fields(&Record::parse(&line).unwrap(), &Record::parse(unproposed).unwrap()), ["notes"]);
    }

    #[test]
    fn fields_that_are_kept_back() {
        let private = format!(
            r#"{{"id":"pl-1","notes":"call Ann about it","assignee":"ann","odd":{{"a":1}},"pinned":true,"comments":[{{"text":"hm"}}],{OPEN}}}"#
        );
        let of = |rest: &str| found(&format!("{{\"id\":\"pl-1\",{rest},{OPEN}}}"), &private);
        let field = |name: &str| vec![Leak::Field(name.to_owned())];
        assert_eq!(of(r#""notes":"call Ann about it""#), field("notes"));
        assert_eq!(of(r#""notes":"call Ann about it\nand more""#), field("notes"));
        assert_eq!(of(r#""notes":"thanks""#), []);
        assert_eq!(of(r#""comments":[{"text":"other"},{"text":"hm"}]"#), field("comments"));
        assert_eq!(of(r#""comments":[{"text":"other"}]"#), []);
        assert_eq!(of(r#""assignee":"ann""#), field("assignee"));
        assert_eq!(of(r#""assignee":"bob","pinned":true"#), []);
        assert_eq!(of(r#""odd":{"a":1}"#), field("odd"));
        assert_eq!(
            of(r#""dependencies":[{"depends_on_id":"pl-2","type":"blocks"}]"#),
            [Leak::Dependency("pl-2".into())]
        );
        assert_eq!(of(r#""description":"as pl-2, not as pl-3""#), [Leak::Mention("pl-2".into())]);
    }

    #[test]
    fn an_issue_with_a_companion_is_public_and_its_companion_is_not() {
        let companion = r#"{"id":"web-1","title":"T","notes":"call Ann about it","comments":[{"text":"hm"}],"project":{"id":"this"},"visibility":"local","companion":true}"#;
        let of = |rest: &str| found(&format!(r#"{{"id":"web-1","title":"T"{rest}}}"#), companion);
        assert_eq!(of(""), []);
        assert_eq!(of(r#","notes":"thanks""#), []);
        assert_eq!(of(r#","notes":"call Ann about it""#), [Leak::Field("notes".into())]);
        assert_eq!(of(r#","comments":[{"text":"hm"}]"#), [Leak::Field("comments".into())]);
        assert_eq!(found(companion, companion), [Leak::Local]);
        // Beside a private copy, the companion publishes nothing.
        let both = [companion, r#"{"id":"web-1","visibility":"local"}"#].map(|line| Record::parse(line).unwrap());
        assert!(is_planned_only(&both, &target("web")) && !is_planned_only(&both[..1], &target("web")));
    }

    #[test]
    fn what_was_included_may_go() {
        let open =
            r#""visibility":"proposed","proposal":{"id":"prop_1","state":"open","target":"web","include":["notes"]}"#;
        let line = format!(r#"{{"id":"pl-1","notes":"call Ann about it",{open}}}"#);
        assert_eq!(found(&line, &line), []);
    }
}
