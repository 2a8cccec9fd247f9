//! Times in tables of features.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::schema::Scalar;
use crate::time::Nanos;
use crate::units::parse_time;

/// A time, written with its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[schemars(transparent)]
pub struct Span(#[schemars(with = "String")] pub Nanos);

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        let text = Scalar::deserialize(deserializer)?.text();
        let seconds = parse_time(&text).map_err(serde::de::Error::custom)?;
        Ok(Span(Nanos::from_secs_f64(seconds)))
    }
}
