//! Processes as owners of leases: a process id may later mean another process, on another boot or in another container.

use crate::model::lease::Owner;

/// Identifies a running process, so that its end can be detected later; `None` if the system does not tell.
pub fn owner(pid: u32) -> Option<Owner> {
    Some(Owner { boot: place()?, pid: i64::from(pid), start: start(i64::from(pid))? })
}

/// Whether the process has certainly ended. Nothing is known about another machine, boot or container.
pub fn is_gone(owner: &Owner) -> bool {
    place().is_some_and(|here| here == owner.boot) && start(owner.pid).is_none_or(|now| now != owner.start)
}

/// Whether the process runs; `None` if this is unknown, because it belongs to another machine, boot or container.
pub fn is_alive(owner: &Owner) -> Option<bool> {
    let here = place().filter(|here| *here == owner.boot)?;
    (!here.is_empty()).then(|| start(owner.pid).is_some_and(|now| now == owner.start))
}

/// The boot and the process namespace.
fn place() -> Option<String> {
    let set = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", super::clock::boot()?, set.display()))
}

/// The start time of a process; `None` if it does not exist, or has ended and was not reaped yet.
fn start(pid: i64) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain blanks and brackets; the fields follow the last bracket.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

/// The host name.
pub fn host_name() -> Option<String> {
    rustix::system::uname().nodename().to_str().ok().map(str::to_owned).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_until_it_ends() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let Some(known) = owner(child.id()) else {
            child.kill().unwrap();
            child.wait().unwrap();
            let is_linux = cfg!(target_os = "linux");
            assert!(!is_linux, "Linux tells");
            return;
        };
        assert!(!is_gone(&known));
        assert_eq!(is_alive(&known), Some(true));
        assert_eq!(is_alive(&Owner { boot: "elsewhere".into(), ..known.clone() }), None);
        assert!(is_gone(&Owner { start: "0".into(), ..known.clone() }), "another process under that number");
        assert!(!is_gone(&Owner { boot: "elsewhere".into(), ..known.clone() }), "nobody can know");
        child.kill().unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(120);
        while !is_gone(&known) {
            assert!(std::time::Instant::now() < until, "dead, whether or not its parent has noticed");
        }
        child.wait().unwrap();
        assert!(is_gone(&known));
    }
}
