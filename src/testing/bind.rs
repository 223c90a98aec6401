//! An extension bound to a card, without a layer.

use serde::Serialize;

use crate::card::AgentCard;
use crate::extension::A2aExtension;
use crate::findings::{BuildError, Findings};

/// Binds `extension` to its declaration in `card`, as the build of a layer does, and gives it back for
/// unit tests of its gate and its stamp.
///
/// Warnings and notes are dropped. A test of these calls [`A2aExtension::bind`] itself, with its own
/// [`Findings`].
///
/// ```
/// use serde_json::{Value, json};
/// use tower_a2a_extensions::{
///     A2aCall, A2aExtension, AgentCard, DeclaredExtension, ExtensionUri, Findings, MessageGate, OutgoingObject, Stamp,
///     testing,
/// };
///
/// struct Mood(String);
///
/// impl A2aExtension for Mood {
///     fn uri(&self) -> ExtensionUri {
///         ExtensionUri::from_static("https://example.com/mood/v1")
///     }
///
///     fn bind(&mut self, _: &AgentCard, declared: &DeclaredExtension<'_>, findings: &mut Findings) {
///         match declared.params().and_then(Value::as_str) {
///             Some(mood) => self.0 = mood.to_owned(),
///             None => findings.error("mood", format!("{}/params", declared.pointer()), "`params` must be a string"),
///         }
///     }
///
///     fn gate(&self) -> Option<&dyn MessageGate> {
///         None
///     }
///
///     fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
///         if object.is_active() { Stamp::set(self.0.as_str()) } else { Stamp::remove() }
///     }
/// }
///
/// let card = |params: Value| {
///     json!({"capabilities": {"extensions": [{"uri": "https://example.com/mood/v1", "params": params}]}})
/// };
/// let mood = testing::bind(Mood(String::new()), card(json!("calm"))).unwrap();
/// assert_eq!(mood.0, "calm");
/// assert!(testing::bind(Mood(String::new()), card(json!(1))).is_err());
/// ```
///
/// # Errors
///
/// [`BuildError`] with what the extension found to be an error, or where the card is none, does not
/// declare the extension, or declares it more than once.
pub fn bind<E: A2aExtension>(mut extension: E, card: impl Serialize) -> Result<E, BuildError> {
    let card = AgentCard::from_serialize(card)?;
    let mut findings = Findings::default();
    let (uri, aliases) = (extension.uri(), extension.aliases());
    let is_its = |declared: &str| uri == declared || aliases.iter().any(|alias| *alias == declared);
    let mut declared = card.extensions().filter(|declared| declared.uri().is_some_and(is_its));
    match (declared.next(), declared.next()) {
        (Some(declared), None) => extension.bind(&card, &declared, &mut findings),
        (first, _) => {
            let times = if first.is_none() { "does not declare it" } else { "declares it more than once" };
            let message = format!("`{uri}` is to be bound, but the card {times}");
            findings.error("A2A §4.4.4", "/capabilities/extensions", message);
        }
    }
    findings.into_result().map(|_| extension)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::call::A2aCall;
    use crate::card::DeclaredExtension;
    use crate::extension::{MessageGate, OutgoingObject, Stamp};
    use crate::uri::ExtensionUri;

    #[derive(Debug, Default)]
    struct Mood(Option<String>);

    impl A2aExtension for Mood {
        fn uri(&self) -> ExtensionUri {
            ExtensionUri::from_static("https://example.com/mood/v2")
        }

        fn aliases(&self) -> Vec<ExtensionUri> {
            vec![ExtensionUri::from_static("https://example.com/mood/v1")]
        }

        fn bind(&mut self, _: &AgentCard, declared: &DeclaredExtension<'_>, findings: &mut Findings) {
            self.0 = declared.params().and_then(Value::as_str).map(str::to_owned);
            findings.note("mood", declared.pointer(), "read");
            if self.0.is_none() {
                findings.error("mood", declared.pointer(), "no mood");
            }
        }

        fn gate(&self) -> Option<&dyn MessageGate> {
            None
        }

        fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
            Stamp::keep()
        }
    }

    fn card(declared: &[(&str, &str)]) -> Value {
        let declared = declared.iter().map(|(uri, mood)| json!({"uri": uri, "params": mood})).collect::<Vec<_>>();
        json!({"capabilities": {"extensions": declared}})
    }

    #[test]
    fn it_is_bound_to_its_own_declaration_by_any_of_its_uris() {
        for version in ["v1", "v2"] {
            let uri = format!("https://example.com/mood/{version}");
            let card = card(&[("https://example.com/other", "cross"), (&uri, "calm")]);
            assert_eq!(bind(Mood::default(), &card).unwrap().0.as_deref(), Some("calm"));
            let card = AgentCard::from_serialize(card).unwrap();
            assert_eq!(bind(Mood::default(), &card).unwrap().0.as_deref(), Some("calm"));
        }
    }

    #[test]
    fn a_declaration_that_is_missing_or_there_twice_is_an_error() {
        for (declared, said) in [
            (card(&[("https://example.com/other", "cross")]), "does not declare it"),
            (json!({}), "does not declare it"),
            (card(&[("https://example.com/mood/v1", "a"), ("https://example.com/mood/v2", "b")]), "more than once"),
        ] {
            let error = bind(Mood::default(), declared).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        assert!(bind(Mood::default(), json!([])).is_err(), "no card");
    }

    #[test]
    fn what_the_extension_finds_is_told_with_its_place() {
        let card = json!({"capabilities": {"extensions": [{"uri": "https://example.com/mood/v2", "params": 1}]}});
        let error = bind(Mood::default(), card).unwrap_err();
        let places = error.findings.iter().map(|finding| (finding.message.as_str(), finding.pointer.as_str()));
        let here = "/capabilities/extensions/0";
        assert_eq!(places.collect::<Vec<_>>(), [("read", here), ("no mood", here)]);
    }
}
