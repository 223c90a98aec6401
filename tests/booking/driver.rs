//! Starts the diary as its own process, asks it over a socket, and reads along what it prints.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs};

use crate::ask::{Ask, Reply};

/// The binary of the example, next to the directory of this test's own.
fn binary() -> PathBuf {
    let own = env::current_exe().unwrap();
    let profile = own.ancestors().nth(2).expect("target/<profile>/deps/<test>");
    let binary = profile.join("examples").join(format!("booking{}", env::consts::EXE_SUFFIX));
    let hint = "run `cargo build --example booking` or plain `cargo test`, with the features of this test";
    let built = fs::metadata(&binary).and_then(|data| data.modified());
    let built = built.unwrap_or_else(|error| panic!("{} is not there ({error}): {hint}", binary.display()));
    let changed = newest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/booking"));
    assert!(changed.is_none_or(|changed| changed <= built), "{} is older than its source: {hint}", binary.display());
    binary
}

/// When something in this directory last changed.
fn newest(directory: &Path) -> Option<SystemTime> {
    fs::read_dir(directory).ok()?.filter_map(|entry| entry.ok()?.metadata().ok()?.modified().ok()).max()
}

fn command(variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(binary());
    for name in ["BOOKING_ATTESTATION", "BOOKING_LIMITS", "REDIS_URL"] {
        command.env_remove(name);
    }
    command.env("BOOKING_ADDR", "127.0.0.1:0").envs(variables.iter().copied());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the diary where it is expected to stop by itself.
pub(crate) fn run(variables: &[(&str, &str)]) -> Output {
    let mut child = command(variables).spawn().unwrap();
    wait(&mut child);
    child.wait_with_output().unwrap()
}

fn wait(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > Duration::from_secs(60) {
            drop(child.kill());
            panic!("the diary did not stop");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// A running diary on a port of its own.
pub(crate) struct Diary {
    child: Child,
    addr: String,
    printed: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Diary {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(variables: &[(&str, &str)]) -> Self {
        let mut child = command(variables).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        output.read_line(&mut first).unwrap();
        let Some((_, rest)) = first.split_once("http://") else {
            panic!("the diary did not start: {:?}", child.wait_with_output().unwrap());
        };
        let addr = rest.split(',').next().unwrap_or_default().to_owned();
        let printed = Arc::<Mutex<Vec<String>>>::default();
        let lines = Arc::clone(&printed);
        let reader = thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                lines.lock().unwrap().push(line);
            }
        });
        Self { child, addr, printed, reader: Some(reader) }
    }

    pub(crate) fn addr(&self) -> &str {
        &self.addr
    }

    /// Sends a request, and nothing more.
    pub(crate) fn open(&self, ask: &Ask) -> TcpStream {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(&ask.to_bytes(&self.addr)).unwrap();
        stream
    }

    pub(crate) fn send(&self, ask: &Ask) -> Reply {
        let mut raw = Vec::new();
        self.open(ask).read_to_end(&mut raw).unwrap();
        Reply::read(raw)
    }

    /// How many lines so far begin with this word.
    pub(crate) fn count(&self, word: &str) -> usize {
        count(&self.printed.lock().unwrap(), word)
    }

    /// Waits until so many lines begin with this word.
    pub(crate) fn wait_for(&self, word: &str, lines: usize) {
        let started = Instant::now();
        while self.count(word) < lines {
            let printed = self.printed.lock().unwrap().join("\n");
            assert!(started.elapsed() < Duration::from_secs(60), "not {lines} lines of `{word}`:\n{printed}");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Asks it to stop as a service manager does, and returns what it has printed in all.
    pub(crate) fn stop(mut self) -> Vec<String> {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let status = wait(&mut self.child);
        assert!(status.success(), "{status}");
        self.all_lines()
    }

    /// Ends it where it stands, and returns what it has printed in all.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.all_lines()
    }

    fn all_lines(&mut self) -> Vec<String> {
        self.reader.take().unwrap().join().unwrap();
        std::mem::take(&mut self.printed.lock().unwrap())
    }
}

impl Drop for Diary {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// How many of these lines begin with this word.
pub(crate) fn count(lines: &[String], word: &str) -> usize {
    lines.iter().filter(|line| line.split(' ').next() == Some(word)).count()
}

/// Sends all of these at once, each to the diary beside it.
pub(crate) fn send_at_once<'a>(requests: impl IntoIterator<Item = (&'a Diary, Ask)>) -> Vec<(Ask, Reply)> {
    let requests = requests.into_iter().collect::<Vec<_>>();
    let barrier = std::sync::Barrier::new(requests.len());
    let barrier = &barrier;
    thread::scope(|scope| {
        let sent = requests.into_iter().map(|(diary, ask)| {
            scope.spawn(move || {
                barrier.wait();
                let reply = diary.send(&ask);
                (ask, reply)
            })
        });
        sent.collect::<Vec<_>>().into_iter().map(|sent| sent.join().unwrap()).collect()
    })
}

/// Asserts how many staff notices and bookings were printed, and that nothing was booked under a key twice.
#[track_caller]
pub(crate) fn assert_printed(lines: &[String], bookings: usize) {
    let counts = ["told", "booked", "done"].map(|word| count(lines, word));
    assert_eq!(counts, [bookings; 3], "told, booked, done:\n{}", lines.join("\n"));
    let others = ["already-booked", "not-done", "unknown"].map(|word| count(lines, word));
    assert_eq!(others, [0; 3], "{}", lines.join("\n"));
}
