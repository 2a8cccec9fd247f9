//! The functions of the prelude that are Rust.

use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Lua, Result, Table, Value};

use crate::function_factory::FunctionFactory;
use crate::host::Host;
use crate::{data, json, sql, variables};

/// The table of host functions.
pub(crate) fn functions(lua: &Lua, host: &Rc<RefCell<Host>>) -> Result<Table> {
    let table = lua.create_table()?;
    let made = FunctionFactory { lua, host, table: &table };
    requests(&made)?;
    contents(&made)?;
    children(&made)?;
    draws(&made)?;
    sql::functions(&made)?;
    variables::functions(&made)?;
    Ok(table)
}

fn requests(made: &FunctionFactory<'_>) -> Result<()> {
    type Called = (String, Value, Option<Table>, Value);
    let call = |_: &Lua, host: &mut Host, (method, target, options, body): Called| {
        Ok(host.call(&method, &target, options.as_ref(), &body))
    };
    made.add("call", call)?;
    made.add("body", |lua, host, serial: u64| match host.current(serial) {
        Ok(()) => lua.create_string(&host.body).map(Ok),
        Err(complaint) => Ok(Err(complaint)),
    })?;
    made.add("json", |lua, host, serial: u64| match host.current(serial) {
        Ok(()) => json::read(lua, &host.body),
        Err(complaint) => Ok(Err(complaint)),
    })?;
    made.add("header", |_, host, (serial, name): (u64, String)| Ok(host.header(serial, &name)))?;
    made.add("check", |_, host, (name, held): (String, bool)| {
        host.report.check(&name, held);
        Ok(Ok(()))
    })?;
    made.add("record", |_, host, (name, value): (String, f64)| {
        if !(value >= 0.0 && value.is_finite()) {
            return Ok(Err(format!("a metric takes numbers of 0 or more, not {value}")));
        }
        host.report.record(&name, value);
        Ok(Ok(()))
    })
}

/// Lookups in bodies and in data files.
fn contents(made: &FunctionFactory<'_>) -> Result<()> {
    made.add("match", |lua, host, (serial, pattern): (u64, String)| {
        if let Err(complaint) = host.current(serial) {
            return Ok(Err(complaint));
        }
        host.patterns.first(lua, &pattern, &host.body)
    })?;
    made.add("find_all", |lua, host, (serial, pattern): (u64, String)| {
        if let Err(complaint) = host.current(serial) {
            return Ok(Err(complaint));
        }
        host.patterns.all(lua, &pattern, &host.body)
    })?;
    made.add("rows", |lua, host, name: String| data::rows(lua, &host.data, &name))
}

fn children(made: &FunctionFactory<'_>) -> Result<()> {
    made.add("spawn", |_, host, (count, limit): (usize, f64)| Ok(host.spawn(count, limit)))?;
    made.add("next_part", |_, host, ()| Ok(Ok(host.next_part())))?;
    made.add("join", |_, host, ()| Ok(Ok(host.join())))
}

fn draws(made: &FunctionFactory<'_>) -> Result<()> {
    made.add("time", |_, host, value: Value| Ok(host.time(&value)))?;
    made.add("draw", |_, host, text: String| Ok(host.draw(&text, None)))?;
    made.add("uniform", |_, host, ()| Ok(Ok(host.session().stream.uniform())))?;
    made.add("session", |_, host, ()| Ok(Ok(host.session().number)))?;
    made.add("now", |_, host, ()| Ok(Ok(host.now.as_secs_f64())))
}
