//! Operations of HTTP+JSON by their paths (A2A §11), and the paths of the gRPC service.

use std::borrow::Cow;

use http::{Method, Uri};
use memchr::memchr;
use percent_encoding::percent_decode_str;
use smallvec::SmallVec;

use super::Operation;

/// What a path says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct PathOperation {
    pub(super) operation: Operation,
    /// Other apps have such paths too: a to-do list has `/tasks`.
    pub(super) shared: bool,
    /// The segment before the operation is 0.3's `v1`.
    pub(super) behind_v1: bool,
}

/// The operation that a path names under any prefix or tenant, for a request with a body.
///
/// The method counts only for `/tasks` and `/tasks/{id}`: servers exist that act on a body by any
/// method, while `POST /tasks` is how a to-do list adds a task.
pub(super) fn operation(method: &Method, mount: &str, uri: &Uri) -> Option<PathOperation> {
    let segments = PathTail::of(mount, uri);
    let found = card(segments.last_two()).or_else(|| messages(segments.last_two())).or_else(|| tasks(&segments))?;
    let needs_get = found.shared && matches!(found.operation, Operation::GetTask | Operation::ListTasks);
    (!needs_get || method == Method::GET).then_some(found)
}

/// The operation of a request without a body: here the method counts too (A2A §5.3).
pub(super) fn operation_without_body(method: &Method, mount: &str, uri: &Uri) -> Option<PathOperation> {
    use Operation as O;
    let found = operation(method, mount, uri)?;
    let served = match found.operation {
        O::SendMessage | O::SendStreamingMessage | O::CancelTask => method == Method::POST,
        O::SubscribeToTask => method == Method::POST || method == Method::GET,
        O::PushNotificationConfig => method != Method::HEAD && method != Method::OPTIONS,
        _ => method == Method::GET,
    };
    served.then_some(found)
}

/// Whether the path is one of the A2A gRPC service of 1.0 or 0.3, under any prefix, whatever the
/// method and the content type say.
pub(crate) fn is_grpc_path(uri: &Uri) -> bool {
    // Most paths have neither the first letter of the name nor anything escaped.
    if !uri.path().bytes().any(|byte| matches!(byte, b'A' | b'%')) {
        return false;
    }
    let mut segments = uri.path().split('/').map(decode);
    segments.any(|segment| matches!(segment.as_ref(), "lf.a2a.v1.A2AService" | "a2a.v1.A2AService"))
}

fn decode(segment: &str) -> Cow<'_, str> {
    match memchr(b'%', segment.as_bytes()) {
        None => Cow::Borrowed(segment),
        Some(_) => percent_decode_str(segment).decode_utf8_lossy(),
    }
}

/// All segments of a path behind its mount, decoded. Empty segments do not count.
pub(super) fn whole_segments<'a>(mount: &'a str, path: &'a str) -> SmallVec<[Cow<'a, str>; 6]> {
    mount.split('/').chain(path.split('/')).filter(|segment| !segment.is_empty()).map(decode).collect()
}

/// The last segments of a path, decoded; the last comes first. Empty segments do not count.
struct PathTail<'a>([Cow<'a, str>; 5]);

impl<'a> PathTail<'a> {
    fn of(mount: &'a str, uri: &'a Uri) -> Self {
        let is_plain = memchr(b'%', uri.path().as_bytes()).is_none();
        let decode = |segment| if is_plain { Cow::Borrowed(segment) } else { decode(segment) };
        let whole = uri.path().rsplit('/').chain(mount.rsplit('/'));
        let mut segments = whole.filter(|segment| !segment.is_empty()).map(decode);
        Self(std::array::from_fn(|_| segments.next().unwrap_or_default()))
    }

    /// The last segment, the one before it and the one before that.
    fn last_two(&self) -> [&str; 3] {
        let [last, second, third, ..] = &self.0;
        [last, second, third]
    }
}

