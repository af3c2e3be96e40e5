//! Repositories have ids, and one that is in use is not left out.

use crate::cli::plan::workflows::bd;
use crate::support::harness::Env;
use crate::support::repos::joined;

fn rp(env: &Env, name: &str) -> String {
    let all = bd(env, "repo list --json").ok().json();
    let found = all.as_array().unwrap().iter().find(|repo| repo["source_repo"] == name).unwrap().clone();
    found["id"].as_str().unwrap().to_owned()
}

fn home(env: &Env) -> std::path::PathBuf {
    bd(env, "where --json").ok().json()["state_home"].as_str().unwrap().into()
}

#[test]
fn ids_are_listed_and_noted() {
    let env = joined();
    let (own, plan) = (rp(&env, "."), rp(&env, "~/plan"));
    assert!(own.starts_with("rp_") && plan.starts_with("rp_") && own != plan);
    assert_eq!((rp(&env, "."), rp(&env, "~/plan")), (own.clone(), plan.clone()), "they stay");
    let noted = std::fs::read_to_string(home(&env).join("repositories.jsonl")).unwrap();
    assert_eq!(noted.lines().count(), 2, "{noted}");
    assert!(noted.contains(&own) && noted.contains(&plan) && noted.contains("home/plan"), "{noted}");
}

#[test]
fn a_repo_with_a_workflow_stays() {
    let env = joined();
    env.write("plan.toml", "[[tasks]]\nname = \"a\"\n");
    bd(&env, "workflow create There --id plan-w --plan plan.toml --repo ~/plan").ok();
    let settings = std::fs::read(env.path(".beads/config.toml")).unwrap();
    for line in [
        "repo remove ~/plan",
        "config --remove-repo ~/plan",
        "config set repos.exclude ~/plan",
        "config set repos.additional ~/elsewhere",
        "config unset repos.additional",
    ] {
        bd(&env, line).fails(5, &["~/plan stays: it is needed by the workflow plan-w"]);
        assert_eq!(std::fs::read(env.path(".beads/config.toml")).unwrap(), settings, "{line}");
    }
    let error = bd(&env, "repo remove ~/plan --json").error();
    assert_eq!(error["workflows"][0], "plan-w");
    bd(&env, "workflow abandon plan-w -r enough").ok();
    bd(&env, "repo remove ~/plan").ok();
}

#[test]
fn a_repo_with_a_workspace_stays() {
    let env = joined();
    let plan = rp(&env, "~/plan");
    let put = |state: &str| {
        let line =
            format!("{{\"id\":\"ws_0123456789ab\",\"repo\":\"{plan}\",\"state\":\"{state}\",\"path\":\"/x\"}}\n");
        std::fs::write(home(&env).join("workspaces.jsonl"), line).unwrap();
    };
    put("idle");
    bd(&env, "repo remove ~/plan").fails(5, &["~/plan stays: it is needed by the workspace ws_0123456789ab"]);
    put("removed");
    bd(&env, "repo remove ~/plan").ok();
}
