//! A project whose repos are under git, jj and hg, and one `bd sync` for all of them.

use std::fs;

use serde_json::Value;

use crate::support::effort::pick;
use crate::support::programs::have;
use crate::sync::world::{Desk, Way, World, by_id};

const WAYS: [(&str, Way); 3] = [("g", Way::Git), ("j", Way::Jj), ("h", Way::Hg)];

/// A project in git that joins a repo in jj and one in hg, cloned from three servers.
fn project(world: &World, person: &str) -> Vec<Desk> {
    let clone = |(server, way): &(&str, Way)| world.clone(server, &format!("{person}-{server}"), *way);
    let desks: Vec<Desk> = WAYS.iter().map(clone).collect();
    let roots: Vec<String> = desks[1..].iter().map(|desk| desk.root.display().to_string()).collect();
    let settings = desks[0].home().join("config/beads");
    fs::create_dir_all(&settings).unwrap();
    fs::write(settings.join("config.toml"), format!("[repos]\nadditional = {roots:?}\n[commit]\nplanning = false\n"))
        .unwrap();
    // One person, one home: the project's.
    let home = &desks[0];
    desks.iter().map(|desk| home.at(desk.root.clone(), desk.way)).collect()
}

fn two_projects(world: &World) -> [Vec<Desk>; 2] {
    for (server, way) in WAYS {
        world.server(server, way == Way::Hg);
    }
    ["ann", "bob"].map(|person| project(world, person))
}

/// Files an issue in each of the three repos, from the project.
fn file(project: &[Desk], word: &str) -> Vec<String> {
    let add = |desk: &Desk| {
        let said = project[0].ok(&["add", word, "--repo", desk.root.to_str().unwrap()]);
        said.trim().rsplit(' ').next().unwrap().to_owned()
    };
    project.iter().map(add).collect()
}

fn sync(project: &[Desk]) -> (Option<i32>, Vec<Value>) {
    let output = project[0].run(&["sync", "--json"]);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", crate::sync::world::describe(&output)));
    (output.status.code(), report["repos"].as_array().unwrap().clone())
}

fn kinds(repos: &[Value]) -> Vec<&str> {
    repos.iter().map(|repo| repo["vcs"].as_str().unwrap()).collect()
}

#[test]
fn all_three_in_one_sync() {
    if !have(&["git", "jj", "hg"]) {
        return;
    }
    let world = World::new();
    let [ann, bob] = two_projects(&world);
    let (by_ann, by_bob) = (file(&ann, "from Ann"), file(&bob, "from Bob"));
    for project in [&ann, &bob, &ann] {
        let (code, repos) = sync(project);
        assert_eq!((code, kinds(&repos)), (Some(0), vec!["git", "jj", "hg"]), "{repos:?}");
    }
    for n in 0..3 {
        assert!(ann[n].bytes() == bob[n].bytes(), "{:?}: the ledgers differ", ann[n].way);
        let lines = by_id(&ann[n].bytes());
        assert!(lines.contains_key(&by_ann[n]) && lines.contains_key(&by_bob[n]), "{:?}: {lines:?}", ann[n].way);
        assert_eq!((ann[n].dirty(), bob[n].dirty()), (String::new(), String::new()));
    }
    // Both change the same issues, each another field.
    for id in &by_bob {
        ann[0].ok(&["update", id, "--priority", "0"]);
        bob[0].ok(&["comment", id, "seen"]);
    }
    for project in [&ann, &bob, &ann] {
        assert_eq!(sync(project).0, Some(0));
    }
    for n in 0..3 {
        for desk in [&ann[n], &bob[n]] {
            let line = &by_id(&desk.bytes())[&by_bob[n]];
            assert_eq!(
                (&line["priority"], &line["comments"][0]["text"]),
                (&0.into(), &"seen".into()),
                "{:?}",
                desk.way
            );
        }
    }
    let (code, repos) = sync(&bob);
    assert_eq!(code, Some(0));
    assert!(repos.iter().all(|repo| repo["committed"] == false && repo["pushed"] == false), "{repos:?}");
}

#[test]
fn one_broken_remote_does_not_stop_the_others() {
    if !have(&["git", "jj", "hg"]) {
        return;
    }
    for (broken, (server, way)) in WAYS.into_iter().enumerate().skip(pick(2, 2, 0)) {
        let world = World::new();
        let [ann, bob] = two_projects(&world);
        let made = file(&ann, "from Ann");
        fs::rename(world.path(server), world.path("away")).unwrap();
        let (code, repos) = sync(&ann);
        assert_eq!(code, Some(1), "{way:?}: {repos:?}");
        for (n, repo) in repos.iter().enumerate() {
            let error = repo["error"]["message"].as_str().unwrap_or_default();
            assert_eq!((!error.is_empty(), repo["pushed"] == true), (n == broken, n != broken), "{way:?}: {repo}");
            assert_eq!(repo["committed"], true, "{way:?}: without the network the ledger is committed all the same");
        }
        assert_eq!(sync(&bob).0, Some(1));
        for n in 0..3 {
            assert_eq!(by_id(&bob[n].bytes()).contains_key(&made[n]), n != broken, "{way:?}");
        }
        fs::rename(world.path("away"), world.path(server)).unwrap();
        for project in [&ann, &bob] {
            assert_eq!(sync(project).0, Some(0), "{way:?}");
        }
        assert!(by_id(&bob[broken].bytes()).contains_key(&made[broken]), "{way:?}");
    }
}
