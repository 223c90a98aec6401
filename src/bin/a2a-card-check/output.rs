//! Standard output, whose reader may go early as `head` does: the checks go on, for the exit status.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

pub(crate) struct Output {
    stdout: BufWriter<Stdout>,
    reader_is_gone: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { stdout: BufWriter::new(io::stdout()), reader_is_gone: false }
    }

    fn unless_gone<T>(
        &mut self,
        instead: T,
        write: impl FnOnce(&mut BufWriter<Stdout>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.reader_is_gone {
            return Ok(instead);
        }
        match write(&mut self.stdout) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.reader_is_gone = true;
                Ok(instead)
            }
            written => written,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_gone(bytes.len(), |stdout| stdout.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_gone((), Write::flush)
    }
}
