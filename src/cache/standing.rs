//! The state of every unfinished issue as a value that can be compared, to predict how a change of some rows affects
//! the others.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::schema::DONE;
use super::{Cache, Key, Result, UnknownIds};

/// For each unfinished issue the reasons why it cannot be worked on; for an epic, also whether all its children are
/// closed. An issue that is not listed has no such reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    facts: BTreeMap<String, BTreeSet<Fact>>,
}

type Fact = (&'static str, String, String, bool);

impl Standing {
    /// The issues that differ in the other one.
    pub fn differing(&self, other: &Standing) -> Vec<String> {
        let ids: BTreeSet<&String> = self.facts.keys().chain(other.facts.keys()).collect();
        ids.into_iter().filter(|id| self.facts.get(*id) != other.facts.get(*id)).cloned().collect()
    }
}

impl Cache {
    pub fn standing(&mut self, unknown: UnknownIds) -> Result<Standing> {
        self.compute_front(unknown)?;
        let mut standing = Standing::default();
        for (what, sql) in [
            ("blocker", "SELECT id, blocker, type, known FROM blockers"),
            ("holding", "SELECT id, '', '', 0 FROM holding"),
            ("ancestor", "SELECT id, '', '', 0 FROM inherited"),
            (
                "children",
                "SELECT i.id, '', '', 0 FROM epics e JOIN live i ON i.key = e.key WHERE e.children > e.closed",
            ),
            (
                "complete",
                "SELECT i.id, '', '', 0 FROM epics e JOIN live i ON i.key = e.key WHERE e.children > 0 AND e.children = e.closed",
            ),
        ] {
            let rows: Vec<(String, Fact)> =
                self.all(sql, [], |row| Ok((row.get(0)?, (what, row.get(1)?, row.get(2)?, row.get(3)?))))?;
            for (id, fact) in rows {
                standing.facts.entry(id).or_default().insert(fact);
            }
        }
        Ok(standing)
    }

    /// The same without some rows; the database comes from [`Cache::to_bytes`].
    pub fn standing_without(bytes: &[u8], keys: &[Key], unknown: UnknownIds) -> Result<Standing> {
        let mut cache = Self::from_bytes(bytes)?;
        cache.remove(keys)?;
        cache.standing(unknown)
    }

    /// Ids of closed issues that others may depend on: a quick guess that includes too many.
    pub fn leaned_on(&mut self, unknown: UnknownIds) -> Result<HashSet<String>> {
        self.compute_kin()?;
        let unknown = i64::from(unknown != UnknownIds::Done);
        let sql = format!(
            "WITH open_edges AS (SELECT e.* FROM edges e JOIN live i ON i.key = e.key WHERE i.status NOT IN {DONE}),
                  spawners AS (SELECT coalesce(spawner, target) AS id FROM open_edges WHERE type = 'waits-for')
             SELECT target FROM open_edges WHERE type = 'conditional-blocks' OR type = 'blocks' AND {unknown}
             UNION SELECT id FROM spawners
             UNION SELECT child FROM kin WHERE parent IN (SELECT id FROM spawners)
             UNION SELECT child FROM kin WHERE child IN (SELECT parent FROM kin)
             UNION SELECT child FROM kin JOIN live i ON i.id = kin.parent WHERE i.type = 'epic' AND i.status NOT IN {DONE}"
        );
        self.all(&sql, [], |row| row.get(0))
    }
}
