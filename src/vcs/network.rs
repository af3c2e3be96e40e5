//! The environment variables for programs that reach a remote: agents, proxies, certificates, and password prompts.

use crate::sys::process::Program;

/// Variables for all of them.
const ANY: [&str; 18] = [
    "SSH_ASKPASS",
    "SSH_AGENT_PID",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// Further variables for git and its login helpers.
const GIT: [&str; 9] = [
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_ASKPASS",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "USER",
    "GH_TOKEN",
    "GITHUB_TOKEN",
];

/// A program that talks to a remote.
pub(super) fn passing(program: Program<'_>) -> Program<'_> {
    ANY.into_iter().fold(program, Program::passing)
}

/// git, or a program that runs it.
pub(super) fn passing_git(program: Program<'_>) -> Program<'_> {
    GIT.into_iter().fold(passing(program), Program::passing)
}
