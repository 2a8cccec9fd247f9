//! Messages are written here by hand, after PostgreSQL's manual (section 55.7).

use proptest::prelude::*;

use super::*;
use crate::protocol::Outbox;

const ID: StatementId = StatementId { kind: 3, place: 0 };

fn message(letter: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[letter][..], &length, body].concat()
}

fn text(letter: u8, body: &str) -> Vec<u8> {
    message(letter, body.as_bytes())
}

fn authentication(kind: u32, rest: &[u8]) -> Vec<u8> {
    message(b'R', &[&kind.to_be_bytes()[..], rest].concat())
}

fn ready(status: &str) -> Vec<u8> {
    text(b'Z', status)
}

/// An admission: the messages of a server that requires no proof.
fn admitted() -> Vec<u8> {
    let parameter = text(b'S', "server_version\x0015.1\0");
    [authentication(0, b""), parameter, message(b'K', &[0; 8]), ready("I")].concat()
}

fn columns() -> Vec<u8> {
    let column = |name: &str, number: u32| {
        let rest = [&[0; 6][..], &number.to_be_bytes(), &[0; 8]].concat();
        [name.as_bytes(), b"\0", &rest].concat()
    };
    let all = [column("id", 23), column("na\"me", 25), column("it", 16), column("j", 3802)];
    message(b'T', &[&4_u16.to_be_bytes()[..], &all.concat()].concat())
}

fn row(values: &[Option<&str>]) -> Vec<u8> {
    let mut body = (values.len() as u16).to_be_bytes().to_vec();
    for value in values {
        match value {
            None => body.extend_from_slice(&(-1_i32).to_be_bytes()),
            Some(value) => {
                body.extend_from_slice(&(value.len() as i32).to_be_bytes());
                body.extend_from_slice(value.as_bytes());
            }
        }
    }
    message(b'D', &body)
}

fn error(severity: &str, code: &str) -> Vec<u8> {
    text(b'E', &format!("S{severity}\0V{severity}\0C{code}\0Mno such thing\0\0"))
}

/// A client's end, and its output.
struct End {
    client: Client,
    out: Outbox,
}

impl End {
    fn new(password: Option<&str>, with_rows: bool) -> End {
        let login = Login {
            user: "shop".to_owned(),
            database: "orders".to_owned(),
            password: password.map(str::to_owned),
        };
        let mut out = Outbox::default();
        let client = Client::open(login.into(), with_rows, out.buffer());
        End { client, out }
    }

    /// One that is logged in.
    fn open(with_rows: bool) -> End {
        let mut end = End::new(None, with_rows);
        assert_eq!(end.read(&admitted(), 1000), Ok(vec![Event::Ready]));
        end.said();
        end
    }

    fn execute(&mut self, text: &str, values: &[&str]) -> Vec<u8> {
        let values = values.iter().map(|value| Some(value.as_bytes()));
        let bytes = self.client.execute(Some(ID), text, values, self.out.buffer());
        let said = self.said();
        assert_eq!(said.len() as u64, bytes);
        said
    }

    /// Its output since the last call.
    fn said(&mut self) -> Vec<u8> {
        let said = self.out.unsent().to_vec();
        self.out.discard();
        said
    }

    fn read(&mut self, bytes: &[u8], size: usize) -> Result<Vec<Event>, PostgresError> {
        let mut events = Vec::new();
        for piece in bytes.chunks(size) {
            self.client.read(piece, &mut self.out, |event| events.push(event))?;
        }
        Ok(events)
    }
}

#[test]
fn it_says_who_it_is() {
    let mut end = End::new(None, false);
    let said = end.said();
    assert_eq!(said[..8], [&(said.len() as u32).to_be_bytes()[..], &[0, 3, 0, 0]].concat());
    let names = String::from_utf8(said[8..].to_vec()).unwrap();
    assert!(names.starts_with("user\0shop\0database\0orders\0"), "{names:?}");
    assert!(names.ends_with("\0\0"), "{names:?}");
}

