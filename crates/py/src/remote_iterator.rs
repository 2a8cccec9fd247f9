//! Work that Python does elsewhere: an iterator gives the results.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use thinktime_core::time::Nanos;
use thinktime_sim::{RemoteReplication, RemoteReplications};

/// A callable that begins the work, and its iterator, which gives None while there is nothing new.
/// An exception ends it.
pub(crate) struct RemoteIterator {
    python: Py<PyAny>,
    pub(crate) raised: Option<PyErr>,
}

impl RemoteIterator {
    pub(crate) fn new(python: Py<PyAny>) -> RemoteIterator {
        RemoteIterator { python, raised: None }
    }

    /// Begins, with the argument of the callable.
    pub(crate) fn call(
        &mut self,
        begin: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<Py<PyAny>>,
    ) {
        match Python::attach(|py| begin(py, &self.python)) {
            Ok(iterator) => self.python = iterator,
            Err(error) => self.raised = Some(error),
        }
    }

    /// The next item, read by `read`; nothing at the end.
    pub(crate) fn next_item<T>(
        &mut self,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<Option<T>> {
        if self.raised.is_some() {
            return None;
        }
        let found = Python::attach(|py| {
            let Some(found) = self.python.bind(py).try_iter()?.next() else { return Ok(None) };
            let found = found?;
            Ok(Some(if found.is_none() { None } else { Some(read(&found)?) }))
        });
        found.unwrap_or_else(|error| {
            self.raised = Some(error);
            None
        })
    }
}

impl RemoteReplications for RemoteIterator {
    fn begin(&mut self, warmup: Nanos, rows: bool) {
        self.call(|py, python| python.call1(py, (warmup.0, rows)));
    }

    fn next(&mut self) -> RemoteReplication {
        let read = |found: &Bound<'_, PyAny>| {
            let (number, bytes): (u32, Bound<'_, PyBytes>) = found.extract()?;
            Ok((number, bytes.as_bytes().to_vec()))
        };
        match self.next_item(read) {
            Some(Some((number, bytes))) => RemoteReplication::Done(number, bytes),
            Some(None) => RemoteReplication::NothingYet,
            None => RemoteReplication::End,
        }
    }
}

impl Drop for RemoteIterator {
    /// A closed generator gives up the work under way.
    fn drop(&mut self) {
        Python::attach(|py| {
            // An iterator without this method needs no end.
            let _ = self.python.call_method0(py, "close");
        });
    }
}
