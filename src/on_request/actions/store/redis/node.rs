//! One connection to one server, which is checked before it is used.

use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, PushInfo, PushKind, RedisResult, Value,
};
use tokio::time::timeout;

use super::fault::Fault;
use super::script::{Script, ScriptCall};

/// How many times a cluster may send us on.
const MOST_HOPS: usize = 4;

/// A connection to a primary that evicts nothing, as far as it tells.
#[derive(Debug)]
pub(super) struct Node {
    connection: MultiplexedConnection,
    /// How the server calls each script.
    names: Vec<String>,
    /// What it says of its `maxmemory-policy`.
    pub(super) policy: Option<String>,
    /// Where it is.
    pub(super) info: ConnectionInfo,
}

impl Node {
    /// Connects, and follows a cluster to the server that has `probe`.
    pub(super) async fn open(
        mut info: ConnectionInfo,
        probe: &str,
        on_end: impl Fn() + Clone + Send + Sync + 'static,
    ) -> Result<Self, Fault> {
        for _ in 0..MOST_HOPS {
            match Self::open_one(&info, probe, on_end.clone()).await {
                Err(fault) => info = moved(&info, &fault).ok_or(fault)?,
                node => return node,
            }
        }
        Err(Fault::Answer)
    }

    async fn open_one(
        info: &ConnectionInfo,
        probe: &str,
        on_end: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, Fault> {
        let on_push = move |push: PushInfo| {
            if push.kind == PushKind::Disconnection {
                on_end();
            }
            Ok::<(), ()>(())
        };
        // Whoever calls this bounds it.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None)
            .set_push_sender(on_push);
        let client = Client::open(info.clone())?;
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        let mut questions = ::redis::pipe();
        questions.ignore_errors();
        questions.cmd("EXISTS").arg(probe);
        questions.cmd("INFO").arg("replication");
        questions.cmd("INFO").arg("memory");
        questions.cmd("CONFIG").arg("GET").arg("maxmemory-policy");
        for script in Script::ALL {
            questions.add_command(script.load());
        }
        let answers: Vec<RedisResult<Value>> = questions.query_async(&mut connection).await?;
        let mut answers = answers.into_iter();
        let mut answer = || answers.next().unwrap_or(Ok(Value::Nil));
        answer()?;
        let (replication, memory, config) = (text(answer()), text(answer()), answer());
        if replication.and_then(|info| field(&info, "role")).is_some_and(|role| role != "master") {
            return Err(Fault::Replica);
        }
        let policy = configured_policy(config).or_else(|| field(&memory?, "maxmemory_policy"));
        if let Some(policy) = policy.as_ref().filter(|policy| *policy != "noeviction") {
            return Err(Fault::Evicts(policy.clone()));
        }
        let names = Script::ALL.map(|_| answer().and_then(|name| Ok(::redis::from_redis_value(name)?)));
        let names = names.into_iter().collect::<RedisResult<Vec<String>>>()?;
        Ok(Self { connection, names, policy, info: info.clone() })
    }

    /// Runs a script, for at most as long as `limit`.
    pub(super) async fn run(&self, call: &ScriptCall, limit: Duration) -> Result<Value, Fault> {
        let name = self.names.get(call.script as usize).map_or("", String::as_str);
        let answer = async {
            match self.ask(&call.by_name(name)).await {
                Err(fault) if fault.is_no_script() => self.ask(&call.in_full()).await,
                answer => answer,
            }
        };
        timeout(limit, answer).await.unwrap_or(Err(Fault::Late))
    }

    async fn ask(&self, command: &Cmd) -> Result<Value, Fault> {
        Ok(self.connection.clone().send_packed_command(command).await?.extract_error()?)
    }
}

/// Where a cluster sends us, with the same credentials. An address without a host is at the same host.
fn moved(from: &ConnectionInfo, fault: &Fault) -> Option<ConnectionInfo> {
    let (new_host, new_port) = fault.moved_to()?.rsplit_once(':')?;
    let new_port = new_port.parse().ok()?;
    let mut addr = from.addr().clone();
    match &mut addr {
        ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
            if !new_host.is_empty() && new_host != "?" {
                *host = new_host.trim_matches(['[', ']']).to_owned();
            }
            *port = new_port;
        }
        _ => return None,
    }
    Some(from.clone().set_addr(addr))
}

fn text(answer: RedisResult<Value>) -> Option<String> {
    ::redis::from_redis_value(answer.ok()?).ok()
}

/// A field of what INFO answers.
fn field(info: &str, name: &str) -> Option<String> {
    let value = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

/// What CONFIG GET answers, where it is allowed.
fn configured_policy(answer: RedisResult<Value>) -> Option<String> {
    let pairs: Vec<(String, String)> = ::redis::from_redis_value(answer.ok()?).ok()?;
    pairs.into_iter().find(|(name, _)| name == "maxmemory-policy").map(|(_, policy)| policy)
}
