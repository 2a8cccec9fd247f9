//! Arrays whose elements are read one by one.

use super::Scanner;
use crate::reason::Reason;

impl<'a> Scanner<'a> {
    /// Whether anything but spaces is left.
    pub(in crate::formats) fn has_more(&mut self) -> bool {
        self.peek().is_some()
    }

    /// The first key of an object, if this is one.
    pub(in crate::formats) fn first_key(mut self) -> Option<String> {
        self.expect(b'{').ok()?;
        let (key, escaped) = self.string().ok()?;
        (!escaped).then(|| String::from_utf8_lossy(key).into_owned())
    }

    /// Iterates over the array at a path such as `log.entries`, and passes every value's text.
    pub(in crate::formats) fn each_of(
        &mut self,
        path: &[&str],
        each: &mut dyn FnMut(&'a [u8]),
    ) -> Result<(), Reason> {
        let Some((first, rest)) = path.split_first() else {
            return self.array(|scanner, _| {
                scanner.peek();
                let begin = scanner.at;
                scanner.skip()?;
                each(&scanner.text[begin..scanner.at]);
                Ok(())
            });
        };
        self.object(|scanner, key| {
            if key == first.as_bytes() { scanner.each_of(rest, each) } else { scanner.skip() }
        })
    }
}
