//! `bd mcp`: the project for agents without a shell, over the Model Context Protocol on standard input and output.
//!
//! It is a front end like `cli`: each tool call runs the library's operations and returns their results. Asynchronous
//! code exists only here, and is only started by this command.

mod answer;
mod arguments;
mod context;
mod resources;
mod server;
mod tool;
mod tools;
mod wire;
mod words;

pub(crate) use context::Offer;

use std::sync::{Arc, Mutex};

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use crate::store::Config;
use crate::view::Failure;
use context::{Opening, PAUSE};
use server::Server;
use wire::Wire;

/// How many calls run at once; others wait.
const THREADS: usize = 16;

/// Serves standard input and output until the input ends. Running calls are then finished.
pub(crate) fn serve(config: Config, is_named: bool, offer: Offer) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::failed(format!("cannot serve: {error}"));
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(THREADS).build().map_err(|error| failed(&error))?;
    let [a, b, c] = config.host.entropy.bytes();
    let mark = format!("{a:02x}{b:02x}{c:02x}");
    let opening = Arc::new(Opening { config, is_named, offer, mark, used: Mutex::default() });
    let server = Server::new(Arc::clone(&opening));
    let answer = runtime.block_on(async {
        tokio::spawn(keep_claims(opening));
        let wire = Wire::new(rmcp::transport::stdio_pipes());
        let running = loop {
            match server.clone().serve(wire.clone()).await {
                Ok(running) => break running,
                // A client that leaves before it has sent anything.
                Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
                // A notification, or a response without a request: neither is answered, and the client may still
                // initialise.
                Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {}
                // The client gets it as the response to its request.
                Err(ServerInitializeError::InitializeFailed(error)) => return Err(failed(&error.message)),
                Err(error) => return Err(failed(&error)),
            }
        };
        running.waiting().await.map(drop).map_err(|error| failed(&error))
    });
    // Renewing does not keep a server that has ended.
    runtime.shutdown_background();
    answer
}

/// Claims of this server do not end while its client thinks.
async fn keep_claims(opening: Arc<Opening>) {
    let mut pause = PAUSE;
    loop {
        tokio::time::sleep(pause).await;
        let opening = Arc::clone(&opening);
        pause = tokio::task::spawn_blocking(move || opening.renew()).await.unwrap_or(PAUSE);
    }
}
