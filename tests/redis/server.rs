//! A Redis of a test's own, on a free port, and what is asked of it beside the store.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tower_a2a_extensions::on_request::actions::store::RedisStore;

/// The program to start, or `None`, said loudly, where there is none and none is required.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("REDIS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("redis-server")).find(|file| file.is_file());
    let program = named.or(found);
    let required = std::env::var_os("REDIS_TESTS").as_deref() == Some(OsStr::new("required"));
    assert!(program.is_some() || !required, "redis-server is not here, and REDIS_TESTS=required");
    if program.is_none() {
        // Not by a macro: what those write is kept back where a test passes.
        let _ = std::io::stderr().write_all(b"\nSKIPPED: redis-server is not here, nothing of Redis was tested\n");
    }
    program
}

pub(crate) struct RedisServer {
    program: PathBuf,
    child: Child,
    pub(crate) port: u16,
    folder: PathBuf,
    options: Vec<String>,
}

impl RedisServer {
    /// Alone, and keeping nothing over a restart.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&["--appendonly", "no"])
    }

    /// Alone, and keeping everything over a restart.
    pub(crate) fn start_durable() -> Option<Self> {
        Self::start_with(&["--appendonly", "yes", "--appendfsync", "always"])
    }

    /// A cluster of one, which has all slots.
    pub(crate) fn start_cluster() -> Option<Self> {
        let server = Self::start_with(&["--cluster-enabled", "yes"])?;
        assert_eq!(server.ask(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]), "OK");
        server.until("the cluster is up", || server.ask(&["CLUSTER", "INFO"]).contains("cluster_state:ok"));
        Some(server)
    }

    pub(crate) fn start_with(options: &[&str]) -> Option<Self> {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let program = program()?;
        let number = FOLDERS.fetch_add(1, Ordering::SeqCst);
        let folder = std::env::temp_dir().join(format!("tower-a2a-redis-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let options = options.iter().map(ToString::to_string).collect::<Vec<_>>();
        let port = free_port();
        let child = spawn(&program, port, &folder, &options);
        let server = Self { program, child, port, folder, options };
        server.wait();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// A store here, for which an empty server is a new one.
    pub(crate) fn store(&self) -> RedisStore {
        RedisStore::new(&self.url(), "chapel").unwrap().starts_empty(true)
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// After `kill`, on the same port.
    pub(crate) fn restart(&mut self) {
        self.child = spawn(&self.program, self.port, &self.folder, &self.options);
        self.wait();
    }

    /// Stops it in its tracks: connections are taken by the system, and nobody answers.
    pub(crate) fn hang(&self) {
        self.signal("STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("CONT");
        self.wait();
    }

    fn signal(&self, name: &str) {
        let command = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").arg("-c").arg(command).status().unwrap().success());
    }

    fn wait(&self) {
        self.until("it answers", || self.try_ask(&["PING"]).is_ok_and(|answer| answer == "PONG"));
    }

    pub(crate) fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let started = Instant::now();
        while !is_so() {
            assert!(started.elapsed() < Duration::from_secs(20), "redis-server on {}: never {what}", self.port);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The answer as text, several in lines of their own.
    pub(crate) fn ask(&self, command: &[&str]) -> String {
        self.try_ask(command).unwrap()
    }

    fn try_ask(&self, command: &[&str]) -> std::io::Result<String> {
        let mut stream = self.connection()?;
        send(&mut stream, command)?;
        Ok(read(&mut BufReader::new(stream))?.join("\n"))
    }

    fn connection(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        Ok(stream)
    }

    /// Every command that comes in from now on, one a line, until `end`.
    pub(crate) fn watch(&self) -> Watch<'_> {
        let mut stream = self.connection().unwrap();
        send(&mut stream, &["MONITOR"]).unwrap();
        let mut lines = BufReader::new(stream);
        assert_eq!(read(&mut lines).unwrap(), ["OK"]);
        Watch { server: self, lines }
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.ask(&["KEYS", "*"]).lines().map(str::to_owned).collect()
    }

    /// The number of milliseconds until each key ends; -1 where it never does.
    pub(crate) fn ends(&self) -> Vec<(String, i64)> {
        let end = |key: String| {
            let left = self.ask(&["PTTL", &key]).parse().unwrap();
            (key, left)
        };
        self.keys().into_iter().map(end).collect()
    }

    /// A number of INFO.
    pub(crate) fn info(&self, name: &str) -> u64 {
        let info = self.ask(&["INFO", "all"]);
        let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
        line.trim().parse().unwrap()
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) struct Watch<'a> {
    server: &'a RedisServer,
    lines: BufReader<TcpStream>,
}

impl Watch<'_> {
    /// What came in from outside, without what scripts call.
    pub(crate) fn end(mut self) -> Vec<String> {
        self.server.ask(&["ECHO", "the-end-of-it"]);
        let mut seen = Vec::new();
        loop {
            let line = read(&mut self.lines).unwrap().join("\n");
            if line.contains("the-end-of-it") {
                return seen;
            }
            if !line.contains(" lua] ") {
                seen.push(line);
            }
        }
    }
}

/// Below those whose port for the bus of a cluster, 10 000 higher, would not exist.
fn free_port() -> u16 {
    loop {
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        if port < 55_000 {
            return port;
        }
    }
}

fn spawn(program: &PathBuf, port: u16, folder: &PathBuf, options: &[String]) -> Child {
    let mut command = Command::new(program);
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--dir"]).arg(folder);
    command.args(options).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn send(stream: &mut TcpStream, command: &[&str]) -> std::io::Result<()> {
    let mut text = format!("*{}\r\n", command.len());
    for word in command {
        text += &format!("${}\r\n{word}\r\n", word.len());
    }
    stream.write_all(text.as_bytes())
}

/// The texts of one answer, flat.
fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Vec<String>> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let (kind, rest) = line.trim_end().split_at(1);
    match kind {
        "$" if rest == "-1" => Ok(vec!["(nil)".to_owned()]),
        "$" => {
            let mut bytes = vec![0; rest.parse::<usize>().unwrap() + 2];
            stream.read_exact(&mut bytes)?;
            bytes.truncate(bytes.len() - 2);
            Ok(vec![String::from_utf8_lossy(&bytes).into_owned()])
        }
        "*" => {
            let mut texts = Vec::new();
            for _ in 0..rest.parse::<usize>().unwrap() {
                texts.extend(read(stream)?);
            }
            Ok(texts)
        }
        _ => Ok(vec![rest.to_owned()]),
    }
}
