//! Records of the state home come back as they were, and an edit keeps what this version does not know.

use beads::internal::model::agent::{Agent, Role, Status};
use beads::internal::model::lease::{Holder, Lease, Lost, Owner, Ticks};
use beads::internal::model::message::{Kind, Message, Urgency};
use beads::internal::model::record::Record;
use beads::internal::model::row::Row;
use beads::internal::model::time::Instant;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::cases;

/// Texts that say something: an empty one counts as none.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{1,3}", any::<String>().prop_filter("empty", |text| !text.is_empty())]
}

fn instant() -> impl Strategy<Value = Instant> {
    (0i64..4_000_000_000_000).prop_map(Instant::from_millis)
}

fn owner() -> impl Strategy<Value = Owner> {
    (text(), 0i64..1 << 22, text()).prop_map(|(boot, pid, start)| Owner { boot, pid, start })
}

fn agent() -> impl Strategy<Value = Agent> {
    let values = || select(vec!["1e400", "\"a\\u0062\"", "[1, 2]", "null", "{\"k\":true}"]).prop_map(str::to_owned);
    let metadata = vec((text(), values()), 0..3).prop_map(|mut pairs| {
        pairs.sort();
        pairs.dedup_by(|a, b| a.0 == b.0);
        pairs
    });
    let names = (text(), text(), option::of(text()), option::of(text()), option::of(text()), option::of(text()));
    let words = (select(&Role::ALL[..]), select(&Status::ALL[..]), vec(text(), 0..3), metadata);
    let rest = (option::of(owner()), 1i64..99, instant(), instant());
    (names, words, rest).prop_map(|(names, words, rest)| {
        let (id, name, runtime, host, worktree_id, note) = names;
        let (role, status, capabilities, metadata) = words;
        let (owner, sessions, registered, heartbeat) = rest;
        Agent {
            id,
            name,
            role,
            status,
            runtime,
            capabilities,
            metadata,
            owner,
            host,
            worktree_id,
            note,
            sessions,
            registered,
            heartbeat,
        }
    })
}

fn message() -> impl Strategy<Value = Message> {
    let maybe = || option::of(text());
    let ways = (text(), maybe(), maybe(), text(), text());
    let words = (select(&Kind::ALL[..]), select(&Urgency::ALL[..]), maybe(), any::<String>(), maybe());
    let links = (text(), maybe(), any::<bool>(), maybe());
    let times = (instant(), option::of(instant()), option::of(instant()), option::of(instant()), option::of(instant()));
    (ways, words, links, times).prop_map(|(ways, words, links, times)| {
        let (id, from, from_agent, to, recipient) = ways;
        let (kind, priority, subject, body, issue) = words;
        let (thread, reply_to, wants_ack, worktree_id) = links;
        let (created, expires, read, acked, archived) = times;
        Message {
            id,
            from,
            from_agent,
            to,
            recipient,
            kind,
            priority,
            subject,
            body,
            issue,
            thread,
            reply_to,
            created,
            expires,
            wants_ack,
            worktree_id,
            read,
            acked,
            archived,
        }
    })
}

fn holder() -> impl Strategy<Value = Holder> {
    let maybe = || option::of(text());
    let ticks = (text(), 0i64..1 << 40).prop_map(|(boot, millis)| Ticks { boot, millis });
    let who = (text(), maybe(), text(), text());
    let when = (option::of(0i64..1 << 40), option::of(instant()), option::of(ticks));
    let place = (option::of(owner()), maybe(), maybe(), maybe(), maybe(), maybe(), maybe());
    (who, when, place).prop_map(|((name, agent, acquired, renewed), (ttl, expires, deadline), place)| {
        let (owner, host, worktree_id, worktree, remote, workflow, session) = place;
        let ttl = ttl.map(|millis| millis * 1_000_000);
        Holder {
            name,
            agent,
            acquired,
            renewed,
            ttl,
            expires,
            deadline,
            owner,
            host,
            worktree_id,
            worktree,
            remote,
            workflow,
            session,
        }
    })
}

fn lease() -> impl Strategy<Value = Lease> {
    let lost = vec((text(), 0i64..99).prop_map(|(holder, epoch)| Lost { holder, epoch }), 0..3);
    (text(), 0i64..1 << 40, option::of(holder()), 0i64..9, option::of(text()), lost).prop_map(
        |(id, epoch, holder, attempts, last_error, lost)| Lease { id, epoch, holder, attempts, last_error, lost },
    )
}

/// A row comes back as it was, on one line. Whatever it was before, a line that replaces it says what is now, and keeps what this
/// version does not know.
pub fn comes_back<T: Row + Clone + PartialEq + std::fmt::Debug>(one: T, next: T) -> Result<(), TestCaseError> {
    let line = one.line();
    prop_assert!(!line.contains('\n'));
    let record = Record::parse(&line).unwrap();
    prop_assert_eq!(T::parse(&record), Some(one.clone()));
    prop_assert_eq!(one.line_over(&record), line.clone());
    let later = "{\"deep\":[1.50, \"\\u00e9\"]}";
    let strange = line.replacen('{', &format!("{{\"x-later\": {later},"), 1);
    let edited = next.line_over(&Record::parse(&strange).unwrap());
    let edited = Record::parse(&edited).unwrap();
    prop_assert_eq!(edited.raw("x-later"), Some(later));
    prop_assert_eq!(T::parse(&edited), Some(next));
    Ok(())
}

proptest! {
    #![proptest_config(cases(300, 41))]

    #[test]
    fn an_agent_comes_back_as_it_was(agent in agent(), next in agent()) {
        comes_back(agent, next)?;
    }

    #[test]
    fn a_message_comes_back_as_it_was(message in message(), next in message()) {
        comes_back(message, next)?;
    }

    #[test]
    fn a_lease_comes_back_as_it_was(lease in lease(), next in lease()) {
        comes_back(lease, next)?;
    }
}

#[test]
fn a_word_that_is_not_known_stays() {
    let line = r#"{"id":"ag_1","name":"a","role":"oracle","status":"asleep","registered":"2026-01-05T09:00:00Z","heartbeat":"2026-01-05T09:00:00Z"}"#;
    let record = Record::parse(line).unwrap();
    let mut agent = Agent::parse(&record).unwrap();
    agent.note = Some("n".into());
    let expected = line.replace("Z\"}", "Z\",\"note\":\"n\"}");
    assert_eq!(agent.line_over(&record), expected);
}
