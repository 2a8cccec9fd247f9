//! The keys of a table that give a request's method and target.

use thinktime_file::error::Invalid;
use thinktime_file::workload::RequestTable;

use super::content::grpc;
use super::content::header::is_token;
use super::method::Method;

/// A method, the key of its target, and the target.
pub(crate) type MethodAndTarget = (Method, &'static str, String);

/// The target without a fragment, which never goes to a server: RFC 9110, section 4.2.5. A `#` in
/// braces belongs to what is drawn.
fn without_fragment(target: &str) -> &str {
    let mut depth = 0;
    let begins = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == '#' && depth == 0
    };
    target.find(begins).map_or(target, |place| &target[..place])
}

/// A method without a key of its own.
fn other_method(table: &RequestTable) -> Result<Option<MethodAndTarget>, (&'static str, Invalid)> {
    match (&table.method, &table.target) {
        (None, None) => Ok(None),
        (Some(word), Some(target)) => {
            if !is_token(word) {
                let message = format!("`{word}` is no method of HTTP, as PROPFIND is");
                return Err(("method", Invalid::new(message)));
            }
            let method = Method::of_http(word.as_bytes()).unwrap_or(Method::Other);
            Ok(Some((method, "target", target.clone())))
        }
        (Some(_), None) => {
            Err(("method", Invalid::new("needs a `target`, as in target = \"/item/7\"")))
        }
        (None, Some(_)) => Err(("target", Invalid::new("goes with `method` only"))),
    }
}

/// The method of a table; an error comes with its key.
pub(crate) fn method_and_target(
    table: &RequestTable,
) -> Result<MethodAndTarget, (&'static str, Invalid)> {
    let other = other_method(table)?;
    let root = || "/".to_owned();
    let mut given = [
        (Method::Get, "get", table.get.clone()),
        (Method::Head, "head", table.head.clone()),
        (Method::Post, "post", table.post.clone()),
        (Method::Put, "put", table.put.clone()),
        (Method::Delete, "delete", table.delete.clone()),
        (Method::Patch, "patch", table.patch.clone()),
        (Method::Options, "options", table.options.clone()),
        (Method::Post, "grpc", table.grpc.as_deref().map(grpc::target)),
        (Method::Send, "send", table.send.as_ref().map(|_| root())),
        (Method::Send, "send_hex", table.send_hex.as_ref().map(|_| root())),
        (Method::Sql, "sql", table.sql.as_ref().map(|_| root())),
        (Method::Sql, "transaction", table.transaction.as_ref().map(|_| root())),
    ]
    .into_iter()
    .filter_map(|(method, key, target)| Some((method, key, target?)))
    .chain(other);
    let Some(first) = given.next() else { return Ok((Method::Get, "get", root())) };
    match given.next() {
        None => Ok((first.0, first.1, without_fragment(&first.2).to_owned())),
        Some((_, key, _)) => {
            let why = format!("a request has one method, and `{}` is given already", first.1);
            Err((key, Invalid::new(why)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_left_out_but_not_what_is_drawn() {
        let cases = [
            ("/a#top", "/a"),
            ("/a?q=1#/route?x=2", "/a?q=1"),
            ("/a#", "/a"),
            ("/a#b#c", "/a"),
            ("/a%23b", "/a%23b"),
            ("/{empirical(n#1.txt)}/b#c", "/{empirical(n#1.txt)}/b"),
            ("/{word}#{part}", "/{word}"),
        ];
        for (given, sent) in cases {
            assert_eq!(without_fragment(given), sent);
        }
    }
}
