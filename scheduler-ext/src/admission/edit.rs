//! Changing an object of which only some is known.

use serde_json::{Map, Value};

/// Puts `new` at `path`, with the objects on the way made where there is none or null. What is no object stays as it is.
pub(super) fn set(value: &mut Value, path: &[&str], new: Value) {
    let Some((first, rest)) = path.split_first() else {
        *value = new;
        return;
    };
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    if let Some(object) = value.as_object_mut() {
        set(object.entry(*first).or_insert(Value::Null), rest, new);
    }
}
