//! Starts the chapel as its own process and speaks plain HTTP to it.
//!
//! Every byte of every reply, head and body, is searched for the price before a test sees it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use std::{env, fs, process};

use serde_json::Value;

pub(crate) const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";
pub(crate) const ADDRESS: &str = "https://ask.larkfield.example/talk";
pub(crate) const CARD: &str = include_str!("../../examples/chapel-card.json");

/// The price, from the one place where it stands.
pub(crate) fn price() -> &'static str {
    let source = include_str!("../../examples/chapel/agent.rs");
    let (_, rest) = source.split_once(r#"Held::new("service-pricing", ""#).expect("the example holds its price");
    let (price, _) = rest.split_once('"').expect("the price is one string");
    assert!(figure(price).len() >= 6, "the price is a figure that turns up nowhere by chance");
    price
}

/// The figure in it: what would give the price away in any wording.
pub(crate) fn figure(price: &str) -> &str {
    price.split(' ').find(|word| word.bytes().any(|byte| byte.is_ascii_digit())).expect("a price has a figure")
}

/// The shipped card, with the price opened to assistants.
pub(crate) fn opened_card() -> Value {
    let mut card = serde_json::from_str::<Value>(CARD).unwrap();
    card["capabilities"]["extensions"][0]["params"]["skills"][0]["assistantAccess"] = true.into();
    card
}

/// The binary of an example, next to the directory of this test's own.
pub(crate) fn example(name: &str) -> PathBuf {
    let own = env::current_exe().unwrap();
    let profile = own.ancestors().nth(2).expect("target/<profile>/deps/<test>");
    let binary = profile.join("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let hint = format!("run `cargo build --example {name}` or plain `cargo test`, which builds it");
    let built = fs::metadata(&binary).and_then(|data| data.modified());
    let built = built.unwrap_or_else(|error| panic!("{} is not there ({error}): {hint}", binary.display()));
    // Other examples take files of the chapel's.
    let sources = [name, "chapel"].map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name));
    let changed = sources.iter().filter_map(|directory| newest(directory)).max();
    assert!(changed.is_none_or(|changed| changed <= built), "{} is older than its source: {hint}", binary.display());
    binary
}

/// When something in this directory last changed.
fn newest(directory: &Path) -> Option<SystemTime> {
    fs::read_dir(directory).ok()?.filter_map(|entry| entry.ok()?.metadata().ok()?.modified().ok()).max()
}

/// A card in a file that goes away with it.
pub(crate) struct CardFile(PathBuf);

