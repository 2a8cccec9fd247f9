//! The maker of host functions. Those that can fail give the error as their last value, and the
//! prelude raises it at the script's line.

use std::cell::RefCell;
use std::rc::Rc;

use mlua::{IntoLuaMulti, Lua, MultiValue, Result, Table, Value};

use crate::answer::Answer;
use crate::host::Host;
use crate::sandbox;

/// Makes functions that work on a host.
pub(crate) struct FunctionFactory<'a> {
    pub(crate) lua: &'a Lua,
    pub(crate) host: &'a Rc<RefCell<Host>>,
    pub(crate) table: &'a Table,
}

impl FunctionFactory<'_> {
    /// Adds a value.
    pub(crate) fn set(&self, name: &str, value: Value) -> Result<()> {
        self.table.set(name, value)
    }

    /// Adds a function that gives a value, or nil and an error.
    pub(crate) fn add<A, T, F>(&self, name: &str, function: F) -> Result<()>
    where
        A: mlua::FromLuaMulti,
        T: IntoLuaMulti,
        F: Fn(&Lua, &mut Host, A) -> Result<Answer<T>> + 'static,
    {
        let host = Rc::clone(self.host);
        let outer = move |lua: &Lua, arguments: MultiValue| -> Result<MultiValue> {
            let answer = match A::from_lua_multi(arguments, lua) {
                Ok(arguments) => function(lua, &mut host.borrow_mut(), arguments)?,
                Err(error) => Err(sandbox::words(&error)),
            };
            match answer {
                Ok(value) => value.into_lua_multi(lua),
                Err(complaint) => (Value::Nil, complaint).into_lua_multi(lua),
            }
        };
        self.table.set(name, self.lua.create_function(outer)?)
    }
}
