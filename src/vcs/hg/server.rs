//! The command server of hg: one start for many commands.
//!
//! The server is started like any other command, so the repository's own settings are skipped for everything it runs. An
//! answer is a sequence of frames: a letter, a length, and as many bytes; `o` is output, `e` an error, `r` the exit
//! status and the end of the answer.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use crate::sys::process::Output;
use crate::sys::resident::Resident;

/// The arguments that start a server.
pub(super) const SERVE: [&str; 3] = ["serve", "--cmdserver", "pipe"];

/// Appends a command to the server's input. Arguments never contain a NUL.
pub(super) fn request(input: &mut Vec<u8>, arguments: &[OsString]) {
    let text = arguments.iter().map(|argument| argument.as_bytes()).collect::<Vec<_>>().join(&0);
    input.extend_from_slice(b"runcommand\n");
    input.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    input.extend_from_slice(&text);
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
pub(super) fn greets(server: &Resident, until: Instant) -> bool {
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
) -> Result<Output, Silence> {
    let mut input = Vec::new();
    request(&mut input, arguments);
    if !server.send(&input) {
        return Err(Silence::Gone);
    }
    let mut printed = Vec::new();
    let mut answer = Output { status: ExitStatus::default(), stdout: Vec::new(), stderr: Vec::new() };
    loop {
        let mut rest = printed.as_slice();
        while let Some((channel, bytes, more)) = frame(rest) {
            rest = more;
            match channel {
                b'o' => answer.stdout.extend_from_slice(bytes),
                b'e' => answer.stderr.extend_from_slice(bytes),
                b'r' => {
                    let status = bytes.try_into().map_or(-1, i32::from_be_bytes);
                    answer.status = ExitStatus::from_raw((status & 0xff) << 8);
                    return Ok(answer);
                }
                // It requests input, which we do not have.
                b'A'..=b'Z' if !server.send(&0_u32.to_be_bytes()) => return Err(Silence::Ended),
                _ => {}
            }
        }
        let used = printed.len() - rest.len();
        printed.drain(..used);
        if answer.stdout.len() >= most || printed.len() >= most {
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
        let printed = [framed(b'o', b"one text"), vec![b'L', 0, 0, 16, 0], framed(b'r', &[0, 0, 0, 1])].concat();
        let (channel, text, rest) = frame(&printed).unwrap();
        assert_eq!((channel, text), (b'o', &b"one text"[..]));
        let (channel, text, rest) = frame(rest).unwrap();
        assert_eq!((channel, text), (b'L', &b""[..]), "no bytes follow a request for input");
        assert_eq!(frame(rest), Some((b'r', &[0, 0, 0, 1][..], &b""[..])));
        (0..rest.len()).for_each(|end| assert_eq!(frame(&rest[..end]), None, "cut at {end}"));
        assert_eq!(frame(b"abort: no repository found"), None);
    }

    #[test]
    fn requests() {
        let mut input = Vec::new();
        request(&mut input, &["cat".into(), "a b".into()]);
        assert_eq!(input, b"runcommand\n\0\0\0\x07cat\0a b");
    }
}
