//! Tables that are derived from the rows: parents and children, blockers, which issues can be worked on, and counts.
//!
//! Each table is filled when a query needs it. After a change of a few rows only the affected part is computed again.
//! The rule itself is [`crate::model::ready`].

use std::collections::BTreeMap;

use rusqlite::params;

use super::known::{Issues, Row};
use super::schema::DONE;
use super::{Cache, Key, Result};
use crate::model::query::Field;
use crate::model::ready::{self, UnknownIds};

/// The fields by which issues are counted in advance.
pub(super) const TALLIED: &[Field] = &[Field::Status, Field::Priority, Field::Type];

/// Up to this many changed rows are followed one by one; more recompute everything.
const FEW: usize = 500;

impl Cache {
    /// Fills `kin`.
    pub(super) fn compute_kin(&mut self) -> Result<()> {
        if self.kin_known {
            return Ok(());
        }
        self.own_copy()?;
        self.db.execute_batch(
            "DELETE FROM kin;
             INSERT INTO kin SELECT i.id, e.target FROM edges e JOIN live i ON i.key = e.key WHERE e.type = 'parent-child';",
        )?;
        self.kin_known = true;
        Ok(())
    }

    /// Fills every table of the rule in [`crate::model::ready`].
    pub(super) fn compute_front(&mut self, unknown: UnknownIds) -> Result<()> {
        if self.front_known == Some(unknown) {
            return Ok(());
        }
        self.own_copy()?;
        self.index()?;
        self.compute_kin()?;
        self.db.execute_batch(
            "BEGIN; DELETE FROM blockers; DELETE FROM holding; DELETE FROM inherited; DELETE FROM front; DELETE FROM held;
             DELETE FROM epics;",
        )?;
        let issues = Issues::all(&self.db)?;
        self.put_blockers(&issues, unknown)?;
        self.compute_inherited()?;
        self.put_front(&issues.rows)?;
        self.count_front()?;
        self.db.execute_batch("COMMIT")?;
        self.front_known = Some(unknown);
        Ok(())
    }

    /// Stores the unfinished blockers of these issues.
    fn put_blockers(&self, issues: &Issues, unknown: UnknownIds) -> Result<()> {
        let mut put = self.db.prepare_cached("INSERT INTO blockers VALUES (?1, ?2, ?3, ?4)")?;
        for (id, blocker) in issues.blockers(unknown) {
            if issues.node(id).is_some_and(|node| !node.is_done()) {
                put.execute(params![id, blocker.id, blocker.kind, blocker.known])?;
            }
        }
        Ok(())
    }

