//! The JSON Schema of summaries.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;

use super::Summary;

impl Summary {
    /// The JSON Schema of summaries as they are written, which have no other keys.
    #[must_use]
    pub fn schema() -> Schema {
        let closed = |schema: &mut Schema| {
            if schema.get("properties").is_some() {
                schema.insert("additionalProperties".to_owned(), false.into());
            }
        };
        let settings = SchemaSettings::default().for_serialize();
        let settings = settings.with_transform(RecursiveTransform(closed));
        settings.into_generator().into_root_schema_for::<Summary>()
    }
}
