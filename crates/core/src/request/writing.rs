//! Writing a session's request, with its draws and values.

use super::call::{Call, MessageOf};
use super::content::message::write_all;
use super::content::template::Unwritten;
use super::kind::RequestKind;
use crate::random::Stream;

impl RequestKind {
    /// The request of a session, if it contains draws or the session's values: draws from `stream`,
    /// values by their places.
    ///
    /// # Errors
    /// When a value is missing, or does not fit in its place.
    pub fn call<'v>(
        &self,
        stream: &mut Stream,
        value: &impl Fn(usize) -> Option<&'v [u8]>,
    ) -> Option<Result<Call, Unwritten>> {
        self.value_use.composed.as_ref().map(|composed| {
            let mut target = Vec::new();
            composed.target.write(&mut target, stream, value)?;
            let mut headers = Vec::with_capacity(composed.headers.len());
            for field in &composed.headers {
                let mut bytes = Vec::new();
                match field.value.write(&mut bytes, stream, value) {
                    Err(Unwritten::Missing(_)) if field.optional => continue,
                    written => written?,
                }
                let text = String::from_utf8(bytes).map_err(|_| Unwritten::Unfit)?;
                headers.push((field.name.clone(), text));
            }
            let (mut body, mut cuts) = (Vec::new(), Vec::new());
            match &self.grpc {
                Some(call) => call.write(&mut body, stream, value)?,
                None => write_all(&composed.body, &mut body, &mut cuts, stream, value)?,
            }
            let target = String::from_utf8(target).map_err(|_| Unwritten::Unfit)?;
            if self.method.is_http() && !target.starts_with('/') {
                return Err(Unwritten::Unfit);
            }
            let (method, binary) = (self.method, self.message.binary);
            let grpc = self.grpc.as_ref().map(|_| MessageOf::Workload);
            let (expect, sql) = (None, None);
            Ok(Call { method, target, headers, body, cuts, binary, expect, grpc, sql })
        })
    }
}
