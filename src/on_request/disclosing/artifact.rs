//! Artifacts that are made here, in the caller's version.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::binding::{Binding, ProtocolVersion};

/// An Artifact (A2A §4.1.7) of Parts that are written as in 1.0.
pub(in crate::on_request) fn artifact_value(parts: Value, binding: Binding, version: ProtocolVersion) -> Value {
    let parts = match parts {
        Value::Array(parts) => parts,
        Value::String(text) => vec![json!({"text": text})],
        other => vec![other],
    };
    let parts = parts.into_iter().map(|part| spell_part(part, binding, version)).collect::<Vec<_>>();
    json!({"artifactId": Uuid::new_v4().to_string(), "parts": parts})
}

/// A Part in the caller's version. One that is written in 0.3 already stays.
fn spell_part(part: Value, binding: Binding, version: ProtocolVersion) -> Value {
    let Value::Object(mut part) = part else { return part };
    if version == ProtocolVersion::V1_0 || part.contains_key("kind") || part.contains_key("file") {
        return part.into();
    }
    let json_rpc = binding == Binding::JsonRpc;
    if part.contains_key("raw") || part.contains_key("url") {
        let file = file_members(&mut part, json_rpc);
        part.insert("file".into(), file);
        return with_kind(part, "file", json_rpc);
    }
    match part.remove("data") {
        Some(data) => {
            part.insert("data".into(), if json_rpc { data } else { json!({"data": data}) });
            with_kind(part, "data", json_rpc)
        }
        None => with_kind(part, "text", json_rpc),
    }
}

fn with_kind(mut part: Map<String, Value>, kind: &str, json_rpc: bool) -> Value {
    if json_rpc {
        part.insert("kind".into(), kind.into());
    }
    part.into()
}

fn file_members(part: &mut Map<String, Value>, json_rpc: bool) -> Value {
    let names = if json_rpc {
        [("raw", "bytes"), ("url", "uri"), ("filename", "name"), ("mediaType", "mimeType")]
    } else {
        [("raw", "fileWithBytes"), ("url", "fileWithUri"), ("filename", "name"), ("mediaType", "mimeType")]
    };
    let moved = names.into_iter().filter_map(|(new, old)| Some((old.to_owned(), part.remove(new)?)));
    moved.collect::<Map<_, _>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(parts: Value, binding: Binding, version: ProtocolVersion) -> Value {
        artifact_value(parts, binding, version)["parts"].clone()
    }

    #[test]
    fn parts_of_1_0_stay_as_they_are_written() {
        let written = json!([{"text": "x"}, {"data": {"a": 1}}, {"url": "https://x.example/y"}]);
        for binding in [Binding::JsonRpc, Binding::HttpJson] {
            assert_eq!(parts(written.clone(), binding, ProtocolVersion::V1_0), written);
        }
        assert_eq!(parts(json!("x"), Binding::JsonRpc, ProtocolVersion::V1_0), json!([{"text": "x"}]));
        assert_eq!(parts(json!({"text": "x"}), Binding::JsonRpc, ProtocolVersion::V1_0), json!([{"text": "x"}]));
    }

    #[test]
    fn a24_parts_of_0_3_have_a_kind_in_json_rpc() {
        let written = json!([{"text": "x"}, {"data": 1}, {"raw": "eA==", "mediaType": "text/plain", "filename": "x"}, {"kind": "text", "text": "y"}]);
        assert_eq!(
            parts(written, Binding::JsonRpc, ProtocolVersion::V0_3),
            json!([
                {"kind": "text", "text": "x"},
                {"kind": "data", "data": 1},
                {"kind": "file", "file": {"bytes": "eA==", "mimeType": "text/plain", "name": "x"}},
                {"kind": "text", "text": "y"}
            ])
        );
    }

    #[test]
    fn a24_parts_of_0_3_are_nested_in_http_json() {
        assert_eq!(
            parts(json!([{"text": "x"}, {"data": 1}, {"url": "u:1"}]), Binding::HttpJson, ProtocolVersion::V0_3),
            json!([{"text": "x"}, {"data": {"data": 1}}, {"file": {"fileWithUri": "u:1"}}])
        );
    }

    #[test]
    fn every_artifact_has_an_id_of_its_own() {
        let id = || artifact_value(json!("x"), Binding::JsonRpc, ProtocolVersion::V1_0)["artifactId"].clone();
        assert!(id().is_string());
        assert_ne!(id(), id());
    }
}