    /// Fills `holding` and `inherited`.
    fn compute_inherited(&self) -> Result<()> {
        let holding = self.find_holding()?;
        if holding.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "SELECT c.id FROM kin JOIN live c ON c.id = kin.child WHERE kin.parent = ?1 AND c.status NOT IN {DONE}"
        );
        let inherited = ready::inherited(&holding, |parent| self.all(&sql, [parent], |row| row.get(0)))?;
        for (table, ids) in [("holding", holding), ("inherited", inherited)] {
            let mut note = self.db.prepare_cached(&format!("INSERT INTO {table} VALUES (?1)"))?;
            for id in ids {
                note.execute([id])?;
            }
        }
        Ok(())
    }

    /// The parents that wait for an issue which is not below them.
    fn find_holding(&self) -> Result<Vec<String>> {
        let sql =
            "SELECT DISTINCT b.id, b.blocker, EXISTS (SELECT 1 FROM kin WHERE kin.child = b.blocker) FROM blockers b
                   WHERE b.id IN (SELECT parent FROM kin) ORDER BY b.id";
        let candidates = self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        ready::holding(candidates, |child| {
            self.all("SELECT parent FROM kin WHERE child = ?1", [child], |row| row.get(0))
        })
    }

    /// Inserts issues into `front`, `held` and `epics`, as they belong.
    fn put_front(&self, rows: &[Row]) -> Result<()> {
        let waits =
            "SELECT EXISTS (SELECT 1 FROM blockers WHERE id = ?1) OR EXISTS (SELECT 1 FROM inherited WHERE id = ?1)";
        let mut waits = self.db.prepare_cached(waits)?;
        let mut front = self.db.prepare_cached("INSERT INTO front VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
        let mut held = self.db.prepare_cached("INSERT INTO held VALUES (?1, ?2, ?3, ?4)")?;
        let mut epic = self.db.prepare_cached("INSERT INTO epics VALUES (?1, ?2, ?3)")?;
        for Row { key, id, node, priority, created, is_proposed, urgent } in
            rows.iter().filter(|row| !row.node.is_done())
        {
            let waits: bool = waits.query_row([id], |row| row.get(0))?;
            if let Some((offer, since)) = node.offer(waits) {
                let proposed = if *is_proposed { *created } else { 0 };
                let kind = offer as i64;
                front.execute(params![key, id, is_proposed, proposed, urgent, priority, created, since, kind])?;
            }
            if node.is_held(waits) {
                held.execute(params![key, id, priority, created])?;
            }
            if node.is_open_epic() {
                epic.execute(params![key, node.children.all, node.children.closed])?;
            }
        }
        Ok(())
    }

    fn count_front(&self) -> Result<()> {
        self.db.execute_batch(
            "DELETE FROM numbers;
             INSERT INTO numbers SELECT 'front', kind, sum(since IS NULL)
               FROM (SELECT kind, since FROM front UNION ALL VALUES (0, 1), (1, 1), (2, 1)) GROUP BY kind;
             INSERT INTO numbers SELECT 'held', 0, count(*) FROM held;",
        )?;
        Ok(())
    }

    /// Removes rows from `front`, `held` and `epics`.
    fn leave_front(&self, keys: &str) -> Result<()> {
        self.shift_numbers('-', keys)?;
        self.db.execute_batch(&format!(
            "DELETE FROM front WHERE key IN {keys}; DELETE FROM held WHERE key IN {keys};
             DELETE FROM epics WHERE key IN {keys};"
        ))?;
        Ok(())
    }

    /// Adds these rows of `front` and `held` to the known counts, or subtracts them.
    fn shift_numbers(&self, sign: char, keys: &str) -> Result<()> {
        self.db.execute_batch(&format!(
            "UPDATE numbers SET n = n {sign} (SELECT count(*) FROM front
               WHERE key IN {keys} AND since IS NULL AND front.kind = numbers.kind) WHERE name = 'front';
             UPDATE numbers SET n = n {sign} (SELECT count(*) FROM held WHERE key IN {keys}) WHERE name = 'held';"
        ))?;
        Ok(())
    }

    /// Fills `tally`.
    pub(super) fn compute_tally(&mut self) -> Result<()> {
        if !self.tally_known {
            // There are few groups: counting them here saves SQLite from sorting every row.
            let mut tally: BTreeMap<(String, i64, String), [i64; 3]> = BTreeMap::new();
            let mut statement = self.db.prepare(&format!("SELECT status, priority, type, {LEAD} FROM live"))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let lead: Option<i64> = row.get(3)?;
                let counts = tally.entry((row.get(0)?, row.get(1)?, row.get(2)?)).or_default();
                let more = [1, lead.unwrap_or(0), i64::from(lead.is_some())];
                counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
            }
            self.db.execute("DELETE FROM tally", [])?;
            let mut statement = self.db.prepare("INSERT INTO tally VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for ((status, priority, kind), [n, lead, leads]) in tally {
                statement.execute(params![status, priority, kind, n, lead, leads])?;
            }
            self.tally_known = true;
        }
        Ok(())
    }

    /// Adds a row to the counts, or subtracts it.
    fn count_row(&self, key: Key, by: i64) -> Result<()> {
        let sql = format!(
            "INSERT INTO tally SELECT status, priority, type, ?2, coalesce({LEAD}, 0) * ?2, ({LEAD} IS NOT NULL) * ?2
             FROM live WHERE key = ?1
             ON CONFLICT DO UPDATE SET n = n + excluded.n, lead = lead + excluded.lead, leads = leads + excluded.leads"
        );
        self.db.prepare_cached(&sql)?.execute([key, by])?;
        self.db.prepare_cached("DELETE FROM tally WHERE n = 0")?.execute([])?;
        Ok(())
    }

    /// Changes a few rows and updates the derived tables. Keys of new rows must be new.
    pub fn change<'a>(&mut self, source: usize, gone: &[Key], added: Vec<(Key, super::Entry<'a>)>) -> Result<()> {
        if gone.is_empty() && added.is_empty() {
            return Ok(());
        }
        let known = (self.kin_known, self.front_known, self.tally_known);
        if gone.len() + added.len() > FEW {
            self.remove(gone)?;
            return self.insert(source, added);
        }
        self.db.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS changed (id TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM changed;
             CREATE TEMP TABLE IF NOT EXISTS touched (id TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM touched;",
        )?;
        for key in gone {
            if self.tally_known {
                self.count_row(*key, -1)?;
            }
            self.db.execute("INSERT OR IGNORE INTO changed SELECT id FROM issues WHERE key = ?1", [key])?;
            self.leave_front(&format!("({key})"))?;
        }
        let keys: Vec<Key> = added.iter().map(|(key, _)| *key).collect();
        self.remove(gone)?;
        self.insert(source, added)?;
        (self.kin_known, self.front_known, self.tally_known) = known;
        for key in keys {
            if self.tally_known {
                self.count_row(key, 1)?;
            }
            self.db.execute("INSERT OR IGNORE INTO changed SELECT id FROM issues WHERE key = ?1", [key])?;
        }
        self.follow()
    }

    /// Recomputes everything that the issues in `changed` affect.
    fn follow(&self) -> Result<()> {
        if !self.kin_known {
            return Ok(());
        }
        self.db.execute_batch(
            "INSERT INTO touched SELECT id FROM changed;
             INSERT OR IGNORE INTO touched SELECT parent FROM kin WHERE child IN (SELECT id FROM changed);
             DELETE FROM kin WHERE child IN (SELECT id FROM changed);
             INSERT INTO kin SELECT i.id, e.target FROM live i CROSS JOIN edges e ON e.key = i.key AND e.type = 'parent-child'
               WHERE i.id IN (SELECT id FROM changed);
             INSERT OR IGNORE INTO touched SELECT parent FROM kin WHERE child IN (SELECT id FROM changed);",
        )?;
        let Some(unknown) = self.front_known else { return Ok(()) };
        // Rows that wait for one of these, or for the children of one.
        self.db.execute_batch(
            "INSERT OR IGNORE INTO touched SELECT i.id FROM edges e JOIN live i ON i.key = e.key
               WHERE e.target IN (SELECT id FROM changed);
             INSERT OR IGNORE INTO touched SELECT i.id FROM edges e JOIN live i ON i.key = e.key
               WHERE e.type = 'waits-for' AND coalesce(e.spawner, e.target) IN (SELECT id FROM touched);
             DELETE FROM blockers WHERE id IN (SELECT id FROM touched);",
        )?;
        self.put_blockers(&Issues::touched(&self.db)?, unknown)?;
        let has_kin = "SELECT EXISTS (SELECT 1 FROM touched t JOIN kin ON kin.parent = t.id)
                           OR EXISTS (SELECT 1 FROM touched t JOIN kin ON kin.child = t.id)
                           OR EXISTS (SELECT 1 FROM touched t JOIN inherited h ON h.id = t.id)
                           OR EXISTS (SELECT 1 FROM touched t JOIN holding h ON h.id = t.id)";
        if self.db.query_row(has_kin, [], |row| row.get(0))? {
            self.db.execute_batch(
                "CREATE TEMP TABLE IF NOT EXISTS earlier (id TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM earlier;
                 INSERT INTO earlier SELECT id FROM inherited; DELETE FROM holding; DELETE FROM inherited;",
            )?;
            self.compute_inherited()?;
            self.db.execute_batch(
                "INSERT OR IGNORE INTO touched SELECT id FROM earlier WHERE id NOT IN (SELECT id FROM inherited);
                 INSERT OR IGNORE INTO touched SELECT id FROM inherited WHERE id NOT IN (SELECT id FROM earlier);",
            )?;
        }
        let keys = "(SELECT i.key FROM issues i WHERE i.id IN (SELECT id FROM touched))";
        self.leave_front(keys)?;
        let issues = Issues::touched(&self.db)?;
        self.put_front(issues.touched_rows())?;
        self.shift_numbers('+', keys)
    }
}

