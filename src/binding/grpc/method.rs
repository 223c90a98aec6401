//! The methods of the service of both versions, by path.

use http::Uri;
use percent_encoding::percent_decode_str;

use crate::binding::{Operation, ProtocolVersion};

/// The service of A2A 1.0, and that of 0.3.
const SERVICES: [(&str, ProtocolVersion); 2] =
    [("lf.a2a.v1.A2AService", ProtocolVersion::V1_0), ("a2a.v1.A2AService", ProtocolVersion::V0_3)];

/// The version whose service a path names.
pub(in crate::binding) fn version(uri: &Uri) -> ProtocolVersion {
    service_and_method(uri).map_or(ProtocolVersion::V1_0, |(version, _)| version)
}

/// The operation whose method a path names: the one segment behind the service. Names are exact.
pub(in crate::binding) fn operation(uri: &Uri) -> Option<Operation> {
    use Operation as O;
    let (_, method) = service_and_method(uri)?;
    Some(match method.as_str() {
        "SendMessage" => O::SendMessage,
        "SendStreamingMessage" => O::SendStreamingMessage,
        "GetTask" => O::GetTask,
        "ListTasks" => O::ListTasks,
        "CancelTask" => O::CancelTask,
        "SubscribeToTask" | "TaskSubscription" => O::SubscribeToTask,
        "GetExtendedAgentCard" | "GetAgentCard" => O::ExtendedAgentCard,
        "CreateTaskPushNotificationConfig"
        | "GetTaskPushNotificationConfig"
        | "ListTaskPushNotificationConfig"
        | "ListTaskPushNotificationConfigs"
        | "DeleteTaskPushNotificationConfig" => O::PushNotificationConfig,
        _ => return None,
    })
}

/// The version and all that stands behind the service, decoded as routers do.
fn service_and_method(uri: &Uri) -> Option<(ProtocolVersion, String)> {
    let mut segments = uri.path().split('/').map(|segment| percent_decode_str(segment).decode_utf8_lossy());
    let version = segments.find_map(|segment| {
        let service = SERVICES.iter().find(|(name, _)| segment == *name);
        service.map(|(_, version)| *version)
    })?;
    Some((version, segments.collect::<Vec<_>>().join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_decides_the_version_however_it_is_escaped() {
        for (path, expected) in [
            ("/lf.a2a.v1.A2AService/SendMessage", ProtocolVersion::V1_0),
            ("/l%66.a2a.v1.A2AService/SendMessage", ProtocolVersion::V1_0),
            ("/x/a2a.v1.A2AService/SendMessage", ProtocolVersion::V0_3),
            ("/a2a.v1.A2A%53ervice/SendMessage", ProtocolVersion::V0_3),
        ] {
            assert_eq!(version(&path.parse().unwrap()), expected, "{path}");
        }
    }

    #[test]
    fn a_method_is_the_one_segment_behind_the_service() {
        let of = |path: &str| operation(&path.parse().unwrap());
        assert_eq!(of("/lf.a2a.v1.A2AService/Send%4Dessage"), Some(Operation::SendMessage));
        assert_eq!(of("/tenant/a2a.v1.A2AService/TaskSubscription?x=1"), Some(Operation::SubscribeToTask));
        for path in [
            "/lf.a2a.v1.A2AService",
            "/lf.a2a.v1.A2AService/",
            "/lf.a2a.v1.A2AService/sendmessage",
            "/lf.a2a.v1.A2AService/SendMessage/x",
            "/lf.a2a.v1.A2AService//SendMessage",
            "/lf.a2a.v1.A2AService/SendLiveMessage",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
