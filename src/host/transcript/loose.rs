//! JSON values taken loosely: what has another shape than expected counts as absent.
//!
//! The agents change their formats from version to version, and one key holds a text in one
//! record and an object in the next. So no type here refuses a value: a record is only damaged
//! where it is no JSON. Lists are taken up item by item as they are read, and never held.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use super::text::Text;

/// A yes or no, where one is said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flag(pub(super) Option<bool>);

/// A whole number, where one is said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number(pub(super) Option<i64>);

/// An object of known keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object<T>(pub(super) Option<T>);

/// A list, a map or a text, taken up item by item.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gathered<G>(pub(super) G);

/// What is made of the items of a list, one by one.
pub(super) trait Gather<'de>: Default {
    /// What the list holds.
    type Item: Deserialize<'de>;

    /// Takes the next item of a list.
    fn item(&mut self, item: Self::Item);

    /// Takes the next entry of a map.
    fn entry(&mut self, _key: &Text<'de>, _item: Self::Item) {}

    /// Takes the text that stands in the place of a list.
    fn text(&mut self, _text: Text<'de>) {}
}

impl Flag {
    /// Whether it says yes.
    pub(super) fn is_set(self) -> bool {
        self.0 == Some(true)
    }
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// What can be made of a JSON value of any shape: by default nothing.
trait Loose<'de>: Default {
    fn flag(_: bool) -> Self {
        Self::default()
    }

    fn number(_: i64) -> Self {
        Self::default()
    }

    fn text(_: Text<'de>) -> Self {
        Self::default()
    }

    fn list<A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_seq(items).map(|_| Self::default())
    }

    fn map<A: MapAccess<'de>>(entries: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_map(entries).map(|_| Self::default())
    }
}

/// Takes a value of any shape.
struct Any<T>(PhantomData<T>);

impl<'de, T: Loose<'de>> Visitor<'de> for Any<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<T, E> {
        Ok(T::flag(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<T, E> {
        Ok(T::number(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<T, E> {
        Ok(i64::try_from(value).map(T::number).unwrap_or_default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::text(Text::Plain(text.to_owned().into())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::text(Text::Plain(text.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        T::list(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<T, A::Error> {
        T::map(entries)
    }
}

impl Loose<'_> for Flag {
    fn flag(value: bool) -> Self {
        Self(Some(value))
    }
}

impl Loose<'_> for Number {
    fn number(value: i64) -> Self {
        Self(Some(value))
    }
}

impl<'de, T: Deserialize<'de>> Loose<'de> for Object<T> {
    fn map<A: MapAccess<'de>>(entries: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(|object| Self(Some(object)))
    }
}

impl<'de, G: Gather<'de>> Loose<'de> for Gathered<G> {
    fn text(text: Text<'de>) -> Self {
        let mut gathered = G::default();
        gathered.text(text);
        Self(gathered)
    }

    fn list<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        let mut gathered = G::default();
        while let Some(item) = items.next_element()? {
            gathered.item(item);
        }
        Ok(Self(gathered))
    }

    fn map<A: MapAccess<'de>>(mut entries: A) -> Result<Self, A::Error> {
        let mut gathered = G::default();
        while let Some((key, item)) = entries.next_entry()? {
            gathered.entry(&key, item);
        }
        Ok(Self(gathered))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any(PhantomData))
    }
}

impl<'de, G: Gather<'de>> Deserialize<'de> for Gathered<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any(PhantomData))
    }
}
