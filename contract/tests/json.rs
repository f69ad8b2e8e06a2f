//! JSON is read and written as others do, but where leniency would be dangerous.

use contract::json::{Json, MAX_DEPTH, MAX_LEN};
use proptest::prelude::*;

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<u64>().prop_map(Json::number),
        ".*".prop_map(Json::Text),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let object = prop::collection::btree_map(".*", inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Json::List),
            object.prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

fn fault(text: &str) -> String {
    text.parse::<Json>().unwrap_err().to_string()
}

#[test]
fn faults_are_named_with_their_place() {
    let table = [
        ("", "it is not JSON: an end where a value should be at byte 0"),
        ("{", "it is not JSON: no `\"` at byte 1"),
        ("[1,]", "it is not JSON: no value at byte 3"),
        ("[1 2]", "it is not JSON: neither `,` nor `]` at byte 3"),
        ("{\"a\":1,\"a\":2}", "it is not JSON: a name for the second time at byte 10"),
        ("01", "it is not JSON: a number with a zero before it at byte 2"),
        ("1.", "it is not JSON: no digit at byte 2"),
        ("nul", "it is not JSON: no value at byte 0"),
        ("\"\\ud800\"", "it is not JSON: half a character at byte 7"),
        ("\"\\u12\"", "it is not JSON: no four hexadecimal digits at byte 2"),
        ("\"a\nb\"", "it is not JSON: a control character in a text at byte 2"),
        ("{} {}", "it is not JSON: something after its end at byte 3"),
    ];
    for (text, message) in table {
        assert_eq!(fault(text), message, "{text}");
    }
}

#[test]
fn what_would_exhaust_memory_or_stack_is_refused() {
    assert!(fault(&"[".repeat(MAX_LEN)).contains("too deep"));
    assert!(fault(&" ".repeat(MAX_LEN + 1)).contains("too long"));
    let deepest = format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1));
    assert!(deepest.parse::<Json>().is_ok());
}

#[test]
fn an_object_may_have_as_many_names_as_a_text_holds() {
    let names = (0..25_000).map(|name| format!("\"{name}\":0")).collect::<Vec<_>>().join(",");
    let Ok(Json::Object(fields)) = format!("{{{names}}}").parse() else { panic!("no object") };
    assert_eq!(fields.len(), 25_000);
    assert!(fault(&format!("{{{names},\"0\":1}}")).contains("a name for the second time"));
}

#[test]
fn numbers_keep_their_digits() {
    for digits in ["0", "-1", "18446744073709551615", "9.0", "1e-7"] {
        assert_eq!(digits.parse(), Ok(Json::Number(digits.to_owned())));
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(json in any_json()) {
        prop_assert_eq!(json.to_string().parse(), Ok(json));
    }

    #[test]
    fn others_read_what_is_written(json in any_json()) {
        let text = json.to_string();
        let other: serde_json::Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), other.clone());
        let pretty = serde_json::to_string_pretty(&other).unwrap();
        prop_assert!(pretty.parse::<Json>().is_ok(), "{}", pretty);
    }

    #[test]
    fn what_is_read_is_json_to_others_too(text in "[\\[\\]{}\",:0-9eE.+\\-\\\\u a-ftrlns]{0,24}") {
        if text.parse::<Json>().is_ok() {
            // Others may find a number too large to hold, which is no question of form.
            let other = serde_json::from_str::<serde_json::Value>(&text);
            prop_assert!(other.as_ref().err().is_none_or(|error| error.to_string().contains("out of range")), "{other:?}");
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text: String) {
        let _ = text.parse::<Json>();
    }
}
