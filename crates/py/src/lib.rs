//! `thinktime._core`: glue between the Rust crates and Python, and nothing else.

mod authority;
mod columns;
mod disk_files;
mod distribution;
mod errors;
mod fidelity;
mod fits;
mod generators;
mod journeys;
mod learn;
mod machine;
mod monitor;
mod parameters;
mod population;
mod python_values;
mod remote_iterator;
mod replay;
mod result;
mod run;
mod run_table;
mod schema;
mod secrets;
mod serve;
mod simulate;
mod storage;
mod supervise;
mod switch;
mod system;
mod table;
mod tails;
mod traces;
mod visits;
mod workload;

use pyo3::prelude::*;

/// The compiled half of Thinktime.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    module.add_class::<distribution::Distribution>()?;
    module.add_class::<workload::Workload>()?;
    module.add_class::<population::Population>()?;
    module.add_class::<system::System>()?;
    module.add_class::<system::Station>()?;
    module.add_class::<system::Machine>()?;
    module.add_class::<system::Cluster>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<columns::LogColumns>()?;
    module.add_class::<result::ResultData>()?;
    module.add_class::<result::Partial>()?;
    generators::add(module)?;
    simulate::add(module)?;
    learn::add(module)?;
    journeys::add(module)?;
    module.add_class::<serve::Server>()?;
    module.add_class::<switch::Switch>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    fidelity::add(module)?;
    module.add_function(wrap_pyfunction!(machine::schedulers, module)?)?;
    module.add_function(wrap_pyfunction!(machine::scheduler, module)?)?;
    module.add_function(wrap_pyfunction!(machine::scheduler_features, module)?)?;
    module.add_function(wrap_pyfunction!(result::load, module)?)?;
    module.add_function(wrap_pyfunction!(result::leftovers, module)?)?;
    module.add_function(wrap_pyfunction!(result::recover, module)?)?;
    secrets::add(module)?;
    module.add_function(wrap_pyfunction!(schema::schema, module)?)?;
    module.add_function(wrap_pyfunction!(schema::options, module)?)?;
    module.add_function(wrap_pyfunction!(schema::planned_end, module)?)?;
    module.add_function(wrap_pyfunction!(schema::distributions, module)?)?;
    module.add_function(wrap_pyfunction!(schema::dispatch_policies, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_context, module)?)?;
    authority::add(module)?;
    Ok(())
}
