//! The ledgers that are measured: every run makes the same.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A small generator of its own.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn words(&mut self, count: u64) -> String {
        const WORDS: [&str; 16] = [
            "parser", "cache", "ledger", "merge", "branch", "token", "agent", "commit", "deploy", "login", "retry",
            "queue", "index", "review", "flaky", "release",
        ];
        (0..count).map(|_| WORDS[self.below(16) as usize]).collect::<Vec<_>>().join(" ")
    }
}

/// The word that two issues of a ledger have.
pub const RARE: &str = "zyzzyva";

/// The id of the nth issue, in the order of the file.
pub fn id(n: usize) -> String {
    format!("bd-{:08}", n * 89)
}

/// Every fifth issue is open and neither waits for another nor is waited for, so that there is always one to close.
pub fn free(turn: usize) -> usize {
    turn * 5
}

fn is_free(n: usize) -> bool {
    n.is_multiple_of(5)
}

/// Writes repos that share their issues, each with its own part: about 800 bytes a line, 60 % closed, under one dependency an
/// issue, and each dependency on any issue filed before, in whichever repo.
pub fn write(root: &Path, ledger: &str, parts: &[(&str, usize)]) -> Vec<PathBuf> {
    let count: usize = parts.iter().map(|(_, count)| count).sum();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ count as u64);
    let mut next = 0..count;
    let mut made = Vec::new();
    for (name, part) in parts {
        let dir = root.join(name);
        std::fs::create_dir_all(dir.join(".beads")).unwrap();
        let file = std::fs::File::create(dir.join(".beads").join(ledger)).unwrap();
        let mut file = std::io::BufWriter::with_capacity(1 << 20, file);
        for n in next.by_ref().take(*part) {
            let rare = n == count / 3 || n == count / 2;
            file.write_all(line(n, &mut dice, rare).as_bytes()).unwrap();
        }
        file.flush().unwrap();
        made.push(dir);
    }
    made
}

fn line(n: usize, dice: &mut Dice, rare: bool) -> String {
    let closed = dice.below(4) < 3 && !is_free(n);
    let mut line = format!(
        r#"{{"id":"{}","title":"{}","description":"{}{}","status":"{}","priority":{},"issue_type":"{}","created_at":"2025-{:02}-11T10:00:00Z","created_by":"ann","updated_at":"2026-01-11T10:00:00Z""#,
        id(n),
        dice.words(6),
        dice.words(64),
        if rare { format!(" {RARE}") } else { String::new() },
        if closed { "closed" } else { "open" },
        dice.below(5),
        ["task", "bug", "feature", "epic", "chore"][dice.below(5) as usize],
        dice.below(12) + 1,
    );
    if closed {
        line.push_str(r#","closed_at":"2026-02-01T10:00:00Z""#);
    }
    if dice.below(10) < 3 {
        line.push_str(&format!(r#","labels":["{}"]"#, dice.words(1)));
    }
    let target = dice.below(n.max(1) as u64) as usize;
    if dice.below(10) < 9 && !is_free(n) && !is_free(target) {
        let kind = ["blocks", "blocks", "parent-child", "related"][dice.below(4) as usize];
        line.push_str(&format!(
            r#","dependencies":[{{"issue_id":"{}","depends_on_id":"{}","type":"{kind}","created_at":"2025-01-01T10:00:00Z","created_by":"ann"}}]"#,
            id(n),
            id(target)
        ));
    }
    line.push_str("}\n");
    line
}
