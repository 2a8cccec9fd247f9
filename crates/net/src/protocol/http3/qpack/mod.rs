//! Header compression (QPACK), RFC 9204, with the static table alone.
//!
//! The client grants the server no dynamic table and uses none of the server's. Each header block
//! is therefore independent, and the streams of the encoder and the decoder are empty.

mod table;

use super::{Http3Error, LIST_BYTES_MAX};
use crate::protocol::literals::{
    Undecodable, push_integer, push_string, push_string_after, take_integer, take_string,
    take_string_of,
};
use table::STATIC;

/// The overhead of a field in a list besides its name and value, in bytes.
const OVERHEAD: usize = 32;

/// Writes a header block.
#[derive(Debug)]
pub(super) struct Encoder {
    block: Vec<u8>,
    list: u64,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        // No entry of a dynamic table is needed, and so the base has no meaning.
        let mut block = Vec::with_capacity(256);
        block.extend_from_slice(&[0, 0]);
        Encoder { block, list: 0 }
    }

    /// Appends a field. The name is in lower case.
    pub(super) fn push(&mut self, name: &str, value: &[u8]) {
        self.list += (name.len() + value.len() + OVERHEAD) as u64;
        let mut of_name = None;
        for (place, (own, own_value)) in STATIC.iter().enumerate() {
            if *own != name {
                continue;
            }
            if own_value.as_bytes() == value {
                return push_integer(&mut self.block, 0xc0, 6, place);
            }
            of_name = of_name.or(Some(place));
        }
        match of_name {
            Some(place) => push_integer(&mut self.block, 0x50, 4, place),
            None => push_string_after(&mut self.block, 0x20, 3, name.as_bytes()),
        }
        push_string(&mut self.block, value);
    }

    /// The block, and the size of its list as RFC 9114 counts it (section 4.2.2).
    pub(super) fn finish(self) -> (Vec<u8>, u64) {
        (self.block, self.list)
    }
}

/// Reads a whole block, and hands each field's name and value to `take`.
///
/// # Errors
/// If the block cannot be read, or is too large.
pub(super) fn decode(
    mut block: &[u8],
    mut take: impl FnMut(&[u8], &[u8]),
) -> Result<(), Http3Error> {
    // No entry of a dynamic table can be required; a sign would make the base negative.
    let required = take_integer(&mut block, 8)?;
    let negative = block.first().is_some_and(|byte| byte & 0x80 != 0);
    take_integer(&mut block, 7)?;
    if required != 0 || negative {
        return Err(Http3Error::Decompression);
    }
    let (mut own_name, mut own_value) = (Vec::new(), Vec::new());
    let mut list = 0;
    while let Some(&first) = block.first() {
        let (name, value) = if first & 0xc0 == 0xc0 {
            let (name, value) = entry(take_integer(&mut block, 6)?)?;
            (name.as_bytes(), value.as_bytes())
        } else {
            let name = if first & 0xd0 == 0x50 {
                entry(take_integer(&mut block, 4)?)?.0.as_bytes()
            } else if first & 0xe0 == 0x20 {
                take_string_of(&mut block, 3, &mut own_name)?;
                &own_name[..]
            } else {
                // All other forms refer to a dynamic table.
                return Err(Http3Error::Decompression);
            };
            take_string(&mut block, &mut own_value)?;
            (name, &own_value[..])
        };
        list += name.len() + value.len() + OVERHEAD;
        if list > LIST_BYTES_MAX {
            return Err(Http3Error::HeadTooLarge);
        }
        take(name, value);
    }
    Ok(())
}

fn entry(index: usize) -> Result<&'static (&'static str, &'static str), Undecodable> {
    STATIC.get(index).ok_or(Undecodable)
}

#[cfg(test)]
mod tests;
