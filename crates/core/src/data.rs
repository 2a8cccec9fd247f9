//! Tables of text that programs read: user names, search words, addresses.

use thinktime_file::error::Invalid;

/// A table of text by named columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataTable {
    /// The file's name, as the workload has it.
    pub name: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows; each has a value for every column.
    pub rows: Vec<Vec<String>>,
}

impl DataTable {
    /// Reads comma-separated values (RFC 4180), whose first line names the columns. Values with
    /// commas or line ends are in quotes.
    ///
    /// # Errors
    /// When a column has no name or another's name, a row has more or fewer values than there are
    /// columns, or the table has no rows.
    pub fn parse(name: &str, text: &str) -> Result<DataTable, Invalid> {
        let wrong = |line: u64, why: String| Err(Invalid::new(format!("{name}:{line}: {why}")));
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| csv_error(name, &error))?;
        let columns: Vec<String> = header.iter().map(|one| one.trim().to_owned()).collect();
        for (at, column) in columns.iter().enumerate() {
            if column.is_empty() || columns[..at].contains(column) {
                let why = format!("column {} needs a name of its own, not `{column}`", at + 1);
                return wrong(1, why);
            }
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| csv_error(name, &error))?;
            if record.len() != columns.len() {
                let line = record.position().map_or(0, csv::Position::line);
                let (has, wanted) = (record.len(), columns.len());
                return wrong(line, format!("has {has} values for {wanted} columns"));
            }
            rows.push(record.iter().map(str::to_owned).collect());
        }
        if rows.is_empty() {
            let why = "holds no rows: the first line names the columns, a line each follows";
            return Err(Invalid::new(format!("{name}: {why}")));
        }
        Ok(DataTable { name: name.to_owned(), columns, rows })
    }
}

fn csv_error(name: &str, error: &csv::Error) -> Invalid {
    Invalid::new(format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_with_quotes_and_line_ends_of_all_kinds() {
        let text = "\u{feff}user, password\r\nann,\"a,\"\"b\"\nbob,\n\n";
        let table = DataTable::parse("users.csv", text).unwrap();
        assert_eq!(table.columns, ["user", "password"]);
        assert_eq!(table.rows, [["ann", "a,\"b"], ["bob", ""]]);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        for (text, expected) in [
            ("a,b\n1,2\n3\n", "u.csv:3: has 1 values for 2 columns"),
            ("a,a\n1,2\n", "u.csv:1: column 2 needs a name of its own, not `a`"),
            ("a,\n1,2\n", "u.csv:1: column 2 needs a name"),
            ("a,b\n", "u.csv: holds no rows"),
            ("", "u.csv: holds no rows"),
        ] {
            let said = DataTable::parse("u.csv", text).unwrap_err().to_string();
            assert!(said.starts_with(expected), "{text}: {said}");
        }
    }
}
