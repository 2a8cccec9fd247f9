//! Files that a workload or a system names, read by somebody else: core itself has no files.

use std::sync::Arc;

use crate::data::DataTable;
use crate::error::{Invalid, unknown};
use crate::notation::{Arguments, Call, Label, Term};
use crate::program::ProgramSource;
use crate::replay::{LogOptions, RequestLog};
use crate::units::Dimension;
use crate::workload::RequestKind;

/// Gives the contents of a named file.
pub trait Files {
    /// The file's text.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    fn read(&self, name: &str) -> Result<String, Invalid>;

    /// The file's bytes.
    ///
    /// # Errors
    /// As [`Files::read`].
    fn bytes(&self, name: &str) -> Result<Vec<u8>, Invalid> {
        self.read(name).map(String::into_bytes)
    }

    /// Whether what they say is only to be shown, so that some may be missing: their bytes are then
    /// none.
    fn may_be_missing(&self) -> bool {
        false
    }

    /// The numbers of a column of a table; of the first one, where no name is given. Files of
    /// comma-separated values can be read by everybody; others by overriding this.
    ///
    /// # Errors
    /// As [`Files::read`], or when there is no such column, or a value is no number.
    fn numbers(&self, name: &str, column: Option<&str>) -> Result<Column, Invalid> {
        numbers_of(&self.read(name)?, name, column)
    }

    /// The requests of an access log.
    ///
    /// # Errors
    /// As [`Files::read`], or when the file is no log of a known format, or an option is wrong; or,
    /// by default, always.
    fn log(&self, name: &str, options: &LogOptions) -> Result<RequestLog, Invalid> {
        let _ = options;
        Err(Invalid::new(format!("the log `{name}` cannot be read here")))
    }

    /// The table that a file of comma-separated values holds, whose first line names the columns.
    ///
    /// # Errors
    /// As [`Files::read`], or when the file is no such table.
    fn table(&self, name: &str) -> Result<DataTable, Invalid> {
        DataTable::parse(name, &self.read(name)?)
    }

    /// The programs that a file holds, for these requests. Core itself knows no language.
    ///
    /// # Errors
    /// As [`Files::read`], or when the program is wrong; or, by default, always.
    fn program(
        &self,
        name: &str,
        requests: &[RequestKind],
    ) -> Result<Arc<dyn ProgramSource>, Invalid> {
        let _ = requests;
        Err(Invalid::new(format!("the script `{name}` cannot be run here")))
    }
}

/// The numbers of one column of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its name in the table; none where the table names no columns.
    pub name: Option<String>,
    /// Its values, from the top.
    pub numbers: Vec<f64>,
}

/// There are no files here.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("the file `{name}` cannot be read here")))
    }
}

/// The values of a `trace(FILE, column=NAME, begin=0s)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    /// Times in seconds, in the order of the file.
    pub(crate) times: Vec<f64>,
    /// Which of the times is the start of the run, where the call says so.
    pub(crate) begin_s: Option<f64>,
}

/// The times of `trace(FILE, column=NAME)` in seconds; none where the text is another call. Their
/// unit is the one that the column's name ends in, whether or not the call names the column.
///
/// # Errors
/// When the file cannot be read, or holds no time, or a negative one.
pub(crate) fn trace(text: &str, files: &dyn Files) -> Result<Option<Trace>, Invalid> {
    const USAGE: &str = "trace(FILE, column=NAME, begin=0s)";
    const LOGS: [&str; 5] = ["speed", "users", "methods", "timeout", "user"];
    let Some(call) = Call::parse(text).ok().filter(|call| call.name == "trace") else {
        return Ok(None);
    };
    if let Some(key) = call.arguments.iter().find_map(|argument| match &argument.label {
        Label::Key(key) if LOGS.contains(&key.as_str()) => Some(key),
        _ => None,
    }) {
        return Err(Invalid::new(format!(
            "`{key}` goes with an access log, and this is a column of values; if the file is a log \
             all the same, add format=auto"
        )));
    }
    let mut arguments = Arguments::new(&call, USAGE, &["file", "column", "format", "begin"])?;
    let Some(name) = word_of(arguments.required("file")?) else {
        return Err(arguments.error("needs the name of a file"));
    };
    let column = arguments.optional("column").and_then(word_of);
    arguments.optional("format");
    let begins = call.arguments.iter().any(|one| one.label == Label::Key("begin".to_owned()));
    let begin_s = if begins { Some(arguments.number("begin", Dimension::Time)?) } else { None };
    arguments.finish()?;
    let Column { name: found, numbers: mut times } = files.numbers(&name, column.as_deref())?;
    let unit = found.as_deref().map_or(1.0, unit_of);
    if let Some(bad) = times.iter().find(|time| !(**time >= 0.0 && time.is_finite())) {
        return Err(Invalid::new(format!("{name}: `{bad}` is not a time of 0 or more")));
    }
    if times.is_empty() {
        return Err(Invalid::new(format!("{name}: holds no times")));
    }
    times.iter_mut().for_each(|time| *time *= unit);
    Ok(Some(Trace { times, begin_s }))
}

