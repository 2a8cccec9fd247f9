//! Tables of text that sessions read: `client.data`.

use std::sync::Arc;

use mlua::{Lua, Result, Table};
use thinktime_core::data::DataTable;

use crate::answer::Answer;

/// The rows of a table, each a read-only table by column.
pub(crate) fn rows(lua: &Lua, tables: &Arc<[DataTable]>, name: &str) -> Result<Answer<Table>> {
    let Some(table) = tables.iter().find(|table| table.name == name) else {
        let known: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        return Ok(Err(format!(
            "the workload names no data file `{name}`: write [session] data = [\"{name}\"]; it \
             has {}",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        )));
    };
    let columns = table.columns.iter().map(|column| lua.create_string(column));
    let columns: Vec<_> = columns.collect::<Result<_>>()?;
    let list = lua.create_table_with_capacity(table.rows.len(), 0)?;
    for (at, values) in table.rows.iter().enumerate() {
        let row = lua.create_table_with_capacity(0, columns.len())?;
        for (column, value) in columns.iter().zip(values) {
            row.raw_set(column, value.as_str())?;
        }
        row.set_readonly(true);
        list.raw_set(at + 1, row)?;
    }
    list.set_readonly(true);
    Ok(Ok(list))
}
