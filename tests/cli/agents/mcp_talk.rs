//! A client of `bd mcp` that speaks in lines of JSON, in either protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::harness::{BD, Env};

/// The protocol that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25: a session begins with `initialize`.
    Handshake,
    /// 2026-07-28: every request says who asks.
    Inline,
}

pub const ERAS: [Era; 2] = [Era::Handshake, Era::Inline];

pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: i64,
    era: Era,
    root: String,
}

impl Talk {
    /// Starts a server in the repo, and shakes hands where the protocol wants it.
    pub fn start(env: &Env, era: Era, args: &[&str]) -> Self {
        let mut talk = Self::silent(env, era, args, &[]);
        if era == Era::Handshake {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "Test Client", "version": "1" },
            });
            let answer = talk.ask("initialize", hello);
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        talk
    }

    /// Starts a server with further variables, and says nothing yet.
    pub fn silent(env: &Env, era: Era, args: &[&str], vars: &[(&str, &str)]) -> Self {
        let mut command = env.bd_command(BD);
        command.arg("mcp").args(args).envs(vars.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Talk { child, input, output, asked: 0, era, root: env.root().display().to_string() }
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Asks and does not wait; gives the number of the request.
    pub fn begin(&mut self, method: &str, mut params: Value) -> i64 {
        self.asked += 1;
        if self.era == Era::Inline {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "Test Client", "version": "1" },
            });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    pub fn begin_call(&mut self, tool: &str, arguments: Value) -> i64 {
        self.begin("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The next message; every line that comes is one.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The result of a call; its text and its structure say the same.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = answer["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"], "{tool}");
        assert!(text.len() <= 32_000, "{tool}: {}", text.len());
        result
    }

    /// The answer of a call that succeeds.
    #[track_caller]
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The answer of a call that is refused.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// A call and its answer as people read them.
    pub fn told(&mut self, tool: &str, arguments: Value) -> String {
        let asked = format!("> {tool} {arguments}");
        let result = self.call(tool, arguments);
        let mark = if result["isError"] == true { '!' } else { '<' };
        let text = result["content"][0]["text"].as_str().unwrap().replace(&self.root, "[ROOT]");
        format!("{asked}\n{mark} {text}\n")
    }

    /// Ends the server without a word.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends the input; gives what came after that, the exit code and what was said on standard error.
    pub fn end(mut self) -> (String, i32, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let mut talk = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
        (rest, self.child.wait().unwrap().code().unwrap(), talk)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
