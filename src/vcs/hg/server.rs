//! The command server of hg: one start for many commands.
//!
//! The server is started like any other command, so the repository's own settings are skipped for everything it runs. A
//! batch of requests goes to a server that ends with the last; single ones go to one that stays. An answer is a
//! sequence of frames: a letter, a length, and as many bytes; `o` is output, `e` an error, `r` the exit status and the
//! end of the answer.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use crate::sys::resident::Resident;

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Answer {
    pub status: i32,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
}

/// The arguments that start a server.
pub(super) const SERVE: [&str; 3] = ["serve", "--cmdserver", "pipe"];

/// Appends a command to the server's input. Arguments never contain a NUL.
pub(super) fn request(input: &mut Vec<u8>, arguments: &[OsString]) {
    let text = arguments.iter().map(|argument| argument.as_bytes()).collect::<Vec<_>>().join(&0);
    input.extend_from_slice(b"runcommand\n");
    input.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    input.extend_from_slice(&text);
}

/// The complete answers. The server's greeting comes first and does not count.
pub(super) fn answers(mut printed: &[u8]) -> Vec<Answer> {
    let (mut found, mut open) = (Vec::new(), Answer::default());
    let mut is_greeting = true;
    while let Some((channel, bytes, rest)) = frame(printed) {
        printed = rest;
        match channel {
            b'o' if is_greeting => is_greeting = false,
            b'o' if open.out.is_empty() => open.out = bytes.to_vec(),
            b'o' => open.out.extend_from_slice(bytes),
            b'e' => open.err.extend_from_slice(bytes),
            b'r' => {
                open.status = bytes.try_into().map_or(-1, i32::from_be_bytes);
                found.push(std::mem::take(&mut open));
            }
            // Upper case requests input, which we do not have; other letters are remarks.
            _ => {}
        }
    }
    found
}

fn frame(printed: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (head, rest) = printed.split_first_chunk::<5>()?;
    let [channel, length @ ..] = *head;
    // A request for input gives a length, and no bytes follow.
    let length = if channel.is_ascii_uppercase() { 0 } else { u32::from_be_bytes(length) as usize };
    let (bytes, rest) = rest.split_at_checked(length)?;
    Some((channel, bytes, rest))
}

/// Why a running server gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// The request did not reach it: another way can be tried.
    Gone,
    /// It ended in the middle of its work.
    Ended,
    /// It timed out.
    Late,
    /// Its output exceeded the limit.
    TooMuch,
}

/// Reads a server's greeting: whether it can run commands at all.
pub(super) fn greets(server: &mut Resident, until: Instant) -> bool {
    let mut printed = Vec::new();
    while frame(&printed).is_none() {
        match server.receive(until) {
            Ok(more) => printed.extend(more),
            Err(_) => return false,
        }
    }
    let is_known = |text: &[u8]| String::from_utf8_lossy(text).contains("runcommand");
    frame(&printed).is_some_and(|(channel, text, rest)| channel == b'o' && rest.is_empty() && is_known(text))
}

/// Sends one command to a running server.
pub(super) fn ask(
    server: &mut Resident,
    arguments: &[OsString],
    until: Instant,
    most: usize,
) -> Result<Answer, Silence> {
    let mut input = Vec::new();
    request(&mut input, arguments);
    if !server.send(&input) {
        return Err(Silence::Gone);
    }
    let (mut printed, mut answer) = (Vec::new(), Answer::default());
    loop {
        let mut rest = printed.as_slice();
        while let Some((channel, bytes, more)) = frame(rest) {
            rest = more;
            match channel {
                b'o' => answer.out.extend_from_slice(bytes),
                b'e' => answer.err.extend_from_slice(bytes),
                b'r' => {
                    answer.status = bytes.try_into().map_or(-1, i32::from_be_bytes);
                    return Ok(answer);
                }
                // It requests input, which we do not have.
                b'A'..=b'Z' if !server.send(&0_u32.to_be_bytes()) => return Err(Silence::Ended),
                _ => {}
            }
        }
        printed = rest.to_vec();
        if answer.out.len() >= most || printed.len() >= most {
            return Err(Silence::TooMuch);
        }
        printed.extend(server.receive(until).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Late,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(channel: u8, bytes: &[u8]) -> Vec<u8> {
        [&[channel], &(bytes.len() as u32).to_be_bytes()[..], bytes].concat()
    }

    #[test]
    fn frames() {
        let printed = [
            framed(b'o', b"capabilities: runcommand"),
            framed(b'o', b"one "),
            framed(b'o', b"text"),
            framed(b'r', &[0, 0, 0, 0]),
            framed(b'e', b"no such file"),
            vec![b'L', 0, 0, 16, 0],
            framed(b'r', &[0, 0, 0, 1]),
        ]
        .concat();
        let one = Answer { status: 0, out: b"one text".to_vec(), err: Vec::new() };
        let two = Answer { status: 1, out: Vec::new(), err: b"no such file".to_vec() };
        assert_eq!(answers(&printed), [one.clone(), two]);
        (0..printed.len()).for_each(|end| assert!(answers(&printed[..end]).len() < 2, "cut at {end}"));
        assert_eq!(answers(&printed[..printed.len() - 1]), [one]);
        assert_eq!(answers(b"abort: no repository found"), []);
    }

    #[test]
    fn requests() {
        let mut input = Vec::new();
        request(&mut input, &["cat".into(), "a b".into()]);
        assert_eq!(input, b"runcommand\n\0\0\0\x07cat\0a b");
    }
}
