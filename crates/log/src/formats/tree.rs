//! The values to read from JSON texts, and their meanings.

use crate::field::Field;

/// A key to read, with the keys beneath it.
#[derive(Debug, Default)]
pub(super) struct Node {
    key: String,
    pub(super) field: Option<Field>,
    pub(super) user: bool,
    pub(super) beneath: Vec<Node>,
}

impl Node {
    /// The tree of paths such as `request.headers.Referer`, each with its meaning, and whether it
    /// identifies the user.
    pub(super) fn tree(fields: Vec<(&str, Field, bool)>) -> Node {
        let mut root = Node::default();
        for (path, field, user) in fields {
            let mut node = &mut root;
            for key in path.split('.') {
                let place = node.beneath.iter().position(|other| other.key == key);
                let place = place.unwrap_or_else(|| {
                    node.beneath.push(Node { key: key.to_owned(), ..Node::default() });
                    node.beneath.len() - 1
                });
                node = &mut node.beneath[place];
            }
            node.field = Some(field);
            node.user = user;
        }
        root
    }

    /// The use of the value of a key. A key such as `id.orig_h` is a path of its own.
    pub(super) fn child(&self, key: &[u8]) -> Option<&Node> {
        key.split(|byte| *byte == b'.').try_fold(self, |node, part| {
            node.beneath.iter().find(|node| node.key.as_bytes().eq_ignore_ascii_case(part))
        })
    }
}
