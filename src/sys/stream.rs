//! What programs say while they run.
//!
//! The streams are read without waiting, so a full pipe never stops a program; and what a program said before it ended is there
//! when it has ended, however busy the machine is.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;

/// So many pieces are taken at a time: more than any pipe holds, and an end where somebody never stops talking.
const PIECES: usize = 256;

pub struct Stream {
    /// `None` once it has ended.
    pipe: Option<File>,
    pub kept: Vec<u8>,
    limit: usize,
}

impl Stream {
    /// Keeps so many bytes; the rest is read and dropped.
    pub fn new(pipe: impl Into<OwnedFd>, limit: usize) -> std::io::Result<Self> {
        let pipe = File::from(pipe.into());
        ioctl_fionbio(&pipe, true)?;
        Ok(Stream { pipe: Some(pipe), kept: Vec::new(), limit })
    }

    /// Takes what is there now.
    pub fn take(&mut self) {
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

    pub fn is_over(&self) -> bool {
        self.pipe.is_none()
    }
}

/// Waits until one of the streams says something or ends, or for so long, and takes what is there then.
pub fn listen(streams: &mut [Stream], wait: Duration) {
    let mut open: Vec<PollFd<'_>> =
        streams.iter().filter_map(|stream| Some(PollFd::new(stream.pipe.as_ref()?, PollFlags::IN))).collect();
    match Timespec::try_from(wait) {
        Ok(wait) if !open.is_empty() => drop(poll(&mut open, Some(&wait))),
        _ => sleep(wait),
    }
    streams.iter_mut().for_each(Stream::take);
}
