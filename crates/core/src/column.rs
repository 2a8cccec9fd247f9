//! Columns of numbers.

use thinktime_file::error::{Invalid, unknown};

/// The numbers of one column of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its name in the table; `None` if the table names no columns.
    pub name: Option<String>,
    /// Its values, from the top.
    pub numbers: Vec<f64>,
}

/// Reads one column of comma-separated values. A first line that does not begin with a number
/// names the columns; lines that are empty or begin with `#` are skipped.
///
/// # Errors
/// When there is no such column, or a value is not a number.
pub fn numbers_of(text: &str, file: &str, column: Option<&str>) -> Result<Column, Invalid> {
    let lines = text.lines().map(str::trim).zip(1usize..);
    let mut lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).peekable();
    let fields = |line: &str| line.split(',').map(|one| one.trim().to_owned()).collect::<Vec<_>>();
    let header = lines.next_if(|(line, _)| fields(line)[0].parse::<f64>().is_err());
    let names = header.map(|(line, _)| fields(line));
    let place = match (&names, column) {
        (_, None) => 0,
        (Some(names), Some(name)) => {
            names.iter().position(|other| other == name).ok_or_else(|| {
                let error = unknown("column", name, names.iter().map(String::as_str));
                Invalid::new(format!("{file}: {error}"))
            })?
        }
        (None, Some(name)) => {
            return Err(Invalid::new(format!("{file}: has no line that names `{name}`")));
        }
    };
    let number = |(line, at): (&str, usize)| {
        let field = fields(line).into_iter().nth(place).unwrap_or_default();
        field.parse().map_err(|_| Invalid::new(format!("{file}:{at}: `{field}` is not a number")))
    };
    let name = names.map(|mut names| names.swap_remove(place));
    Ok(Column { name, numbers: lines.map(number).collect::<Result<_, _>>()? })
}
