//! How intervals are read: JSON has `null` for an end that is not finite, and who made the file
//! may have written it for an interval that is not known.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

type Ends = Option<[Option<f64>; 2]>;

/// An interval, where both of its ends are known.
pub(super) fn interval<'de, D: Deserializer<'de>>(from: D) -> Result<Option<[f64; 2]>, D::Error> {
    Ends::deserialize(from).map(known)
}

/// Those intervals of which both ends are known, by name.
pub(super) fn intervals<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, [f64; 2]>, D::Error> {
    let all = BTreeMap::<String, Ends>::deserialize(from)?;
    Ok(all.into_iter().filter_map(|(name, ends)| Some((name, known(ends)?))).collect())
}

fn known(ends: Ends) -> Option<[f64; 2]> {
    let [low, high] = ends?;
    Some([low?, high?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Read {
        #[serde(default, deserialize_with = "interval")]
        one: Option<[f64; 2]>,
        #[serde(default, deserialize_with = "intervals")]
        all: BTreeMap<String, [f64; 2]>,
    }

    #[test]
    fn an_end_that_is_null_makes_an_interval_unknown() {
        for (text, wanted) in [
            ("[0.5, 1.0]", Some([0.5, 1.0])),
            ("[0.5, null]", None),
            ("[null, 1.0]", None),
            ("[null, null]", None),
            ("null", None),
        ] {
            let text =
                format!("{{\"one\": {text}, \"all\": {{\"p50\": [1, 2], \"p99\": {text}}}}}");
            let read: Read = serde_json::from_str(&text).unwrap();
            assert_eq!(read.one, wanted, "{text}");
            assert_eq!(read.all.get("p99").copied(), wanted, "{text}");
            assert_eq!(read.all["p50"], [1.0, 2.0]);
        }
        let nothing: Read = serde_json::from_str("{}").unwrap();
        assert!(nothing.one.is_none() && nothing.all.is_empty());
        assert!(serde_json::from_str::<Read>("{\"one\": [1]}").is_err());
    }
}
