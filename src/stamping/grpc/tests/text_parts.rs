//! One text in the place of the text Parts.

use super::messages::v1::{Content, Message, Part};
use super::{decoded, leaving};
use crate::binding::Operation;
use crate::extension::Stamp;
use crate::stamping::fixture::Bench;

#[test]
fn with_text_replaces_the_text_parts_and_nothing_else() {
    let text = |text: &str| Part { content: Some(Content::Text(text.to_owned())), ..Part::default() };
    let url = Part { content: Some(Content::Url("u".to_owned())), filename: "f".to_owned(), ..Part::default() };
    let table = [
        (vec![text("a")], vec![text("not done")]),
        (vec![url.clone(), text("a"), url.clone(), text("b")], vec![url.clone(), text("not done"), url.clone()]),
        (vec![url.clone()], vec![text("not done"), url]),
    ];
    for (parts, expected) in table {
        let bench = Bench::new(&[], |_| Stamp::with_text("not done"), |_| Stamp::keep());
        bench.call.show();
        let message = Message { message_id: "m".to_owned(), role: 2, parts, ..Message::default() };
        let mut reply = Vec::new();
        prost::encoding::message::encode(2, &message, &mut reply);
        let out = leaving(&bench, Operation::SendMessage, &reply);
        let mut wanted = Vec::new();
        prost::encoding::message::encode(2, &Message { parts: expected, ..message }, &mut wanted);
        let body = |bytes: &[u8]| {
            let (tag, length) = (bytes[0], bytes[1] as usize);
            assert_eq!((tag, length), (18, bytes.len() - 2));
            decoded::<Message>(&bytes[2..])
        };
        assert_eq!(body(&out), body(&wanted));
    }
}
