//! Reads the output of running programs.
//!
//! The streams are read without blocking, so a full pipe never stops a program; and all output from before a program's
//! end has arrived when it ends, however busy the machine is.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;

/// The number of reads in a row: more than any pipe holds, and a limit for programs that never stop writing.
const PIECES: usize = 256;

pub(super) struct Stream {
    /// `None` once the stream has ended.
    pipe: Option<File>,
    pub kept: Vec<u8>,
    limit: usize,
}

impl Stream {
    /// Keeps `limit` bytes; the rest is read and dropped.
    pub(super) fn new(pipe: impl Into<OwnedFd>, limit: usize) -> std::io::Result<Self> {
        let pipe = File::from(pipe.into());
        ioctl_fionbio(&pipe, true)?;
        Ok(Stream { pipe: Some(pipe), kept: Vec::new(), limit })
    }

    /// Reads the available bytes.
    pub(super) fn take(&mut self) {
        let mut chunk = [0; 8192];
        for _ in 0..PIECES {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut chunk) {
                Ok(length @ 1..) => {
                    let room = self.limit - self.kept.len();
                    self.kept.extend_from_slice(&chunk[..length.min(room)]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Ok(0) | Err(_) => self.pipe = None,
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.pipe.is_none()
    }
}

/// Waits until a stream has data or ends, at most `wait`, then reads the available bytes.
pub(super) fn listen(streams: &mut [Stream], wait: Duration) {
    let mut open: Vec<PollFd<'_>> =
        streams.iter().filter_map(|stream| Some(PollFd::new(stream.pipe.as_ref()?, PollFlags::IN))).collect();
    match Timespec::try_from(wait) {
        Ok(wait) if !open.is_empty() => drop(poll(&mut open, Some(&wait))),
        _ => sleep(wait),
    }
    streams.iter_mut().for_each(Stream::take);
}
