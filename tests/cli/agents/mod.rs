//! Agents and other programs that call `bd`: registering, mail, `bd mcp`, `bd prime`, `bd setup`, known clients.

mod clients;
mod clients_old;
mod clients_strict;
mod fleet;
mod mail;
mod mail_many;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_bad;
#[cfg(feature = "mcp")]
mod mcp_talk;
mod orchestrator;
mod prime;
mod prime_agent;
mod programs;
mod readonly;
mod registering;
mod setup;
mod setup_kept;
mod setup_refused;
