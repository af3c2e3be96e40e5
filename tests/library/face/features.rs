//! A program enables only what it needs.

use std::process::Command;

/// What is serialised, and what is read back; checked by the compiler.
#[cfg(feature = "serde")]
const _: () = {
    const fn can_be_serialised<T: serde::Serialize>() {}
    const fn can_be_read<T: serde::de::DeserializeOwned>() {}
    can_be_serialised::<beads::Issue>();
    can_be_serialised::<beads::Comment>();
    can_be_serialised::<beads::Dependency>();
    can_be_serialised::<beads::IssueId>();
    can_be_read::<beads::IssueId>();
};

#[cfg(feature = "serde")]
#[test]
fn an_issue_is_serialised_with_the_keys_of_its_line() {
    let line = r#"{"id":"bd-1","title":"T","status":"open","priority":1,"issue_type":"bug","estimated_minutes":30,"created_at":"2026-01-05T09:00:00Z","due_at":"2026-02-01","labels":["rust"],"dependencies":[{"issue_id":"bd-1","depends_on_id":"bd-2","type":"blocks"}],"comments":[{"id":7,"issue_id":"bd-1","author":"ann","text":"no \"luck\"","created_at":"2026-01-06T09:00:00Z"}],"later":[1e400]}"#;
    let scratch = crate::library::scratch::Scratch::with(format!("{line}\n"));
    let issue = super::open(&scratch).get("bd-1").expect("an answer").expect("an issue");
    let text = serde_json::to_string(&issue).expect("JSON");
    let dependencies = r#"[{"type":"blocks","depends_on_id":"bd-2"}]"#;
    let comments = r#"[{"id":"7","author":"ann","text":"no \"luck\"","created_at":"2026-01-06T09:00:00.000Z"}]"#;
    let expected = format!(
        r#"{{"id":"bd-1","title":"T","status":"open","priority":1,"issue_type":"bug","estimated_minutes":30,"created_at":"2026-01-05T09:00:00Z","due_at":"2026-02-01","labels":["rust"],"dependencies":{dependencies},"comments":{comments}}}"#
    );
    assert_eq!(text, expected);
    let id: beads::IssueId = serde_json::from_str(r#""bd-1""#).expect("an id");
    assert_eq!(serde_json::to_string(&id).expect("JSON"), r#""bd-1""#);
    assert!(&id == issue.id() && serde_json::from_str::<beads::IssueId>("\"\"").is_err());
}

#[test]
fn a_map_of_ids_is_asked_by_text() {
    let id: beads::IssueId = "bd-1".parse().expect("an id");
    assert_eq!(std::collections::HashMap::from([(id, 1)]).get("bd-1"), Some(&1));
    assert_eq!("a\nb".parse::<beads::IssueId>().expect_err("no id").kind(), beads::ErrorKind::Invalid);
}

/// The names of the libraries that a build with some features has.
fn libraries(features: &[&str]) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--quiet", "--edges", "normal", "--prefix", "none", "--no-default-features"]);
    cargo.args(["--features", &features.join(",")]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = cargo.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut names: Vec<String> =
        text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// That each of them compiles, `.ci/run` shows.
#[test]
fn each_feature_brings_its_own_libraries() {
    let bare = libraries(&[]);
    let features: [(&str, &[&str]); 3] =
        [("cli", &["clap", "clap_complete", "unicode-width"]), ("git", &["gix"]), ("watch", &["notify"])];
    for (feature, own) in features {
        let with = libraries(&[feature]);
        for library in own {
            let has = |list: &[String]| list.iter().any(|name| name == library);
            assert!(has(&with) && !has(&bare), "{feature}: {library}");
        }
    }
    let all = libraries(&["default"]).len();
    println!("{} libraries with nothing, {all} with everything", bare.len());
    assert!(bare.len() * 2 < all, "{} of {all}", bare.len());
}
