//! Any change of any member, in JSON.

use proptest::prelude::*;

use super::*;

fn http_json(request: &Value) -> Option<[u8; 32]> {
    of_request("/message:send", "1.0", request.to_string().into_bytes())
}

/// Every place in the value, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| places(value, &format!("{at}/{name}"), found))
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| places(value, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

fn all_places(request: &Value) -> Vec<String> {
    let mut found = Vec::new();
    places(request, "", &mut found);
    // The key in the store has the id.
    found.retain(|place| place != "/message/messageId" && !place.is_empty());
    found
}

/// The request with another value at the place, or none.
fn changed(request: &Value, place: &str, new: Option<&Value>) -> Value {
    let mut request = request.clone();
    let (parent, name) = place.rsplit_once('/').unwrap();
    match (request.pointer_mut(parent).unwrap(), new) {
        (Value::Object(members), Some(new)) => drop(members.insert(name.to_owned(), new.clone())),
        (Value::Object(members), None) => drop(members.remove(name)),
        (Value::Array(values), Some(new)) => values[name.parse::<usize>().unwrap()] = new.clone(),
        (Value::Array(values), None) => drop(values.remove(name.parse::<usize>().unwrap())),
        _ => unreachable!(),
    }
    request
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000_000_i64..1_000_000).prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

#[test]
fn or_5_6_no_member_can_be_left_out_or_added_unseen() {
    let request = full_request();
    let whole = http_json(&request).unwrap();
    let places = all_places(&request);
    assert!(places.len() > 30, "{places:?}");
    for place in &places {
        assert_ne!(http_json(&changed(&request, place, None)), Some(whole), "without {place}");
        if request.pointer(place).is_some_and(Value::is_object) {
            for new in [json!(null), json!("x"), json!({})] {
                let added = format!("{place}/unknownToAll");
                assert_ne!(http_json(&changed(&request, &added, Some(&new))), Some(whole), "{added}");
            }
        }
    }
    for added in ["/unknownToAll", "/message/reference_task_ids", "/message/parts/1/media_type", "/message/kind"] {
        assert_ne!(http_json(&changed(&request, added, Some(&json!("x")))), Some(whole), "{added}");
    }
}

#[test]
fn or_5_6_what_says_how_to_answer_is_not_bound() {
    let request = full_request();
    let whole = http_json(&request);
    let configured = changed(&request, "/configuration", Some(&json!({"blocking": true, "historyLength": 3})));
    assert_eq!(http_json(&configured), whole);
    assert_eq!(http_json(&changed(&request, "/message/messageId", Some(&json!("other")))), whole);
    let call = |method: &str| {
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": &configured}).to_string();
        of_request("/rpc", "1.0", call.into_bytes())
    };
    assert_eq!((call("SendMessage"), call("SendStreamingMessage")), (whole, whole));
    let vendors = call("vendor.ask");
    assert!(vendors.is_some() && vendors != whole, "what another method does is not known");
}

#[test]
fn or_5_6_a_key_that_occurs_twice_anywhere_has_no_digest() {
    let of = |member: &str| {
        of_request("/message:send", "1.0", format!(r#"{{"message":{{"messageId":"m",{member}}}}}"#).into_bytes())
    };
    assert!(of(r#""parts":[{"text":"x"}]"#).is_some());
    for twice in [r#""x":1,"x":2"#, r#""metadata":{"a":{"b":1,"b":2}}"#, r#""parts":[{"data":{"a":1,"\u0061":1}}]"#] {
        assert_eq!(of(twice), None, "{twice}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn or_5_6_any_change_of_any_member_changes_the_digest(which in any::<prop::sample::Index>(), new in any_value()) {
        let request = full_request();
        let place = which.get(&all_places(&request)).clone();
        let other = changed(&request, &place, Some(&new));
        let is_spelling = place == "/message/role" && (new == "user" || new == 1);
        let is_same = other == request || is_spelling;
        prop_assert_eq!(http_json(&other) == http_json(&request), is_same, "{} {}", place, new);
    }

    #[test]
    fn or_5_6_two_changes_of_one_member_are_two(
        which in any::<prop::sample::Index>(), one in any_value(), other in any_value(),
    ) {
        let request = full_request();
        let place = which.get(&all_places(&request)).clone();
        let is_nothing = |value: &Value| value.is_null() || *value == "" || *value == json!([]) || *value == json!({});
        let is_same = one == other || is_nothing(&one) && is_nothing(&other) || place == "/message/role";
        let of = |new: &Value| http_json(&changed(&request, &place, Some(new)));
        prop_assert!(is_same || of(&one).is_none() || of(&one) != of(&other), "{} {} {}", place, one, other);
    }
}
