//! `bd mcp`: the project for agents that have no shell, over the Model Context Protocol on standard input and output.
//!
//! It is a front end like `cli`: a tool calls the operations of the library, once per call, and answers with what they say. All that
//! is asynchronous stays in here, and nothing of it is made before the command is called.

mod answer;
mod arguments;
mod context;
mod resources;
mod server;
mod tool;
mod tools;
mod wire;
mod words;

pub use context::Offer;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use crate::store::Config;
use crate::view::Failure;
use context::Opening;
use server::Server;
use wire::Wire;

/// Calls that are worked on at once; the others wait for their turn.
const THREADS: usize = 16;

/// Answers on standard input and output until the input ends. What is worked on then is finished.
pub fn serve(config: Config, is_named: bool, offer: Offer) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::failed(format!("cannot serve: {error}"));
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(THREADS).build().map_err(|error| failed(&error))?;
    let [a, b, c] = config.host.entropy.bytes();
    let mark = format!("{a:02x}{b:02x}{c:02x}");
    let server = Server::new(Opening { config, is_named, offer, mark });
    runtime.block_on(async {
        let wire = Wire::new(rmcp::transport::stdio_pipes());
        let running = loop {
            match server.clone().serve(wire.clone()).await {
                Ok(running) => break running,
                // A client that leaves before it has said anything.
                Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
                // A notification, or an answer that nobody asked for: neither is ever answered, and the client may still begin.
                Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {}
                // The client has it as an answer to its request.
                Err(ServerInitializeError::InitializeFailed(error)) => return Err(failed(&error.message)),
                Err(error) => return Err(failed(&error)),
            }
        };
        running.waiting().await.map(drop).map_err(|error| failed(&error))
    })
}
