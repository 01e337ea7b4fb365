//! The members of one JSON object, found but not yet understood.
//!
//! Values stay raw, so that numbers are read by our rule and not by the parser's (which depends on
//! the features that some other crate of the program turned on), and so that a value of any depth
//! costs no stack.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::super::{Fault, Field};

/// The values of the known fields, and the first field that stood there twice.
#[derive(Default)]
pub(super) struct Members<'a> {
    values: [Option<&'a RawValue>; Field::ALL.len()],
    pub(super) duplicate: Option<Field>,
}

impl<'a> Members<'a> {
    /// Returns whether the field is there, whatever its value.
    pub(super) fn has(&self, field: Field) -> bool {
        self.raw(field).is_some()
    }

    /// Returns the number that the field holds.
    pub(super) fn number(&self, field: Field) -> Result<Option<u64>, Fault> {
        let Some(raw) = self.raw(field) else { return Ok(None) };
        if !raw.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
            return Err(Fault::WrongType(field));
        }
        raw.parse().map(Some).map_err(|_| Fault::OutOfRange(field))
    }

    /// Returns the string that the field holds.
    pub(super) fn string(&self, field: Field) -> Result<Option<Cow<'a, str>>, Fault> {
        let Some(raw) = self.raw(field) else { return Ok(None) };
        let inner = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let inner = inner.ok_or(Fault::WrongType(field))?;
        if !inner.contains('\\') {
            return Ok(Some(Cow::Borrowed(inner)));
        }
        // All else that can be wrong with a string was refused when its end was looked for.
        let unescaped = serde_json::from_str(raw).map_err(|_| Fault::LoneSurrogate(field))?;
        Ok(Some(Cow::Owned(unescaped)))
    }

    fn raw(&self, field: Field) -> Option<&'a str> {
        self.values.get(field as usize).copied().flatten().map(RawValue::get)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::default();
        while let Some(Key(field)) = map.next_key()? {
            let Some(field) = field else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value()?;
            let slot = members.values.get_mut(field as usize);
            if slot.is_some_and(|slot| slot.replace(value).is_some()) {
                members.duplicate.get_or_insert(field);
            }
        }
        Ok(members)
    }
}

/// A key: the field that it names, or none that we know.
struct Key(Option<Field>);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Word)
    }
}

struct Word;

impl Visitor<'_> for Word {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, word: &str) -> Result<Key, E> {
        Ok(Key(Field::ALL.into_iter().find(|field| field.key() == word)))
    }
}
