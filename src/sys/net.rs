//! Ports of this machine.

use std::net::{Ipv4Addr, TcpListener};

/// Whether no program listens on a port now, as far as a trial shows.
pub fn is_free(port: u16) -> bool {
    [Ipv4Addr::LOCALHOST, Ipv4Addr::UNSPECIFIED].into_iter().all(|address| TcpListener::bind((address, port)).is_ok())
}
