//! What becomes of dependencies on ids that no ledger holds.

/// Whether a dependency on an id that no ledger holds blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownIds {
    /// It may have been pruned: it counts as done.
    #[default]
    Done,
    /// Some ledger cannot be read: the id may be in there, unless it names another project's work.
    MayBeOpen,
    Block,
}

impl UnknownIds {
    /// The rule of a number.
    pub(super) fn of(number: i64) -> Option<Self> {
        [UnknownIds::Done, UnknownIds::MayBeOpen, UnknownIds::Block].into_iter().find(|rule| *rule as i64 == number)
    }

    /// Whether such an id blocks.
    pub(super) fn blocks(self, id: &str) -> bool {
        const ELSEWHERE: &str = "external:";
        match self {
            UnknownIds::Done => false,
            UnknownIds::MayBeOpen => {
                !id.get(..ELSEWHERE.len()).is_some_and(|start| start.eq_ignore_ascii_case(ELSEWHERE))
            }
            UnknownIds::Block => true,
        }
    }

    /// Whether the id in a column blocks, as SQL.
    pub(super) fn blocking(self, column: &str) -> String {
        match self {
            UnknownIds::Done => "0".to_owned(),
            UnknownIds::MayBeOpen => format!("{column} NOT LIKE 'external:%'"),
            UnknownIds::Block => "1".to_owned(),
        }
    }
}
