//! A way to Redis on which answers take their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct SlowProxy {
    pub(crate) port: u16,
    delay: Arc<AtomicU64>,
}

impl SlowProxy {
    pub(crate) async fn start(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let delay = Arc::new(AtomicU64::new(0));
        let of_task = Arc::clone(&delay);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else { continue };
                let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
                tokio::spawn(pass_on(from_client, to_server, Arc::default()));
                tokio::spawn(pass_on(from_server, to_client, Arc::clone(&of_task)));
            }
        });
        Self { port, delay }
    }

    pub(crate) fn delay_answers(&self, delay: Duration) {
        self.delay.store(u64::try_from(delay.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

async fn pass_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, delay: Arc<AtomicU64>) {
    let mut buffer = vec![0; 65_536];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        tokio::time::sleep(Duration::from_millis(delay.load(Ordering::SeqCst))).await;
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
