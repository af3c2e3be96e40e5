//! What the terminal, or whatever standard output goes to, is like.

/// The columns of the terminal that standard output goes to.
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

/// Its rows.
pub fn rows() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_row))
}

/// The columns of the terminal that standard error goes to.
pub fn error_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Somebody can type an answer: standard input is a terminal.
pub fn has_person() -> bool {
    use std::io::IsTerminal as _;
    std::io::stdin().is_terminal()
}

/// Waits until nobody reads standard output any more. `false` if that cannot be told: where it goes nobody reads, such as a file.
pub fn wait_for_hangup() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let out = std::io::stdout();
    let gone = PollFlags::ERR | PollFlags::HUP;
    loop {
        // Errors and hang-ups are told without being asked for.
        let mut fds = [PollFd::new(&out, PollFlags::empty())];
        match poll(&mut fds, None) {
            Ok(_) if fds[0].revents().intersects(gone) => return true,
            Err(rustix::io::Errno::INTR) => {}
            _ => return false,
        }
    }
}
