//! The times in a file, as `trace(FILE, column=NAME)` names them.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use crate::column::Column;
use crate::files::Files;
use crate::notation::{Arguments, Call, Label, word_of};

/// The arrival times of a `trace(FILE, column=NAME, begin=0s)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    /// Times in seconds, in the order of the file.
    pub(crate) times: Vec<f64>,
    /// The time that is the start of the run, if the call gives it.
    pub(crate) begin_s: Option<f64>,
    /// The time up to which arrivals were counted, if the call gives it.
    pub(crate) end_s: Option<f64>,
}

/// A `trace(FILE, column=NAME)` of a column of values.
#[derive(Clone, Debug)]
pub(crate) struct TraceCall {
    pub(crate) file: String,
    column: Option<String>,
    /// The unit of its times, in seconds.
    pub(crate) unit: Option<f64>,
    pub(crate) begin_s: Option<f64>,
    end_s: Option<f64>,
}

impl TraceCall {
    /// `None` if the text is another call.
    ///
    /// # Errors
    /// When an argument is unknown or wrong.
    pub(crate) fn parse(text: &str) -> Result<Option<TraceCall>, Invalid> {
        const USAGE: &str = "trace(FILE, column=NAME, unit=s, begin=0s, end=TIME)";
        const LOGS: [&str; 5] = ["speed", "users", "methods", "timeout", "user"];
        let Some(call) = Call::parse(text).ok().filter(|call| call.name == "trace") else {
            return Ok(None);
        };
        if let Some(key) = call.arguments.iter().find_map(|argument| match &argument.label {
            Label::Key(key) if LOGS.contains(&key.as_str()) => Some(key),
            _ => None,
        }) {
            return Err(Invalid::new(format!(
                "`{key}` goes with an access log, and this is a column of values; if the file is \
                 a log, add format=auto"
            )));
        }
        let names = ["file", "column", "unit", "format", "begin", "end"];
        let mut arguments = Arguments::new(&call, USAGE, &names)?;
        let Some(file) = word_of(arguments.required("file")?) else {
            return Err(arguments.error("needs the name of a file"));
        };
        let column = arguments.optional("column").and_then(word_of);
        let unit = unit(&mut arguments)?;
        arguments.optional("format");
        let (begin_s, end_s) = bounds(&call, &mut arguments)?;
        arguments.finish()?;
        Ok(Some(TraceCall { file, column, unit, begin_s, end_s }))
    }

    /// Its values, as they stand in the file.
    pub(crate) fn values(&self, files: &dyn Files) -> Result<Column, Invalid> {
        files.numbers(&self.file, self.column.as_deref())
    }

    /// Its values as times in seconds. Their unit is that of the call, or else the ending of the
    /// column's name, whether or not the call names the column; stamps have none.
    pub(crate) fn times(&self, values: Column) -> Result<Vec<f64>, Invalid> {
        let Column { name, numbers: mut times, are_stamps } = values;
        let file = &self.file;
        if are_stamps && (self.unit.is_some() || self.begin_s.is_some()) {
            return Err(Invalid::new(format!(
                "{file}: holds stamps, which have neither `unit` nor `begin`: leave them out"
            )));
        }
        let by_name = || unit_of(name.as_deref()?.rsplit('_').next()?).filter(|_| !are_stamps);
        let unit = self.unit.or_else(by_name).unwrap_or(1.0);
        if let Some(bad) = times.iter().find(|time| !(**time >= 0.0 && time.is_finite())) {
            return Err(Invalid::new(format!("{file}: `{bad}` is not a time of 0 or more")));
        }
        if times.is_empty() {
            return Err(Invalid::new(format!("{file}: holds no times")));
        }
        times.iter_mut().for_each(|time| *time *= unit);
        Ok(times)
    }
}

/// The arrival times of `trace(FILE, column=NAME)`, numbers or stamps; `None` if the text is
/// another call.
///
/// # Errors
/// When the file cannot be read, has no times, or has a negative one.
pub(crate) fn trace(text: &str, files: &dyn Files) -> Result<Option<Trace>, Invalid> {
    let Some(call) = TraceCall::parse(text)? else { return Ok(None) };
    let times = call.times(call.values(files)?)?;
    Ok(Some(Trace { times, begin_s: call.begin_s, end_s: call.end_s }))
}

/// The begin and the end of a trace, as far as the call gives them.
fn bounds(call: &Call, arguments: &mut Arguments) -> Result<(Option<f64>, Option<f64>), Invalid> {
    let mut time = |key: &str| {
        let given = call.arguments.iter().any(|one| one.label == Label::Key(key.to_owned()));
        given.then(|| arguments.number(key, Dimension::Time)).transpose()
    };
    let (begin_s, end_s) = (time("begin")?, time("end")?);
    if begin_s.is_none() && end_s.is_some() {
        return Err(arguments.error("needs `begin` beside `end`"));
    }
    Ok((begin_s, end_s))
}

/// The unit that a call gives, in seconds.
fn unit(arguments: &mut Arguments<'_>) -> Result<Option<f64>, Invalid> {
    let Some(term) = arguments.optional("unit") else { return Ok(None) };
    let unit = word_of(term).and_then(|word| unit_of(&word));
    let refused = || arguments.error("needs a `unit` of s, ms, us or ns");
    unit.map(Some).ok_or_else(refused)
}

/// A unit in seconds, by its name or the ending of a column's, as in `scheduled_ns`.
fn unit_of(word: &str) -> Option<f64> {
    match word {
        "s" => Some(1.0),
        "ms" => Some(1e-3),
        "us" => Some(1e-6),
        "ns" => Some(1e-9),
        _ => None,
    }
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
    fn a_call_may_name_the_unit() {
        let table = "timestamp,t_us\n5,1\n10,2\n";
        assert_eq!(times(table, "trace(a.csv, unit=ms)"), Ok(Some(vec![0.005, 0.010])));
        assert_eq!(times(table, "trace(a.csv, column=t_us, unit=s)"), Ok(Some(vec![1.0, 2.0])));
        let error = times(table, "trace(a.csv, unit=min)").unwrap_err();
        assert!(error.contains("needs a `unit` of s, ms, us or ns"), "{error}");
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
        assert!(message("1", "trace(f, end=9s)").contains("needs `begin` beside `end`"));
    }
}