/// Statements are prepared once, and again if the server could not.
#[test]
fn a_statement_is_prepared_once() {
    let mut end = End::open(false);
    let bind = "B\0\0\0\u{15}\x003_0\0\0\0\0\u{1}\0\0\0\u{2}42\0\0";
    let run = [bind.as_bytes(), b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04"].concat();
    let parse = text(b'P', "3_0\0select $1\0\0\0");
    let complete = [message(b'1', b""), message(b'2', b"")].concat();
    let failed = [error("ERROR", "42P01"), ready("I")].concat();
    assert_eq!(end.execute("select $1", &["42"]), [&parse[..], &run].concat());
    let word = Some("sqlstate_42P01");
    let bytes = failed.len() as u64;
    assert_eq!(end.read(&failed, 7), Ok(vec![Event::Over { bytes, error: word }]));
    assert_eq!(end.execute("select $1", &["42"]), [&parse[..], &run].concat());
    let answer = [complete, row(&[Some("42")]), text(b'C', "SELECT 1\0"), ready("I")].concat();
    let bytes = answer.len() as u64;
    let over = Event::Over { bytes, error: None };
    assert_eq!(end.read(&answer, 7), Ok(vec![Event::Row, over]));
    assert_eq!(end.execute("select $1", &["42"]), run);
    assert!(!end.client.is_ready());
}

/// A null parameter has the length -1; a statement without name is prepared each time.
#[test]
fn nulls_and_statements_without_a_name_are_sent() {
    let mut end = End::open(false);
    let parse = text(b'P', "\0select $1\0\0\0");
    let bind = message(b'B', b"\0\0\0\0\0\x01\xff\xff\xff\xff\0\0");
    let run = [parse, bind, b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04".to_vec()].concat();
    for _ in 0..2 {
        let null = [None].into_iter();
        end.client.execute(None, "select $1", null, end.out.buffer());
        assert_eq!(end.said(), run);
        let answer = [message(b'1', b""), message(b'2', b""), text(b'C', "SELECT 1\0")];
        end.read(&[answer.concat(), ready("I")].concat(), 7).unwrap();
    }
}

#[test]
fn rows_are_json() {
    for size in [1, 7, 10_000] {
        let mut end = End::open(true);
        end.execute("select", &[]);
        let rows = [
            row(&[Some("7"), Some("a\"b"), Some("t"), Some("{\"x\": [1]}")]),
            row(&[Some("NaN"), None, Some("f"), Some("null")]),
        ];
        let answer = [columns(), rows.concat(), text(b'C', "SELECT 2\0"), ready("I")].concat();
        assert_eq!(end.read(&answer, size).unwrap().len(), 3);
        let (json, cut) = end.client.take_excerpt();
        let first = r#"{"id":7,"na\"me":"a\"b","it":true,"j":{"x": [1]}}"#;
        let second = r#"{"id":"NaN","na\"me":null,"it":false,"j":null}"#;
        let expected = format!("[{first},{second}]");
        assert_eq!((String::from_utf8(json).unwrap(), cut), (expected, false));
        end.execute("update", &[]);
        end.read(&[text(b'C', "UPDATE 1\0"), ready("I")].concat(), size).unwrap();
        assert_eq!(end.client.take_excerpt(), (b"[]".to_vec(), false));
    }
}

/// Rows that do not fit are counted, and not kept.
#[test]
fn rows_that_are_kept_are_bounded() {
    let mut end = End::open(true);
    end.execute("select", &[]);
    let long = "x".repeat(300_000);
    let one = row(&[Some("1"), Some(&long), None, None]);
    let huge = row(&[Some("1"), Some(&"x".repeat(HELD_BYTES_MAX)), None, None]);
    let answer = [columns(), one.repeat(5), huge, ready("I")].concat();
    let events = end.read(&answer, 65_536).unwrap();
    assert_eq!(events.iter().filter(|event| **event == Event::Row).count(), 6);
    let (json, cut) = end.client.take_excerpt();
    assert!(cut && json.len() < HELD_BYTES_MAX && json.ends_with(b"]"));
}

/// The digest is that of the manual's formula, md5(md5(password + user) + salt), by hashlib.
#[test]
fn passwords_are_proved() {
    let mut end = End::new(Some("secret"), false);
    end.said();
    end.read(&authentication(5, &[1, 2, 3, 4]), 1000).unwrap();
    assert_eq!(end.said(), text(b'p', "md509c7baab7568cd5d6bd39754f079adc5\0"));
    let mut end = End::new(Some("secret"), false);
    end.said();
    end.read(&authentication(3, b""), 1000).unwrap();
    assert_eq!(end.said(), text(b'p', "secret\0"));
    assert_eq!(end.read(&authentication(3, b""), 1000), Err(PostgresError::Malformed));
    let mut end = End::new(None, false);
    assert_eq!(end.read(&authentication(3, b""), 1000), Err(PostgresError::PasswordMissing));
    for kind in [2, 6, 7, 9] {
        let mut end = End::new(Some("secret"), false);
        assert_eq!(end.read(&authentication(kind, b""), 1), Err(PostgresError::Authentication));
    }
}

/// A server that requires a proof must give its own.
#[test]
fn a_server_without_a_proof_is_none() {
    let mut end = End::new(Some("secret"), false);
    let asked = authentication(10, b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0");
    end.said();
    end.read(&asked, 3).unwrap();
    assert!(end.said().starts_with(b"p"));
    assert_eq!(end.read(&admitted(), 3), Err(PostgresError::Malformed));
    for first in ["r=other,s=QUFB,i=4096", "", "r=,s=QUFB,i=4096", "r=x,s=QUFB,i=4000000000"] {
        let mut end = End::new(Some("secret"), false);
        end.read(&asked, 3).unwrap();
        let refused = end.read(&authentication(11, first.as_bytes()), 3);
        assert_eq!(refused, Err(PostgresError::Authentication), "{first}");
    }
    let mut end = End::new(Some("secret"), false);
    let other = authentication(10, b"SCRAM-SHA-1\0\0");
    assert_eq!(end.read(&other, 3), Err(PostgresError::Authentication));
}

#[test]
fn what_breaks_a_connection_is_named() {
    let fatal = |code: &str| PostgresError::Fatal(SqlState::of(code.as_bytes()).unwrap());
    let mut end = End::new(None, false);
    let refused = end.read(&error("FATAL", "53300"), 1);
    assert_eq!(refused, Err(fatal("53300")));
    assert_eq!(refused.unwrap_err().kind(), "sqlstate_53300");
    for (bytes, why) in [
        (error("FATAL", "57P01"), fatal("57P01")),
        (error("ERROR", "lower"), PostgresError::Malformed),
        (text(b'E', "nothing"), PostgresError::Malformed),
        (vec![b'D', 0, 0, 0, 3], PostgresError::Malformed),
        (vec![b'D', 0x40, 0, 0, 1], PostgresError::TooLarge),
        (vec![b'D', 0xff, 0xff, 0xff, 0xff], PostgresError::TooLarge),
        (vec![b'Z', 0, 0x20, 0, 0], PostgresError::TooLarge),
        (ready("X"), PostgresError::Malformed),
        (ready("II"), PostgresError::Malformed),
        (text(b'!', ""), PostgresError::Malformed),
        (authentication(0, b""), PostgresError::Malformed),
        (message(b'G', &[0, 0, 0]), PostgresError::Copy),
        (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), PostgresError::TooLarge),
    ] {
        for size in [1, 1000] {
            let mut end = End::open(false);
            end.execute("select", &[]);
            assert_eq!(end.read(&bytes, size), Err(why), "{}", bytes.escape_ascii());
        }
    }
}

/// A server may send some messages unasked, but none that would answer a statement.
#[test]
fn idle_connections_hear_what_is_said_to_all() {
    let mut end = End::open(false);
    let notification = message(b'A', b"\0\0\0\x01a\0b\0");
    let said = [text(b'N', "SNOTICE\0\0"), notification, text(b'S', "a\0b\0")];
    assert_eq!(end.read(&said.concat(), 2), Ok(Vec::new()));
    for bytes in [ready("I"), row(&[]), text(b'C', "SELECT 1\0")] {
        let mut end = End::open(false);
        assert_eq!(end.read(&bytes, 2), Err(PostgresError::Malformed));
    }
}

proptest! {
    /// The result does not depend on how it is cut.
    #[test]
    fn pieces_make_no_difference(
        parts in prop::collection::vec(prop_oneof![
            Just(row(&[Some("1"), None])), Just(columns()), Just(ready("I")), Just(ready("T")),
            Just(error("ERROR", "40001")), Just(message(b'1', b"")), Just(message(b'd', b"xyz")),
            prop::collection::vec(any::<u8>(), 0..9),
        ], 0..9),
        size in 1_usize..9,
        with_rows in any::<bool>(),
    ) {
        let bytes = parts.concat();
        let heard = |size: usize| {
            let mut end = End::open(with_rows);
            end.execute("select", &[]);
            let mut events = Vec::new();
            let mut result = Ok(());
            for piece in bytes.chunks(size) {
                result = end.client.read(piece, &mut end.out, |event| events.push(event));
                if result.is_err() {
                    break;
                }
            }
            (events, result, end.client.take_excerpt())
        };
        prop_assert_eq!(heard(size), heard(usize::MAX));
    }
}
