//! A server with the chat-completions interface, whose answers a test scripts.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{io, thread};

use serde_json::{Value, json};

/// A request, as the server has it.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// The number of requests before it.
    pub number: usize,
    /// The value of `Authorization`, or empty.
    pub authorization: String,
    pub body: Value,
}

/// An answer of the server.
#[derive(Clone, Debug)]
pub enum ChatAnswer {
    /// What the model writes.
    Says(String),
    /// The same, cut off at the limit of tokens.
    CutOff(String),
    Refuses(String),
    /// Another status, with more headers, each with its line end, and a body.
    Status(u16, String, String),
    /// Status 200 with something else.
    Body(String),
    /// Half of an answer, then the end of the connection.
    Half,
    /// No answer.
    Hangs,
    /// This many bytes that a model writes.
    Long(usize),
}

impl ChatAnswer {
    /// A model that writes a move as it should.
    pub fn plays(mv: &str) -> Self {
        ChatAnswer::Says(json!({"move": mv}).to_string())
    }
}

impl ChatRequest {
    /// The text of the last message.
    pub fn last(&self) -> &str {
        let messages = self.body["messages"].as_array().expect("messages");
        let last = messages.last().expect("a message");
        last["content"].as_str().expect("a text")
    }

    /// The legal moves that the last message lists.
    pub fn legal(&self) -> Vec<String> {
        let (_, rest) = self
            .last()
            .split_once("Legal moves:\n")
            .expect("a list of moves");
        let list = rest.lines().next().expect("a line");
        serde_json::from_str(list).expect("a list of moves")
    }

    /// A legal move that depends on nothing but the legal moves.
    pub fn any_legal(&self) -> String {
        let legal = self.legal();
        let sum: usize = legal
            .iter()
            .flat_map(|mv| mv.bytes())
            .map(usize::from)
            .sum();
        legal[sum % legal.len()].clone()
    }
}

/// A running server. It ends with the test's process.
#[derive(Debug)]
pub struct ChatServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<ChatRequest>>>,
}

impl ChatServer {
    /// Starts a server that answers each request like this.
    pub fn start(script: impl Fn(&ChatRequest) -> ChatAnswer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (known, script) = (requests.clone(), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, script) = (known.clone(), script.clone());
                // A client that goes away is no error.
                thread::spawn(move || serve(stream, &known, &*script));
            }
        });
        ChatServer { address, requests }
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bot that asks this server, as words of a command line.
    pub fn bot(&self, more: &str) -> String {
        format!("chat --url {} --model tiny {more}", self.url())
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().expect("a list").clone()
    }
}

fn serve(
    stream: TcpStream,
    known: &Mutex<Vec<ChatRequest>>,
    script: &dyn Fn(&ChatRequest) -> ChatAnswer,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    while let Some(mut request) = read(&mut reader)? {
        {
            let mut known = known.lock().expect("a list");
            request.number = known.len();
            known.push(request.clone());
        }
        match script(&request) {
            ChatAnswer::Says(text) => complete(&mut stream, &json!({"content": text}), "stop")?,
            ChatAnswer::CutOff(text) => {
                complete(&mut stream, &json!({"content": text}), "length")?;
            }
            ChatAnswer::Refuses(why) => {
                complete(
                    &mut stream,
                    &json!({"content": null, "refusal": why}),
                    "stop",
                )?;
            }
            ChatAnswer::Long(bytes) => {
                complete(&mut stream, &json!({"content": "x".repeat(bytes)}), "stop")?;
            }
            ChatAnswer::Body(body) => respond(&mut stream, 200, "", &body)?,
            ChatAnswer::Status(status, headers, body) => {
                respond(&mut stream, status, &headers, &body)?;
            }
            ChatAnswer::Half => {
                let half = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"choices\": [{\"mess";
                return stream.write_all(half.as_bytes());
            }
            ChatAnswer::Hangs => thread::sleep(Duration::from_secs(600)),
        }
    }
    Ok(())
}

/// The next request; `None` at the end of the connection.
fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<ChatRequest>> {
    let (mut length, mut authorization) = (0, String::new());
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    assert_eq!(first, "POST /v1/chat/completions HTTP/1.1\r\n");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.parse().expect("a number"),
            "authorization" => authorization = value.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(ChatRequest {
        number: 0,
        authorization,
        body: serde_json::from_slice(&body).expect("requests are JSON"),
    }))
}

fn complete(stream: &mut TcpStream, message: &Value, finish: &str) -> io::Result<()> {
    let body = json!({
        "model": "tiny-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    });
    respond(stream, 200, "", &body.to_string())
}

fn respond(stream: &mut TcpStream, status: u16, headers: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{headers}\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}
