//! What `bd lint` wants is the project's choice.

use crate::support::harness::Env;

#[test]
fn a_project_says_which_sections_its_types_need() {
    let env = Env::new();
    env.given("add Todo --id bd-1\nadd Bug --id bd-2 -t bug\nadd Epic --id bd-3 -t epic");
    let missing = |env: &Env| -> Vec<String> {
        let found = env.bd(["lint", "--json"]).json();
        let rows = found["results"].as_array().unwrap().iter();
        rows.map(|one| format!("{} {}", one["id"].as_str().unwrap(), one["missing"])).collect()
    };
    assert_eq!(missing(&env).len(), 3, "by type");
    env.bd(["config", "set", "lint.sections", "bug: Steps to Reproduce, Version", "epic:"]).ok();
    assert_eq!(missing(&env), ["bd-2 [\"Steps to Reproduce\",\"Version\"]"]);
    env.bd(["lint"]).fails(1, &[]);
    env.bd(["update", "bd-2", "-d", "## Version\n3\n## Steps to reproduce\nrun it"]).ok();
    env.bd(["lint"]).ok();
    // A slip of the pen does not turn the check off.
    for odd in ["task", "nosuchtype: X"] {
        env.bd(["config", "set", "lint.sections", odd]).ok();
        env.bd(["lint"]).fails(2, &[odd.split(':').next().unwrap()]);
    }
}
