//! What the terminal is like.

/// The columns of the terminal that standard output goes to.
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}
