//! The states of a workflow, and the legal moves. The table in `docs/workflows.md` is [`State::next`].

use crate::model::words::words;
use std::fmt;

use crate::model::dependency::is_failure;
use crate::model::issue::Status;

words! {
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum State {
        /// It has no plan yet.
        #[default]
        Planning = "planning",
        /// It has tasks that cannot be claimed yet.
        Ready = "ready",
        /// Its tasks can be claimed.
        InProgress = "in_progress",
        /// No further task can be claimed; running ones continue.
        Paused = "paused",
        /// The work is done, but not merged.
        AwaitingMerge = "awaiting_merge",
        /// Given up for now.
        Failed = "failed",
        Completed = "completed",
        Abandoned = "abandoned",
    }
}

impl State {
    /// Reads a word as people type it: `awaiting-merge` means `awaiting_merge`.
    pub fn typed(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase().replace(['-', ' '], "_");
        State::parse(&word)
    }

    /// The table of moves: the states that may follow.
    pub fn next(self) -> &'static [State] {
        use State::*;
        match self {
            Planning => &[Ready, Abandoned],
            Ready => &[InProgress, Abandoned],
            InProgress => &[Paused, Completed, Failed, Abandoned, AwaitingMerge],
            Paused => &[InProgress, Abandoned],
            AwaitingMerge => &[Completed, Abandoned, InProgress],
            Failed => &[InProgress, Abandoned],
            Completed | Abandoned => &[],
        }
    }

    pub fn is_final(self) -> bool {
        self.next().is_empty()
    }

    /// Whether a move to a state is legal here, or would change nothing.
    pub fn permit(self, to: State) -> Option<Permit> {
        if self == to {
            return Some(Permit::Already);
        }
        self.next().contains(&to).then_some(Permit::Do)
    }

    /// The command that makes a move from here.
    pub fn command_to(self, to: State) -> &'static str {
        match (self, to) {
            (_, State::Planning) => "replan",
            (_, State::Ready) => "set --state ready",
            (State::Planning | State::Ready, State::InProgress) => "start",
            (_, State::InProgress) => "resume",
            (_, State::Paused) => "pause",
            (_, State::AwaitingMerge) => "complete --await-merge",
            (_, State::Failed) => "fail",
            (_, State::Completed) => "complete",
            (_, State::Abandoned) => "abandon",
        }
    }

    /// The legal moves as text: each state with its command.
    pub fn ways_on(self) -> String {
        let ways: Vec<String> =
            self.next().iter().map(|to| format!("{to} (bd workflow {})", self.command_to(*to))).collect();
        if ways.is_empty() { "nothing, it is over".to_owned() } else { ways.join(", ") }
    }

    /// The issue's status in this state.
    pub fn status(self) -> Status {
        Status::new(match self {
            State::Planning | State::Ready => "open",
            State::InProgress | State::AwaitingMerge => "in_progress",
            State::Paused => "deferred",
            State::Failed => "blocked",
            State::Completed | State::Abandoned => "closed",
        })
    }

    /// The effective state of a workflow whose issue has this status. A tool that knows no workflows may have closed or
    /// reopened the issue; then the status decides. Otherwise the workflow's own state does.
    pub fn under(self, status: &Status, close_reason: Option<&str>) -> State {
        match (status.is_done(), self.is_final()) {
            (true, false) if close_reason.is_some_and(is_failure) || status.is_tombstone() => State::Abandoned,
            (true, false) => State::Completed,
            (false, true) => match status.as_str() {
                "in_progress" => State::InProgress,
                "deferred" => State::Paused,
                "blocked" => State::Failed,
                _ => State::Ready,
            },
            _ => self,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How a legal move is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    Do,
    /// It is already in that state.
    Already,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of `docs/workflows.md`, written out: `+` legal, `=` already so, `-` illegal.
    #[test]
    fn every_move_from_every_state() {
        let table = [
            (State::Planning, "=+-----+"),
            (State::Ready, "-=+----+"),
            (State::InProgress, "--=+++++"),
            (State::Paused, "--+=---+"),
            (State::AwaitingMerge, "--+-=-++"),
            (State::Failed, "--+--=-+"),
            (State::Completed, "------=-"),
            (State::Abandoned, "-------="),
        ];
        assert_eq!(table.map(|(state, _)| state), State::ALL);
        for (state, row) in table {
            let found: String = State::ALL
                .map(|to| match state.permit(to) {
                    Some(Permit::Do) => '+',
                    Some(Permit::Already) => '=',
                    None => '-',
                })
                .into_iter()
                .collect();
            assert_eq!(found, row, "{state}");
            assert_eq!(state.is_final(), !row.contains('+'), "{state}");
        }
    }

    #[test]
    fn words_go_both_ways() {
        for state in State::ALL {
            assert_eq!(State::typed(state.word()), Some(state));
        }
        assert_eq!(State::typed("Awaiting-Merge"), Some(State::AwaitingMerge));
        assert_eq!(State::typed("done"), None);
    }

    #[test]
    fn the_status_of_an_older_tool_counts_where_it_ends_or_reopens() {
        let under = |state: State, status: &str, reason| state.under(&Status::new(status), reason);
        for state in State::ALL {
            assert_eq!(under(state, state.status().as_str(), None), state, "{state} agrees with its own status");
        }
        assert_eq!(under(State::Ready, "closed", None), State::Completed);
        assert_eq!(under(State::InProgress, "closed", Some("wontfix")), State::Abandoned);
        assert_eq!(under(State::Paused, "tombstone", None), State::Abandoned);
        assert_eq!(under(State::Completed, "open", None), State::Ready);
        assert_eq!(under(State::Abandoned, "in_progress", None), State::InProgress);
        assert_eq!(
            under(State::Ready, "in_progress", None),
            State::Ready,
            "a claim of the workflow's issue is no start"
        );
    }
}