fn is(segment: &str, wanted: &str) -> bool {
    // Routers exist that ignore case.
    segment.eq_ignore_ascii_case(wanted)
}

fn card([last, second, third]: [&str; 3]) -> Option<PathOperation> {
    let (operation, shared) = match second {
        _ if is(last, "extendedAgentCard") => (Operation::ExtendedAgentCard, false),
        _ if is(second, ".well-known") && (is(last, "agent-card.json") || is(last, "agent.json")) => {
            (Operation::PublicAgentCard, false)
        }
        _ if is(second, "agent-card") && is(last, "extended") => (Operation::ExtendedAgentCard, false),
        _ if is(second, "v1") && is(last, "card") => (Operation::ExtendedAgentCard, true),
        _ => return None,
    };
    Some(PathOperation { operation, shared, behind_v1: is(second, "v1") || is(third, "v1") })
}

fn messages([last, second, third]: [&str; 3]) -> Option<PathOperation> {
    let (verb, before, shared) = match last.rsplit_once(':') {
        Some((noun, verb)) if is(noun, "message") => (verb, second, false),
        None if is(second, "message") => (last, third, true),
        _ => return None,
    };
    let operation = match verb {
        _ if is(verb, "send") => Operation::SendMessage,
        _ if is(verb, "stream") => Operation::SendStreamingMessage,
        _ => return None,
    };
    Some(PathOperation { operation, shared, behind_v1: is(before, "v1") })
}

fn tasks(PathTail([last, second, third, fourth, fifth]): &PathTail<'_>) -> Option<PathOperation> {
    let (operation, before, shared) = if is(second, "tasks") {
        match last.rsplit_once(':').and_then(|(id, verb)| task_verb(verb).filter(|_| !id.is_empty())) {
            Some(operation) => (operation, third, false),
            None => (Operation::GetTask, third, true),
        }
    } else if is(last, "tasks") {
        (Operation::ListTasks, second, true)
    } else if is(third, "tasks") && is(last, "pushNotificationConfigs") {
        (Operation::PushNotificationConfig, fourth, false)
    } else if is(fourth, "tasks") && is(second, "pushNotificationConfigs") {
        (Operation::PushNotificationConfig, fifth, false)
    } else if is(third, "tasks") {
        (task_verb(last)?, fourth, true)
    } else {
        return None;
    };
    Some(PathOperation { operation, shared, behind_v1: is(before, "v1") })
}

