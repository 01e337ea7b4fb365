//! The schemas of the answers in JSON, and whether an answer is as its schema says.
//!
//! It knows the keywords that the schemas use, and fails on any other: one that is passed over
//! would promise what nobody checks.

use std::{fs, path::Path};

use serde_json::{Map, Value};

/// A schema of `docs/schema`.
pub(crate) struct Schema {
    whole: Value,
}

impl Schema {
    /// Reads the schema of a command's answers; `None` where there is none.
    #[track_caller]
    pub(crate) fn of(command: &str) -> Option<Self> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(command);
        let text = fs::read_to_string(file.with_extension("json")).ok()?;
        Some(Self { whole: serde_json::from_str(&text).expect("JSON") })
    }

    /// Returns where a value is not as the schema says, and why.
    pub(crate) fn faults(&self, value: &Value) -> Vec<String> {
        self.check(&self.whole, value, "$")
    }

    fn check(&self, schema: &Value, value: &Value, place: &str) -> Vec<String> {
        let schema = schema.as_object().unwrap_or_else(|| panic!("{place}: a schema is an object"));
        let faults = schema.iter().flat_map(|(keyword, said)| {
            self.keyword((keyword, said), schema, value, place).into_iter()
        });
        faults.collect()
    }

    fn keyword(
        &self,
        (keyword, said): (&str, &Value),
        schema: &Map<String, Value>,
        value: &Value,
        place: &str,
    ) -> Vec<String> {
        let holds = |holds: bool| {
            let fault = (!holds).then(|| format!("{place} is {value}, against {keyword} {said}"));
            Vec::from_iter(fault)
        };
        let list = || said.as_array().expect("a list");
        let length = value.as_array().map(|it| it.len() as u64);
        let fits = || list().iter().filter(|one| self.check(one, value, place).is_empty()).count();
        match keyword {
            "$schema" | "title" | "description" | "$defs" => Vec::new(),
            "$ref" => self.check(self.named(said), value, place),
            "type" => holds(match said {
                Value::Array(types) => types.iter().any(|name| is_of_type(value, name)),
                name => is_of_type(value, name),
            }),
            "const" => holds(value == said),
            "enum" => holds(list().contains(value)),
            "oneOf" => holds(fits() == 1),
            "anyOf" => holds(fits() > 0),
            "minimum" => holds(integer(value).is_none_or(|it| Some(it) >= integer(said))),
            "maximum" => holds(integer(value).is_none_or(|it| Some(it) <= integer(said))),
            "minItems" => holds(length.is_none_or(|it| it >= said.as_u64().expect("a number"))),
            "maxItems" => holds(length.is_none_or(|it| it <= said.as_u64().expect("a number"))),
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                items.flat_map(|(at, it)| self.check(said, it, &format!("{place}[{at}]"))).collect()
            }
            "required" => {
                let is_there = |name: &Value| value.get(name.as_str().expect("a name")).is_some();
                holds(!value.is_object() || list().iter().all(is_there))
            }
            "properties" => self.properties(said, value, place),
            "additionalProperties" => {
                assert_eq!(said, false, "{place}");
                holds(has_no_other_keys(schema, value))
            }
            _ => panic!("{place}: the keyword {keyword} is not known here"),
        }
    }

    fn properties(&self, said: &Value, value: &Value, place: &str) -> Vec<String> {
        let said = said.as_object().into_iter().flatten();
        let there = said.filter_map(|(name, schema)| Some((name, schema, value.get(name)?)));
        there
            .flat_map(|(name, schema, it)| self.check(schema, it, &format!("{place}.{name}")))
            .collect()
    }

    fn named(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|it| it.strip_prefix('#')).expect("of this file");
        self.whole.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is nowhere"))
    }
}

/// Returns an integer, which can be as great as any count is.
fn integer(value: &Value) -> Option<i128> {
    value.as_u64().map(i128::from).or_else(|| value.as_i64().map(i128::from))
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("a name") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => integer(value).is_some(),
        other => panic!("the type {other} is not known here"),
    }
}

/// Whether an object has no keys but those that a schema knows.
fn has_no_other_keys(schema: &Map<String, Value>, value: &Value) -> bool {
    let is_known =
        |name: &String| schema.get("properties").is_some_and(|it| it.get(name).is_some());
    value.as_object().is_none_or(|it| it.keys().all(is_known))
}
