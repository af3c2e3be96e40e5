//! A program enables only what it needs.

use std::process::Command;

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