fn task_verb(verb: &str) -> Option<Operation> {
    match verb {
        _ if is(verb, "cancel") => Some(Operation::CancelTask),
        _ if is(verb, "subscribe") => Some(Operation::SubscribeToTask),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(method: &str, path: &str) -> Option<(Operation, bool, bool)> {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let found = operation_without_body(&method, "", &path.parse().unwrap())?;
        Some((found.operation, found.shared, found.behind_v1))
    }

    #[test]
    fn the_table_of_http_json_under_any_prefix() {
        use Operation as O;
        let table = [
            ("POST", "/message:send", O::SendMessage, false),
            ("POST", "/message:stream", O::SendStreamingMessage, false),
            ("GET", "/tasks/7:subscribe", O::SubscribeToTask, false),
            ("POST", "/tasks/7:subscribe", O::SubscribeToTask, false),
            ("POST", "/tasks/a:b:cancel", O::CancelTask, false),
            ("GET", "/tasks/7", O::GetTask, true),
            ("GET", "/tasks", O::ListTasks, true),
            ("GET", "/tasks/7/pushNotificationConfigs", O::PushNotificationConfig, false),
            ("POST", "/tasks/7/pushNotificationConfigs", O::PushNotificationConfig, false),
            ("DELETE", "/tasks/7/pushNotificationConfigs/c", O::PushNotificationConfig, false),
            ("GET", "/extendedAgentCard", O::ExtendedAgentCard, false),
            ("GET", "/agent-card/extended", O::ExtendedAgentCard, false),
            ("POST", "/message/send", O::SendMessage, true),
            ("POST", "/message/stream", O::SendStreamingMessage, true),
            ("POST", "/tasks/7/cancel", O::CancelTask, true),
            ("POST", "/tasks/7/subscribe", O::SubscribeToTask, true),
            ("GET", "/.well-known/agent-card.json", O::PublicAgentCard, false),
            ("GET", "/.well-known/agent.json", O::PublicAgentCard, false),
        ];
        for (method, path, operation, shared) in table {
            for (prefix, behind_v1) in [("", false), ("/a2a/rest", false), ("/tenant-7", false), ("/a/v1", true)] {
                let path = format!("{prefix}{path}");
                assert_eq!(of(method, &path), Some((operation, shared, behind_v1)), "{method} {path}");
            }
        }
        assert_eq!(of("GET", "/v1/card"), Some((O::ExtendedAgentCard, true, true)));
    }

    #[test]
    fn what_a_router_took_off_the_path_counts() {
        let of = |mount: &str, path: &str| operation(&Method::POST, mount, &path.parse().unwrap()).unwrap();
        assert!(of("/v1", "/message:send").behind_v1 && of("/a2a/v1", "/tasks/7:cancel").behind_v1);
        assert!(!of("/v1", "/tenant/message:send").behind_v1 && !of("/rest", "/message:send").behind_v1);
    }

    #[test]
    fn escapes_case_and_slashes_do_not_hide_an_operation() {
        for path in ["/message%3Asend", "/%6dessage:send", "/message:send/", "//x//message:send", "/Message:Send"] {
            assert_eq!(of("POST", path).map(|found| found.0), Some(Operation::SendMessage), "{path}");
        }
        assert_eq!(of("POST", "/tasks/a%2Fb:cancel").map(|found| found.0), Some(Operation::CancelTask));
    }

    #[test]
    fn other_paths_and_methods_are_no_operations() {
        for (method, path) in [
            ("POST", "/tasks"),
            ("PUT", "/tasks/7"),
            ("DELETE", "/tasks/7"),
            ("GET", "/message:send"),
            ("HEAD", "/tasks"),
            ("OPTIONS", "/message:send"),
            ("HEAD", "/extendedAgentCard"),
            ("POST", "/contact"),
            ("GET", "/"),
            ("GET", "/card"),
            ("POST", "/message"),
            ("POST", "/message:sends"),
            ("GET", "/tasks/7/comments"),
            ("GET", "/agent-card.json"),
            ("POST", "/lf.a2a.v1.A2AService/SendMessage"),
        ] {
            assert_eq!(of(method, path), None, "{method} {path}");
        }
        assert_eq!(of("GET", "/tasks/:cancel").map(|found| found.0), Some(Operation::GetTask));
    }

    #[test]
    fn with_a_body_the_method_does_not_count_but_for_tasks() {
        let with_body = |method: Method, path: &str| operation(&method, "", &path.parse().unwrap());
        assert!(with_body(Method::PUT, "/message:send").is_some());
        assert!(with_body(Method::HEAD, "/x/extendedAgentCard").is_some());
        assert!(with_body(Method::POST, "/tasks").is_none());
        assert!(with_body(Method::GET, "/tasks").is_some());
    }

    #[test]
    fn grpc_is_told_by_the_exact_service() {
        for path in [
            "/lf.a2a.v1.A2AService/SendMessage",
            "/a2a.v1.A2AService/SendStreamingMessage",
            "/prefix/lf.a2a.v1.A2AService/x",
            "/lf.a2a.v1.A2A%53ervice/SendMessage",
        ] {
            assert!(is_grpc_path(&path.parse().unwrap()), "{path}");
        }
        for path in ["/", "/message:send", "/lf.a2a.v1.A2AServices/SendMessage", "/grpc.health.v1.Health/Check"] {
            assert!(!is_grpc_path(&path.parse().unwrap()), "{path}");
        }
    }
}
