use super::*;

fn declared(list: &[(&[&'static str], bool)]) -> DeclaredUris {
    let entries = list.iter().map(|(spellings, required)| DeclaredUri {
        spellings: spellings.iter().map(|uri| ExtensionUri::from_static(uri)).collect(),
        required: *required,
    });
    DeclaredUris::new(entries.collect())
}

fn active(activation: &Activation, declared: &DeclaredUris) -> Vec<String> {
    activation.uris(declared).map(|uri| uri.as_str().to_owned()).collect()
}

#[test]
fn a_declined_extension_is_off_until_the_seal_and_then_nothing_changes() {
    let uris = declared(&[(&["x:a"], false), (&["x:b"], false)]);
    let activation = Activation::negotiate(&uris, [&b"x:b"[..], b"x:a"].into_iter());
    assert_eq!(activation.decline(0), Ok(()));
    assert_eq!(active(&activation, &uris), ["x:b"]);
    activation.seal();
    assert_eq!(activation.decline(1), Err(DeclineError::HeadSent));
    assert_eq!(active(&activation, &uris), ["x:b"]);
}

#[test]
fn f8_an_alias_activates_and_is_echoed_as_it_was_asked_for() {
    let uris = declared(&[(&["x:new", "x:old"], true)]);
    let activation = Activation::negotiate(&uris, [&b"x:old"[..], b"x:new"].into_iter());
    assert_eq!(active(&activation, &uris), ["x:old"]);
    assert_eq!(activation.spelling(&uris, 0).map(ExtensionUri::as_str), Some("x:old"));
    assert_eq!(uris.missing(&activation).count(), 0);
}

#[test]
fn what_is_required_and_not_asked_for_is_missing() {
    let uris = declared(&[(&["x:a"], true), (&["x:b"], false), (&["x:c"], true)]);
    let activation = Activation::negotiate(&uris, [&b"x:c"[..]].into_iter());
    assert_eq!(uris.missing(&activation).map(ExtensionUri::as_str).collect::<Vec<_>>(), ["x:a"]);
}

#[test]
fn the_last_of_63_can_be_asked_for_declined_and_told_from_the_seal() {
    let list = (0..MAX_DECLARED)
        .map(|n| DeclaredUri { spellings: vec![ExtensionUri::new(format!("x:{n}")).unwrap()], required: false });
    let uris = DeclaredUris::new(list.collect());
    let all = (0..MAX_DECLARED).map(|n| format!("x:{n}")).collect::<Vec<_>>();
    let activation = Activation::negotiate(&uris, all.iter().map(String::as_bytes));
    assert_eq!(active(&activation, &uris), all);
    activation.decline(MAX_DECLARED - 1).unwrap();
    assert!(!activation.is_active(MAX_DECLARED - 1));
    assert_eq!(activation.decline(0), Ok(()), "the last bit is not the seal");
}

#[test]
fn an_extension_that_denies_itself_is_not_active() {
    let uris = declared(&[(&["x:a"], false)]);
    let mut activation = Activation::negotiate(&uris, [&b"x:a"[..]].into_iter());
    activation.deny(0);
    assert!(activation.is_requested(0) && !activation.is_active(0));
    assert!(active(&activation, &uris).is_empty());
}
