//! Clients as scripts in Luau: straight-line code, one coroutine a session.
//!
//! ```luau
//! return function(client)
//!     local page = client:get("/", { name = "home" })
//!     client:check("home is there", page.ok)
//!     client:think("exp(7s)")
//! end
//! ```
//!
//! A session that waits has yielded: it costs only its coroutine. The driver receives its wait as a
//! [`thinktime_core::program::Action`], so the same script runs against a real server and a
//! modelled one. Sessions share only `client.shared`: globals are frozen, and the script's own
//! variables are made anew for each session. A session that never waits is ended when its
//! instructions are used up, and so is one that asks for too much memory; the run continues.
//!
//! The modules: `prelude.luau` is the scripts' view, `host` its functions in Rust, `machine` the
//! interpreter with all its sessions, `sandbox` the names that scripts may use. `shared` has the
//! shared variables and `variables` the scripts' view of them. `children` has a session's parallel
//! work and `family` its state, `sql` the requests for `statements` and transactions, `json` the
//! conversion between text and tables.

mod answer;
mod call;
mod children;
mod data;
mod family;
mod form;
mod function_factory;
mod functions;
mod host;
mod json;
mod machine;
mod sandbox;
mod send;
mod shared;
mod sql;
mod statements;
mod text;
mod variables;

use std::sync::Arc;

use thinktime_core::data::DataTable;
use thinktime_core::error::Invalid;
use thinktime_core::program::{ProgramSource, Programs};
use thinktime_core::request::GrpcCall;

use machine::Machine;

/// A script, compiled once and run for every session.
#[derive(Clone, Debug)]
pub struct Script {
    inner: Arc<Text>,
}

#[derive(Debug)]
struct Text {
    name: String,
    source: String,
    requests: Vec<String>,
    /// Which of these are calls of gRPC; empty if there is no such call.
    calls: Vec<Option<Arc<GrpcCall>>>,
}

impl Script {
    /// Compiles the text of the file `name`, for a workload with requests of these names.
    ///
    /// # Errors
    /// When it is not Luau; the message names file and line.
    pub fn compile(name: &str, source: &str, requests: &[&str]) -> Result<Script, Invalid> {
        let requests = requests.iter().map(|&request| request.to_owned()).collect();
        let (name, source) = (name.to_owned(), source.to_owned());
        let script = Script { inner: Arc::new(Text { name, source, requests, calls: Vec::new() }) };
        let data: Arc<[DataTable]> = Arc::new([]);
        Machine::new(&script.inner, 0, &data)
            .map_err(|error| Invalid::new(sandbox::words(&error)))?;
        Ok(script)
    }

    /// The same script with the gRPC call of each request, in their order; nothing for others.
    #[must_use]
    pub fn calling(&self, calls: impl Iterator<Item = Option<Arc<GrpcCall>>>) -> Script {
        let Text { name, source, requests, .. } = &*self.inner;
        let (name, source, requests) = (name.clone(), source.clone(), requests.clone());
        Script { inner: Arc::new(Text { name, source, requests, calls: calls.collect() }) }
    }
}

impl ProgramSource for Script {
    fn programs(&self, seed: u64, data: &Arc<[DataTable]>) -> Box<dyn Programs> {
        let machine = Machine::new(&self.inner, seed, data);
        Box::new(machine.expect("the script was compiled before"))
    }
}

#[cfg(test)]
mod tests;
