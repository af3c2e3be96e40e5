//! Properties of the terminal, or of whatever standard output is.

/// The columns of the terminal on standard output.
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

/// Its rows.
pub fn rows() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_row))
}

/// The columns of the terminal on standard error.
pub fn error_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Whether a person can type an answer: standard input is a terminal.
pub fn has_person() -> bool {
    use std::io::IsTerminal as _;
    std::io::stdin().is_terminal()
}

/// Waits until standard output has no reader any more. `false` if this is unknown because there is never one, as with a
/// file.
pub fn wait_for_hangup() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let out = std::io::stdout();
    let gone = PollFlags::ERR | PollFlags::HUP;
    loop {
        // Errors and hang-ups are reported without a request.
        let mut fds = [PollFd::new(&out, PollFlags::empty())];
        match poll(&mut fds, None) {
            Ok(_) if fds[0].revents().intersects(gone) => return true,
            Err(rustix::io::Errno::INTR) => {}
            _ => return false,
        }
    }
}
