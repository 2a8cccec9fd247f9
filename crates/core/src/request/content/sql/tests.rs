use super::super::sql::*;
use crate::files::NoFiles;

fn read(text: &str) -> Result<Statement, String> {
    let table: RequestTable = toml::from_str(text).unwrap();
    match Sql::from_table(&table, &[], &NoFiles) {
        Ok(Some((mut sql, _))) => Ok(sql.statements.remove(0)),
        Ok(None) => Err("no SQL".to_owned()),
        Err((key, error)) => Err(format!("{key}: {error}")),
    }
}

fn one(sql: &str, parameters: usize) -> Result<Statement, String> {
    let parameters = vec!["1"; parameters].join(", ");
    read(&format!("name = 'x'\nsql = '''{sql}'''\nparameters = [{parameters}]"))
}

/// Text in quotes and comments contains no parameters (PostgreSQL's manual, section 4.1).
#[test]
fn parameters_are_found_where_postgresql_finds_them() {
    for (sql, number) in [
        ("select $1", 1),
        ("select $1, $2, $1", 2),
        ("select '$1', $1", 1),
        ("select 'it''s $2', $1", 1),
        (r"select e'\'$2', $1", 1),
        (r"select '\', $1", 1),
        ("select \"$2\" from t where a = $1", 1),
        ("select $1 -- and $2\n + $2", 2),
        ("select /* $3 /* $4 */ $5 */ $1", 1),
        ("select $$ $2 $$, $1", 1),
        ("select $tag$ $2 $$ $3 $tag$, $1", 1),
        ("select a$2, $1", 1),
        ("select $1::text || 'x';  -- over", 1),
        ("select 'never ends $2", 0),
        ("select /* never ends $2", 0),
        ("select $q$ never ends $2", 0),
        ("select $ 1", 0),
    ] {
        let statement = one(sql, number).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!((statement.text.as_str(), statement.parameters.len()), (sql, number));
    }
}

/// Statements of a transaction share parameters; the server needs those of each without a gap.
#[test]
fn each_statement_numbers_its_own_parameters() {
    let table: RequestTable = toml::from_str(
        "name = 'x'\ntransaction = ['update a set b = b + $2 where id = $3 and c = $2', \
         'select 1', 'insert into l values ($1)']\nparameters = [1, 'uniform(1, 9)', 'x{1}']\n\
         isolation = 'serializable'",
    )
    .unwrap();
    let (sql, message) = Sql::from_table(&table, &[], &NoFiles).unwrap().unwrap();
    assert_eq!(sql.begin, Some("begin isolation level serializable"));
    assert_eq!(sql.statements[0].text, "update a set b = b + $1 where id = $2 and c = $1");
    assert_eq!(sql.statements[0].parameters, [1, 2]);
    assert_eq!(sql.statements[1].parameters, [0_usize; 0]);
    assert_eq!(sql.statements[2].text, "insert into l values ($1)");
    assert_eq!(sql.statements[2].parameters, [0]);
    assert_eq!(message.number(), 3);
}

#[test]
fn what_makes_no_sense_is_named_by_its_key() {
    for (text, why) in [
        ("sql = 'select $1'", "parameters: `$1` stands in a statement, and there are 0"),
        ("sql = 'select $99999999999999999999'", "sql: `$99999999999999999999` is no parameter"),
        ("sql = 'select $0'", "sql: `$0` is no parameter"),
        ("sql = 'select 1'\nparameters = [7]", "parameters: no statement has `$1`"),
        ("sql = ' -- nothing'", "sql: has no statement"),
        ("sql = 'select 1; select 2'", "sql: holds several statements"),
        ("sql = 'Commit'", "sql: `commit` begins or ends a transaction"),
        ("transaction = []", "transaction: is a list without a statement"),
        ("transaction = ['select 1', 'rollback']", "transaction: `rollback` begins or ends"),
        ("sql = 'select 1'\nisolation = 'serializable'", "isolation: goes with a `transaction`"),
        ("get = '/'\nisolation = 'serializable'", "isolation: goes with `sql` or"),
        ("get = '/'\nparameters = [1]", "parameters: goes with `sql` or `transaction` only"),
        ("sql = 'select $1'\nparameters = ['exp(1s)']", "parameters: "),
        ("sql = 'select $1'\nparameters = ['zipf(n=0, s=1)']", "parameters: "),
        ("sql = 'select $1'\nparameters = ['{user}']", "parameters: `{user}` is a value of the"),
        ("sql = 'select $1'\nparameters = ['a {1} {{b-2}']", "parameters: `{b-2}` is a value of"),
    ] {
        let error = read(&format!("name = 'x'\n{text}")).unwrap_err();
        assert!(error.starts_with(why), "{text}: {error}");
    }
}

/// Arrays are written in braces, too (PostgreSQL's manual, section 8.15.2).
#[test]
fn arrays_are_parameters() {
    for array in ["{}", "{1,2}", "{\"user\"}", "{user, other}", "{{1},{2}}", "}{user", "{user"] {
        let read = read(&format!("name = 'x'\nsql = 'select $1'\nparameters = ['{array}']"));
        assert!(read.is_ok(), "{array}: {read:?}");
    }
}

/// A program's statement has the parameters in its text.
#[test]
fn statements_of_programs_say_which_parameters_they_have() {
    let sql = Sql::statement("select $2, $1 where $2 > 0 -- $3").unwrap();
    assert_eq!((&sql.statements[0].parameters[..], sql.begin), (&[1, 0][..], None));
    assert_eq!(sql.statements[0].text, "select $1, $2 where $1 > 0 -- $3");
    for (text, why) in [
        ("select $1, $3", "`$3` stands in the statement, and `$2` does not"),
        ("select $65536", "`$65536` is too many"),
        ("rollback", "`rollback` begins or ends a transaction"),
        ("select 1; select 2", "holds several statements"),
        ("", "has no statement"),
    ] {
        let error = Sql::statement(text).unwrap_err().to_string();
        assert!(error.starts_with(why), "{text}: {error}");
    }
    let begin = |isolation| Sql::transaction(isolation).map(|sql| sql.begin);
    assert_eq!(begin(None).unwrap(), Some("begin"));
    let serializable = begin(Some("serializable")).unwrap();
    assert_eq!(serializable, Some("begin isolation level serializable"));
    assert!(begin(Some("chaos")).unwrap_err().to_string().starts_with("`chaos` is no isolation"));
}

proptest::proptest! {
    /// Any text is read or refused, and text that is not a parameter stays as it is.
    #[test]
    fn any_text_can_be_read(text in "[ $a'\"\\\\;/*\\-0-9é\n]{0,40}") {
        if let Ok(read) = Text::read(&text) {
            let mut at = 0;
            for mark in &read.marks {
                assert!(mark.begin >= at && text[mark.begin..mark.end].starts_with('$'));
                at = mark.end;
            }
        }
    }
}
