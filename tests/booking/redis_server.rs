//! A Redis of a test's own.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io, process, thread};

use crate::driver::Diary;

/// It keeps what it was told over a restart.
pub(crate) struct RedisServer {
    program: PathBuf,
    child: Child,
    port: u16,
    directory: PathBuf,
}

impl RedisServer {
    /// `None`, said loudly, where there is none and none is required.
    pub(crate) fn start() -> Option<Self> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let program = program()?;
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let directory = env::temp_dir().join(format!("booking-redis-{}-{number}", process::id()));
        fs::create_dir_all(&directory).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = spawn(&program, port, &directory);
        let server = Self { program, child, port, directory };
        server.wait();
        Some(server)
    }

    /// A diary that keeps its claims here.
    pub(crate) fn diary(&self, variables: &[(&str, &str)]) -> Diary {
        let url = format!("redis://127.0.0.1:{}/", self.port);
        Diary::start_with(&[variables, &[("REDIS_URL", &url)]].concat())
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// After `kill`, on the same port.
    pub(crate) fn start_again(&mut self) {
        self.child = spawn(&self.program, self.port, &self.directory);
        self.wait();
    }

    /// Forgets everything, as a wrong hand or a lost disk does.
    pub(crate) fn empty(&self) {
        let mut answer = [0; 5];
        self.tell(b"FLUSHALL\r\n", &mut answer).unwrap();
        assert_eq!(&answer, b"+OK\r\n");
    }

    /// Stops it in its tracks: connections are taken, and nobody answers.
    pub(crate) fn hang(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("-CONT");
        self.wait();
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    fn wait(&self) {
        let started = Instant::now();
        let mut answer = [0; 7];
        while self.tell(b"PING\r\n", &mut answer).is_err() || &answer != b"+PONG\r\n" {
            assert!(started.elapsed() < Duration::from_secs(20), "redis-server on port {} does not answer", self.port);
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn tell(&self, command: &[u8], answer: &mut [u8]) -> io::Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(command)?;
        stream.read_exact(answer)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.directory));
    }
}

fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|directory| directory.join("redis-server")).find(|file| file.is_file());
    let is_required = env::var_os("REDIS_TESTS").as_deref() == Some(OsStr::new("required"));
    assert!(found.is_some() || !is_required, "there is no redis-server, and REDIS_TESTS=required");
    if found.is_none() {
        // Not by a macro, whose output is kept back where a test passes.
        drop(
            io::stderr().write_all(b"\nSKIPPED: there is no redis-server on this machine, replicas were not tested\n"),
        );
    }
    found
}

fn spawn(program: &PathBuf, port: u16, directory: &PathBuf) -> Child {
    let mut command = Command::new(program);
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
    command.args(["--appendonly", "yes", "--appendfsync", "always"]);
    command.arg("--dir").arg(directory).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}
