//! A client that reads what is on the wire, at its own pace.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::server::URI;

pub(crate) struct RawClient {
    stream: TcpStream,
    /// What has come and is not read yet.
    read: Vec<u8>,
}

impl RawClient {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        // Of a slow client little stands in the kernel.
        socket.set_recv_buffer_size(4096).unwrap();
        Self { stream: socket.connect(address).await.unwrap(), read: Vec::new() }
    }

    /// Sends a request that asks for the extension.
    pub(crate) async fn ask(&mut self, headers: &str) {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}"#;
        let request = format!(
            "POST /rpc HTTP/1.1\r\nhost: agent.example.com\r\na2a-version: 1.0\r\na2a-extensions: {URI}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await.unwrap();
    }

    async fn more(&mut self) {
        let mut buffer = [0; 4096];
        let read = timeout(Duration::from_secs(20), self.stream.read(&mut buffer)).await.expect("nothing comes");
        let read = read.unwrap();
        assert_ne!(read, 0, "closed after {:?}", String::from_utf8_lossy(&self.read));
        self.read.extend_from_slice(&buffer[..read]);
    }

    /// All up to and with `end`.
    pub(crate) async fn until(&mut self, end: &str) -> String {
        loop {
            let found = self.read.windows(end.len()).position(|window| window == end.as_bytes());
            if let Some(at) = found {
                let rest = self.read.split_off(at + end.len());
                return String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap();
            }
            self.more().await;
        }
    }

    pub(crate) async fn exactly(&mut self, length: usize) -> String {
        while self.read.len() < length {
            self.more().await;
        }
        let rest = self.read.split_off(length);
        String::from_utf8(std::mem::replace(&mut self.read, rest)).unwrap()
    }

    /// One byte from the socket.
    pub(crate) async fn byte(&mut self) -> u8 {
        self.stream.read_u8().await.unwrap()
    }

    /// Whether a byte comes within this time.
    pub(crate) async fn hears_within(&mut self, time: Duration) -> bool {
        !self.read.is_empty() || timeout(time, self.more()).await.is_ok()
    }
}