/// From creation to closing, in seconds: the sum of microseconds of a million issues would overflow.
pub(super) const LEAD: &str = "CASE WHEN status = 'closed' AND closed >= created THEN (closed - created) / 1000000 END";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Entry;
    use crate::model::record::Record;
    use crate::model::when::Calendar;
    use crate::sys::Clock;

    /// All derived tables, as text.
    fn computed(cache: &Cache) -> Vec<String> {
        let mut all = Vec::new();
        for (table, columns) in [
            ("kin", "child || '|' || parent"),
            ("blockers", "id || '|' || blocker || '|' || type || '|' || known"),
            ("holding", "id"),
            ("inherited", "id"),
            (
                "front",
                "key || '|' || id || '|' || urgent || '|' || priority || '|' || coalesce(since, '-') || '|' || kind",
            ),
            ("held", "key || '|' || id || '|' || priority"),
            ("epics", "key || '|' || children || '|' || closed"),
            ("numbers", "name || '|' || kind || '|' || n"),
            ("tally", "status || '|' || priority || '|' || type || '|' || n || '|' || lead || '|' || leads"),
        ] {
            let mut statement = cache.db.prepare(&format!("SELECT {columns} FROM {table} ORDER BY 1")).unwrap();
            let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
            all.extend(rows.map(|row| format!("{table} {}", row.unwrap())));
        }
        all
    }

    fn calendar() -> Calendar {
        Clock::System.calendar()
    }

    fn entry(line: &str) -> Entry<'_> {
        Entry::read(&Record::parse(line).unwrap(), &calendar)
    }

    /// A random issue, with any parent and blockers.
    fn any_line(n: u64, random: &mut impl FnMut(u64) -> u64) -> String {
        let status = ["open", "open", "open", "closed", "in_progress", "blocked", "deferred", "tombstone"];
        let kind = ["task", "epic", "epic", "bug", "message"];
        let edges: Vec<String> = (0..random(3))
            .map(|_| {
                let word = ["blocks", "parent-child", "parent-child", "waits-for", "conditional-blocks", "related"];
                let spawner = if random(2) == 0 {
                    String::new()
                } else {
                    format!(",\"metadata\":\"{{\\\"spawner_id\\\":\\\"a{}\\\"}}\"", random(12))
                };
                format!("{{\"depends_on_id\":\"a{}\",\"type\":\"{}\"{spawner}}}", random(12), word[random(6) as usize])
            })
            .collect();
        let label = ["", "baseline-failure", "discovered:blocker"][random(3) as usize];
        format!(
            "{{\"id\":\"a{n}\",\"title\":\"t\",\"status\":\"{}\",\"issue_type\":\"{}\",\"priority\":{},\"labels\":[\"{label}\"],\"created_at\":\"2026-01-0{}T00:00:00Z\",\"closed_at\":\"2026-02-01T00:00:00Z\",\"close_reason\":\"{}\",\"dependencies\":[{}]}}",
            status[random(8) as usize],
            kind[random(5) as usize],
            random(4),
            1 + random(9),
            ["done", "failed: no"][random(2) as usize],
            edges.join(",")
        )
    }

    #[test]
    fn what_follows_a_change_is_what_is_computed_from_nothing() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        for round in 0..60 {
            let unknown = [UnknownIds::Done, UnknownIds::MayBeOpen, UnknownIds::Block][round % 3];
            let mut lines: Vec<(Key, String)> = (0..12).map(|n| (n as Key + 1, any_line(n, &mut random))).collect();
            let mut cache = Cache::empty().unwrap();
            cache.insert(0, lines.iter().map(|(key, line)| (*key, entry(line)))).unwrap();
            cache.compute_front(unknown).unwrap();
            cache.compute_tally().unwrap();
            let mut next = 100;
            for step in 0..12 {
                let (mut gone, mut added) = (Vec::new(), Vec::new());
                for _ in 0..=random(2) {
                    let n = random(12);
                    let id = format!("\"a{n}\"");
                    if let Some(at) = lines.iter().position(|(_, line)| line.contains(&format!("{{\"id\":{id}"))) {
                        if added.contains(&lines[at].0) {
                            continue;
                        }
                        gone.push(lines.remove(at).0);
                    }
                    if random(5) > 0 {
                        lines.push((next, any_line(n, &mut random)));
                        added.push(next);
                        next += 1;
                    }
                }
                let new: Vec<(Key, Entry<'_>)> = lines
                    .iter()
                    .filter(|(key, _)| added.contains(key))
                    .map(|(key, line)| (*key, entry(line)))
                    .collect();
                cache.change(0, &gone, new).unwrap();
                let mut fresh = Cache::empty().unwrap();
                fresh.insert(0, lines.iter().map(|(key, line)| (*key, entry(line)))).unwrap();
                fresh.compute_front(unknown).unwrap();
                fresh.compute_tally().unwrap();
                assert!(cache.front_known.is_some() && cache.tally_known, "it followed");
                assert_eq!(computed(&cache), computed(&fresh), "round {round}, step {step}");
                let odd: String = fresh.db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
                assert_eq!(odd, "ok", "the indexes of a first load");
            }
        }
    }
}
