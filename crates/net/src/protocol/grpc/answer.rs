//! Answers: received messages as JSON.

use std::io::{self, Write};

use prost_reflect::{DynamicMessage, SerializeOptions};
use thinktime_core::request::GrpcCall;

/// An answer as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The message; or the list of messages of a streaming method. Empty if a method with one
    /// message gave none.
    pub json: Vec<u8>,
    /// Whether it is cut.
    pub cut: bool,
}

/// An answer holds something else than messages of the method's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAnswer;

/// The received body of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Whether it may end amid a message.
    pub partial: bool,
    /// The most messages in it.
    pub messages: usize,
}

/// The JSON mapping of Protocol Buffers: all fields are present, except unset ones with explicit
/// presence; 64-bit integers are texts.
const OPTIONS: SerializeOptions = SerializeOptions::new().skip_default_fields(false);

impl Body<'_> {
    /// The messages of the answer to a call as JSON of up to this many bytes, in whole messages.
    ///
    /// # Errors
    /// If it holds something else, or compressed messages, which nobody requested.
    pub fn read(&self, call: &GrpcCall, bytes_max: usize) -> Result<Answer, NoAnswer> {
        let stream = call.gives_stream();
        // Room for the bracket that ends a list.
        let mut json = Bounded { bytes: Vec::new(), max: bytes_max.saturating_sub(1) };
        let (mut rest, mut count, mut cut) = (self.bytes, 0, false);
        while !rest.is_empty() && count < self.messages && !cut {
            let Some((message, after)) = first(rest)? else { break };
            let before = json.bytes.len();
            let sign: &[u8] = match (stream, count) {
                (false, 1..) => return Err(NoAnswer),
                (false, _) => b"",
                (true, 0) => b"[",
                (true, _) => b",",
            };
            let message = DynamicMessage::decode(call.output(), message).map_err(|_| NoAnswer)?;
            let written = json.write_all(sign).is_ok() && write(&message, &mut json)?;
            if !written {
                json.bytes.truncate(before);
                cut = true;
            }
            (rest, count) = (after, count + 1);
        }
        if !rest.is_empty() && !self.partial && !cut {
            return Err(NoAnswer);
        }
        let mut json = json.bytes;
        if stream {
            json.extend_from_slice(if json.is_empty() { b"[]" } else { b"]" });
        }
        Ok(Answer { json, cut })
    }
}

/// A message, and the rest after it.
type Split<'a> = (&'a [u8], &'a [u8]);

/// The first message of a body; nothing if it is incomplete.
fn first(body: &[u8]) -> Result<Option<Split<'_>>, NoAnswer> {
    let Some((&[compressed, ref length @ ..], rest)) = body.split_first_chunk::<5>() else {
        return Ok(None);
    };
    if compressed != 0 {
        return Err(NoAnswer);
    }
    Ok(rest.split_at_checked(u32::from_be_bytes(*length) as usize))
}

/// Whether all of it had room.
fn write(message: &DynamicMessage, json: &mut Bounded) -> Result<bool, NoAnswer> {
    let mut writer = serde_json::Serializer::new(json);
    match message.serialize_with_options(&mut writer, &OPTIONS) {
        Ok(()) => Ok(true),
        Err(error) if error.is_io() => Ok(false),
        Err(_) => Err(NoAnswer),
    }
}

/// Bytes, and their maximum: a short message can be long as JSON.
struct Bounded {
    bytes: Vec<u8>,
    max: usize,
}

impl Write for Bounded {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + part.len() > self.max {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