/// The word that a term is, as the name of a file or a column; none where it is something else.
pub(crate) fn word_of(term: Term) -> Option<String> {
    match term {
        Term::Call(word) if word.arguments.is_empty() => Some(word.name),
        _ => None,
    }
}

/// The unit that a column's name ends in, as in `scheduled_ns`, in seconds.
fn unit_of(column: &str) -> f64 {
    match column.rsplit('_').next() {
        Some("ns") => 1e-9,
        Some("us") => 1e-6,
        Some("ms") => 1e-3,
        _ => 1.0,
    }
}

/// Reads one column of comma-separated values. A first line that does not begin with a number
/// names the columns; lines that are empty or begin with `#` are skipped.
///
/// # Errors
/// When there is no such column, or a value is no number.
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Given(&'static str);

    impl Files for Given {
        fn read(&self, _name: &str) -> Result<String, Invalid> {
            Ok(self.0.to_owned())
        }
    }

    fn times(text: &'static str, call: &str) -> Result<Option<Vec<f64>>, String> {
        let found = trace(call, &Given(text)).map_err(|error| error.to_string())?;
        Ok(found.map(|one| one.times))
    }

    #[test]
    fn a_trace_is_a_column_of_times() {
        assert_eq!(times("1\n2.5\n", "trace(a.csv)"), Ok(Some(vec![1.0, 2.5])));
        let table = "# a table\nname,sent_ms\nx,5\n\ny,7\n";
        assert_eq!(times(table, "trace(a.csv, column=sent_ms)"), Ok(Some(vec![0.005, 0.007])));
        assert_eq!(times("", "exp(1s)"), Ok(None));
    }

    #[test]
    fn the_unit_is_that_of_the_columns_name_whoever_named_the_column() {
        let table = "t_ms,u_us\n5,1\n10,2\n";
        assert_eq!(times(table, "trace(a.csv)"), Ok(Some(vec![0.005, 0.010])));
        assert_eq!(times(table, "trace(a.csv, column=t_ms)"), Ok(Some(vec![0.005, 0.010])));
        assert_eq!(times(table, "trace(a.csv, column=u_us)"), Ok(Some(vec![1e-6, 2e-6])));
        assert_eq!(times("time\n5\n", "trace(a.csv)"), Ok(Some(vec![5.0])));
    }

    #[test]
    fn a_trace_may_say_which_time_is_the_start() {
        let begin = |call| trace(call, &Given("5\n7\n")).unwrap().unwrap().begin_s;
        assert_eq!(begin("trace(a.csv)"), None);
        assert_eq!(begin("trace(a.csv, begin=0s)"), Some(0.0));
        assert_eq!(begin("trace(a.csv, begin=2min)"), Some(120.0));
    }

    #[test]
    fn wrong_traces_are_explained() {
        let message = |text, call: &str| times(text, call).unwrap_err();
        assert!(message("a,b\n1,2", "trace(f, column=c)").contains("unknown column `c`"));
        assert!(message("1\nx", "trace(f)").contains("f:2: `x` is not a number"));
        assert!(message("-1", "trace(f)").contains("not a time of 0 or more"));
        assert!(message("", "trace(f)").contains("holds no times"));
        assert!(message("", "trace()").contains("write it as trace(FILE"));
        assert!(message("1", "trace(f, begin=soon)").contains("needs a number for `begin`"));
    }
}
