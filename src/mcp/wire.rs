//! The lines on standard input and output, one message each.
//!
//! The SDK's own reader ignores a line that is not JSON, and omits the id of a message that it refuses. Here each is
//! answered as JSON-RPC 2.0 demands: with the id if it can be read, else with `null`. A notification is never answered.

use std::collections::HashSet;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};

use rmcp::RoleServer;
use rmcp::model::ErrorCode;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, Notify};

/// The longest message.
const MOST: usize = 16 << 20;
/// So many calls may wait for their answers; then no more are read.
const OPEN: usize = 1024;

type Writer<W> = Arc<Mutex<Option<W>>>;

/// Copies share the same two ends.
pub(super) struct Wire<R, W> {
    read: Arc<Mutex<Reader<R>>>,
    write: Writer<W>,
    open: Arc<OpenCalls>,
}

/// The calls that have no answer yet, by their ids.
#[derive(Default)]
struct OpenCalls {
    ids: std::sync::Mutex<HashSet<String>>,
    fewer: Notify,
}

/// What tells calls and answers apart.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
    method: Option<String>,
    params: Option<Cancelled>,
}

#[derive(Deserialize)]
struct Cancelled {
    #[serde(rename = "requestId")]
    id: Option<Value>,
}

impl OpenCalls {
    /// A message came, or an answer goes: a call opens; an answer, or that it is cancelled, ends it.
    fn note(&self, message: &[u8]) {
        let Ok(Head { id, method, params }) = serde_json::from_slice(message) else { return };
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        match (id, method) {
            (Some(id), Some(_)) => drop(ids.insert(id.to_string())),
            (id, _) => {
                if let Some(ended) = id.or(params.and_then(|params| params.id)) {
                    ids.remove(&ended.to_string());
                }
                self.fewer.notify_waiters();
            }
        }
    }

    /// Waits until no more than `count` calls are open.
    async fn at_most(&self, count: usize) {
        loop {
            let fewer = self.fewer.notified();
            if self.ids.lock().unwrap_or_else(PoisonError::into_inner).len() <= count {
                return;
            }
            fewer.await;
        }
    }
}

struct Reader<R> {
    read: BufReader<R>,
    /// The beginning of a line. It is stored here because reading is cancelled and repeated when an answer is ready
    /// first.
    line: Vec<u8>,
    is_too_long: bool,
    /// A refusal being written, stored for the same reason.
    refusing: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
}

impl<R: AsyncRead, W> Wire<R, W> {
    pub(super) fn new((read, write): (R, W)) -> Self {
        let read = Reader { read: BufReader::new(read), line: Vec::new(), is_too_long: false, refusing: None };
        Wire { read: Arc::new(Mutex::new(read)), write: Arc::new(Mutex::new(Some(write))), open: Arc::default() }
    }
}

impl<R, W> Clone for Wire<R, W> {
    fn clone(&self) -> Self {
        Wire { read: Arc::clone(&self.read), write: Arc::clone(&self.write), open: Arc::clone(&self.open) }
    }
}

async fn written<W: AsyncWrite + Unpin>(write: Writer<W>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut held = write.lock().await;
    let write = held.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    write.write_all(&line).await?;
    write.flush().await
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (write, open) = (Arc::clone(&self.write), Arc::clone(&self.open));
        async move {
            let line = serde_json::to_vec(&message)?;
            let answer = line.clone();
            let done = written(write, line).await;
            open.note(&answer);
            done
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut reader = self.read.lock().await;
        let reader = &mut *reader;
        loop {
            if let Some(refusing) = &mut reader.refusing {
                let done = refusing.await;
                reader.refusing = None;
                done.ok()?;
            }
            self.open.at_most(OPEN).await;
            let Some(available) = reader.read.fill_buf().await.ok().filter(|bytes| !bytes.is_empty()) else {
                // The calls that were read are answered before the end.
                self.open.at_most(0).await;
                return None;
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if !reader.is_too_long {
                reader.line.extend_from_slice(&available[..taken]);
            }
            reader.read.consume(taken);
            if reader.line.len() > MOST {
                (reader.line, reader.is_too_long) = (Vec::new(), true);
            }
            if end.is_none() {
                continue;
            }
            let (line, is_too_long) = (std::mem::take(&mut reader.line), std::mem::take(&mut reader.is_too_long));
            match if is_too_long { Err(too_long()) } else { message(&line) } {
                Ok(Some(message)) => {
                    self.open.note(&line);
                    return Some(message);
                }
                Ok(None) => {}
                Err(refusal) => {
                    let refusing = written(Arc::clone(&self.write), refusal.to_string().into_bytes());
                    reader.refusing = Some(Box::pin(refusing));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}

fn refusal(id: &Value, code: ErrorCode, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.0, "message": why } })
}

fn too_long() -> Value {
    refusal(&Value::Null, ErrorCode::INVALID_REQUEST, &format!("a message has at most {MOST} bytes"))
}

/// Parses a line; `None` if it needs no answer, or the answer to a line that is not a message.
fn message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Value> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| refusal(&Value::Null, ErrorCode::PARSE_ERROR, &format!("not JSON: {error}")))?;
    let (id, has_method) = (value.get("id"), value.get("method").is_some_and(Value::is_string));
    if id.is_none() && has_method {
        return Ok(None);
    }
    let id = id.filter(|id| id.is_string() || id.is_i64()).unwrap_or(&Value::Null);
    if has_method && !id.is_null() && value.get("params").is_some_and(|params| !params.is_object()) {
        return Err(refusal(id, ErrorCode::INVALID_PARAMS, "params must be an object"));
    }
    Err(refusal(id, ErrorCode::INVALID_REQUEST, "not a message of JSON-RPC 2.0"))
}
