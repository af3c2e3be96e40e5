//! Ids of records in the state home: a prefix for the kind, and 12 characters of `0-9a-z`.

pub const AGENT: &str = "ag_";
pub const CHECKPOINT: &str = "cp_";
pub const MARK: &str = "mk_";
pub const MESSAGE: &str = "msg_";
pub const REPOSITORY: &str = "rp_";
pub const RESERVATION: &str = "rs_";
pub const TEMPLATE: &str = "tmpl_";
pub const WORKFLOW: &str = "wf_";
pub const WORKSPACE: &str = "ws_";
pub const WORKTREE: &str = "wt_";

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const LENGTH: usize = 12;

/// Mints an id from 62 of these random bits.
pub fn mint(prefix: &str, random: [u8; 16]) -> String {
    let mut number = u128::from_le_bytes(random);
    let mut id = prefix.to_owned();
    for _ in 0..LENGTH {
        id.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    id
}

/// Whether a text looks like an id with this prefix.
pub fn is(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix)
        .is_some_and(|rest| rest.len() == LENGTH && rest.bytes().all(|byte| DIGITS.contains(&byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_its_form() {
        let id = mint(AGENT, [7; 16]);
        assert!(is(AGENT, &id) && !is(MESSAGE, &id), "{id}");
        assert_ne!(mint(AGENT, [8; 16]), id);
        for odd in ["ag_", "ag_short", "ag_ABCDEFGHIJKL", "ag_0123456789ab0", "0123456789ab"] {
            assert!(!is(AGENT, odd), "{odd}");
        }
    }
}
