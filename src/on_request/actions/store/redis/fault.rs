//! What went wrong between this process and Redis.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use ::redis::{ErrorKind, RedisError, ServerErrorKind};

#[derive(Debug)]
pub(super) enum Fault {
    /// No answer in time. Nobody knows what was done.
    Late,
    /// The connection attempt ended without a result.
    Interrupted,
    /// The `maxmemory-policy` of the server lets it forget what was done.
    Evicts(String),
    /// Every server that was reached is a replica.
    Replica,
    /// An answer that no script of ours gives.
    Answer,
    Redis(RedisError),
}

/// One fault may be many callers'.
pub(super) type SharedFault = Arc<Fault>;

impl Fault {
    /// Whether the server refused it before anything was done, and another connection may do it.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.server_kind(), Some(ServerErrorKind::Moved | ServerErrorKind::ReadOnly))
    }

    /// Whether the connection is of no use any more.
    pub(super) fn ends_connection(&self) -> bool {
        match self {
            Self::Late | Self::Interrupted | Self::Evicts(_) | Self::Replica | Self::Answer => true,
            Self::Redis(error) => match error.kind() {
                ErrorKind::Server(kind) => matches!(
                    kind,
                    ServerErrorKind::Moved
                        | ServerErrorKind::Ask
                        | ServerErrorKind::ReadOnly
                        | ServerErrorKind::BusyLoading
                        | ServerErrorKind::ClusterDown
                        | ServerErrorKind::MasterDown
                ),
                // Such as OOM and WRONGTYPE: another connection would hear the same.
                ErrorKind::Extension => false,
                _ => true,
            },
        }
    }

    /// Where the keys are said to be.
    pub(super) fn moved_to(&self) -> Option<&str> {
        match self {
            Self::Redis(error) if self.server_kind() == Some(ServerErrorKind::Moved) => {
                error.redirect_node().map(|(address, _)| address)
            }
            _ => None,
        }
    }

    pub(super) fn is_no_script(&self) -> bool {
        self.server_kind() == Some(ServerErrorKind::NoScript)
    }

    fn server_kind(&self) -> Option<ServerErrorKind> {
        match self {
            Self::Redis(error) => match error.kind() {
                ErrorKind::Server(kind) => Some(kind),
                _ => None,
            },
            _ => None,
        }
    }
}

impl From<RedisError> for Fault {
    fn from(error: RedisError) -> Self {
        Self::Redis(error)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("Redis did not answer in time"),
            Self::Interrupted => f.write_str("the connection attempt was interrupted"),
            Self::Evicts(policy) => write!(f, "maxmemory-policy is {policy} and must be noeviction"),
            Self::Replica => f.write_str("this Redis is a read-only replica"),
            Self::Answer => f.write_str("Redis gave an answer that no script gives"),
            Self::Redis(error) => write!(f, "Redis: {error}"),
        }
    }
}

impl Error for Fault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Redis(error) => Some(error),
            _ => None,
        }
    }
}
