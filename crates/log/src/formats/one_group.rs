//! Objects in which one group has the request: its target is that of the group, even if a key
//! outside has the usual name too, as Vercel's `path` of a function beside `proxy.path`.

use super::FormatOptions;
use super::column_names::{Resolved, resolve};
use crate::field::Field;

/// The meanings with the target in the group of the method, if the group has one and the target is
/// that of a key without a group. What a mapping names says what it is.
pub(super) fn preferred(
    names: &[String],
    resolved: &Resolved,
    wanted: &FormatOptions<'_>,
) -> Option<Resolved> {
    let name_of = |of: &Resolved, wanted: &[Field]| {
        let place = of.columns.iter().position(|(field, _)| wanted.contains(field))?;
        Some(names[place].clone())
    };
    let target = [Field::Url, Field::Request];
    let method = name_of(resolved, &[Field::Method])?;
    let (group, _) = method.rsplit_once('.')?;
    let outside = name_of(resolved, &target)?;
    let is_mapped = wanted.argument.is_some_and(|mapping| mapping.contains(&outside));
    if is_mapped || outside.contains('.') {
        return None;
    }
    let of_request = [Field::Url, Field::Request, Field::Query, Field::Host, Field::Status];
    let of_group = |one: &String| one.rsplit_once('.').is_some_and(|(own, _)| own == group);
    let inside: Vec<String> = names
        .iter()
        .zip(&resolved.columns)
        .map(|(name, (field, user))| {
            let is_outside = !name.contains('.') && of_request.contains(field) && !user;
            if is_outside { String::new() } else { name.clone() }
        })
        .collect();
    let mut found = resolve(&inside, wanted.argument, wanted.user, true).ok()?;
    // A host or a status may still stand outside alone.
    for (place, (field, user)) in resolved.columns.iter().enumerate() {
        let alone = [Field::Query, Field::Host, Field::Status].contains(field);
        if alone && !found.columns.iter().any(|(own, _)| own == field) {
            found.columns[place] = (field.clone(), *user);
        }
    }
    name_of(&found, &target).filter(of_group).map(|_| found)
}