impl CardFile {
    pub(crate) fn new(name: &str, json: &str) -> Self {
        let path = env::temp_dir().join(format!("chapel-card-{}-{name}.json", process::id()));
        fs::write(&path, json).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for CardFile {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

/// Runs the chapel where it is expected to stop by itself.
pub(crate) fn run_chapel(addr: &str, card: Option<&Path>) -> Output {
    let mut command = command("chapel", addr, card);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for _ in 0..100 {
        if child.try_wait().unwrap().is_some() {
            return child.wait_with_output().unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("the chapel did not stop: {:?}", child.wait_with_output().unwrap());
}

fn command(program: &str, addr: &str, card: Option<&Path>) -> Command {
    let mut command = Command::new(example(program));
    command.env("CHAPEL_ADDR", addr).env_remove("CHAPEL_CARD");
    if let Some(card) = card {
        command.env("CHAPEL_CARD", AsRef::<OsStr>::as_ref(card));
    }
    command
}

/// A running chapel on a port of its own.
pub(crate) struct Chapel {
    child: Child,
    addr: String,
}

impl Chapel {
    /// With the card it ships.
    pub(crate) fn start() -> Self {
        Self::start_program("chapel", None)
    }

    /// With the price opened to assistants.
    pub(crate) fn start_opened(name: &str) -> Self {
        Self::start_with_card(name, &opened_card())
    }

    pub(crate) fn start_with_card(name: &str, card: &Value) -> Self {
        let card = CardFile::new(name, &card.to_string());
        Self::start_program("chapel", Some(card.path()))
    }

    /// An example that is a chapel.
    pub(crate) fn start_program(program: &str, card: Option<&Path>) -> Self {
        let mut command = command(program, "127.0.0.1:0", card);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first_line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first_line).unwrap();
        let Some((_, rest)) = first_line.split_once("http://") else {
            panic!("the chapel did not start: {:?}", child.wait_with_output().unwrap());
        };
        let addr = rest.split(',').next().unwrap_or_default().to_owned();
        Self { child, addr }
    }

    pub(crate) fn addr(&self) -> &str {
        &self.addr
    }

    /// Sends a request and gives its reply, in which the price must not stand.
    pub(crate) fn send(&self, request: &Request) -> Reply {
        let reply = self.exchange(request);
        assert!(!reply.tells_price(), "the price is in the reply to {request:?}:\n{}", reply.raw());
        reply
    }

    /// Sends a request whose reply may hold the price.
    pub(crate) fn send_for_price(&self, request: &Request) -> Reply {
        self.exchange(request)
    }

    fn exchange(&self, request: &Request) -> Reply {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(&request.to_bytes(&self.addr)).unwrap();
        let mut raw = Vec::new();
        stream.read_to_end(&mut raw).unwrap();
        let reply = Reply::read(raw);
        assert!(!reply.raw().contains("givenTo"), "who got something never leaves: {}", reply.raw());
        reply
    }

    /// The first event of a stream, whose client then hangs up. The price must not stand in it.
    pub(crate) fn first_event(&self, request: &Request) -> Value {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(&request.to_bytes(&self.addr)).unwrap();
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        let data = lines.into_iter().find_map(|line| line.strip_prefix("data:").map(str::to_owned));
        let data = data.expect("an event");
        assert!(!data.contains(figure(price())) && !data.contains("givenTo"), "{data}");
        serde_json::from_str(&data).unwrap()
    }
}

impl Drop for Chapel {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A request; `A2A-Version: 1.0` and JSON unless a test says otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn post(path: &str, body: &impl ToString) -> Self {
        let headers = vec![("Content-Type", "application/json".to_owned()), ("A2A-Version", "1.0".to_owned())];
        Self { method: "POST", path: path.to_owned(), headers, body: body.to_string().into_bytes() }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self { method: "GET", ..Self::post(path, &"") }.without("Content-Type")
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    /// As a client that asks for On Request.
    pub(crate) fn activating(self) -> Self {
        self.header("A2A-Extensions", ON_REQUEST)
    }

    /// As an assistant that has signed in.
    pub(crate) fn signed_in_as(self, name: &str) -> Self {
        self.header("Authorization", &format!("Bearer demo-{name}"))
    }

    fn to_bytes(&self, addr: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", self.body.len()));
        [head.into_bytes(), self.body.clone()].concat()
    }
}

/// A reply: its bytes as they came, and its body with the chunks joined.
#[derive(Debug)]
pub(crate) struct Reply {
    raw: Vec<u8>,
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    fn read(raw: Vec<u8>) -> Self {
        let end = raw.windows(4).position(|window| window == b"\r\n\r\n").expect("a reply has a head");
        let head = String::from_utf8_lossy(&raw[..end]).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status line");
        let body = &raw[end + 4..];
        let body = if head.contains("transfer-encoding: chunked") { join_chunks(body) } else { body.to_vec() };
        Self { status, head, body: String::from_utf8(body).expect("the chapel writes UTF-8"), raw }
    }

    /// Whether the price is anywhere in it.
    pub(crate) fn tells_price(&self) -> bool {
        let figure = figure(price());
        self.body.contains(figure) || String::from_utf8_lossy(&self.raw).contains(figure)
    }

    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// A header's value, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(str::trim)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("no JSON ({error}): {}", self.raw()))
    }

    /// The data of each event of a stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{}", self.raw());
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

fn join_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap().trim(), 16).unwrap();
        joined.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[(end + 4 + size).min(body.len())..];
    }
    joined
}
