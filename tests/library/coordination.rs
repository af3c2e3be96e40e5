//! Agents and mail through the library: two stores that act as two agents.

use std::sync::mpsc;
use std::time::Duration;

use beads::internal::model::agent::{Role, Status};
use beads::internal::ops::mail::{self, InboxFilter, Letter, Sender};
use beads::internal::ops::{self, AgentFilter, OpError, Registration};
use beads::internal::store::{AGENT_VARIABLE, Config, STATE_DIR, Store};

use crate::library::scratch::{Scratch, options};
use crate::support::process::Sleeper;

/// A store that acts as an agent.
fn acting(scratch: &Scratch, name: &str) -> Store {
    let mut config = options(scratch.root(), scratch.root());
    config.host.env = config.host.env.with(AGENT_VARIABLE, name);
    let mut store = Store::open_with(config).unwrap();
    ops::join_as_agent(&mut store).unwrap();
    store
}

fn letter(to: &str, body: &str) -> Letter {
    Letter { to: vec![to.to_owned()], body: body.to_owned(), ..Letter::default() }
}

#[test]
fn an_agent_is_what_it_registered_as() {
    let scratch = Scratch::with("");
    let mut store = acting(&scratch, "bob");
    assert_eq!(store.agent().map(|agent| (agent.name.as_str(), agent.id.is_some())), Some(("bob", false)));
    assert!(!scratch.beads().join("run").exists(), "looking made something");
    let capabilities = Some(vec!["rust".to_owned()]);
    let registration =
        Registration { name: "bob".into(), role: Some(Role::Coordinator), capabilities, ..Registration::default() };
    let agent = ops::register(&mut store, registration).unwrap();
    for store in [&store, &acting(&scratch, "bob"), &acting(&scratch, &agent.id)] {
        let known = store.agent().unwrap();
        assert_eq!((known.name.as_str(), known.id.as_ref(), known.is_coordinator), ("bob", Some(&agent.id), true));
        assert_eq!(known.capabilities, ["rust"]);
    }
    assert_eq!(ops::ensure_registered(&mut store).unwrap(), Some(agent.clone()));
    // An agent that left comes back with its former data, under its id.
    let seen = ops::find_agent(&store, "bob").unwrap();
    ops::unregister(&mut store, &seen, None).unwrap();
    assert_eq!(acting(&scratch, "bob").agent().unwrap().id, None);
    let back = ops::ensure_registered(&mut acting(&scratch, "bob")).unwrap().unwrap();
    assert_eq!((&back.id, back.role, back.sessions, back.status), (&agent.id, Role::Coordinator, 2, Status::Online));
    // A person is not an agent.
    assert_eq!(ops::ensure_registered(&mut scratch.open()).unwrap(), None);
}

#[test]
fn an_id_that_nobody_has_is_refused() {
    let scratch = Scratch::with("");
    let mut config = options(scratch.root(), scratch.root());
    config.host.env = config.host.env.with(AGENT_VARIABLE, "ag_0123456789ab");
    let error = ops::join_as_agent(&mut Store::open_with(config).unwrap()).unwrap_err();
    assert!(matches!(error, OpError::NoSuchAgent { .. }), "{error}");
}

#[test]
fn a_named_state_home_is_shared_by_repos() {
    let (one, two) = (Scratch::with(""), Scratch::with(""));
    let shared = crate::support::place::in_memory("shared");
    let open = |scratch: &Scratch| {
        let mut config: Config = options(scratch.root(), scratch.root());
        config.host.env = config.host.env.with(STATE_DIR, shared.path().join("state"));
        Store::open_with(config).unwrap()
    };
    let registration = Registration { name: "bob".into(), ..Registration::default() };
    ops::register(&mut open(&one), registration).unwrap();
    assert_eq!(ops::agents(&open(&two), &AgentFilter::default()).unwrap().len(), 1);
    assert!(!one.beads().join("run").exists() && !two.beads().join("run").exists());
}

#[test]
fn the_program_itself_can_send() {
    let scratch = Scratch::with("");
    let mut bob = acting(&scratch, "bob");
    ops::ensure_registered(&mut bob).unwrap();
    let mut person = scratch.open();
    mail::send(&mut person, Letter { from: Sender::System, ..letter("bob", "your claim is over") }).unwrap();
    let found = mail::inbox(&bob, &InboxFilter::default()).unwrap();
    assert_eq!((found.len(), &found[0].from, &found[0].from_agent), (1, &None, &None));
    let error = mail::reply(&mut bob, &found[0].id, letter("", "why?")).unwrap_err();
    assert!(matches!(error, OpError::NoSender { .. }), "{error}");
}

#[test]
fn mail_wakes_the_one_who_waits() {
    let scratch = Scratch::with("");
    let mut bob = acting(&scratch, "bob");
    ops::ensure_registered(&mut bob).unwrap();
    let (tell, told) = mpsc::channel();
    let (send, woken) = mpsc::channel();
    let waiter = std::thread::spawn(move || {
        tell.send(Sleeper::this_thread()).unwrap();
        for _ in 0..5 {
            let came = mail::wait_for_mail(&mut bob, &InboxFilter::default(), Duration::from_secs(600)).unwrap();
            came.messages.iter().for_each(|message| drop(mail::read(&bob, &message.id).unwrap()));
            send.send(came).unwrap();
        }
    });
    let mut sleeper = told.recv().unwrap();
    let mut person = scratch.open();
    for n in 0..5 {
        sleeper.until_asleep();
        mail::send(&mut person, letter("bob", &n.to_string())).unwrap();
        let came = sleeper.until_woken(|| woken.try_recv().ok());
        assert_eq!((came.messages.len(), came.polled), (1, None));
    }
    waiter.join().unwrap();
}
