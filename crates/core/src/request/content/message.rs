//! Messages: the content of requests other than HTTP, and of their answers.

use thinktime_file::error::Invalid;
use thinktime_file::workload::{MessagesValue, RequestTable};

use super::super::response::pattern::Pattern;
use super::template::{Place, Template, Unwritten};
use crate::files::Files;
use crate::random::Stream;

/// Bytes to be sent, with places that vary from request to request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// Messages, one after another; empty if nothing is sent.
    templates: Vec<Template>,
    /// Whether it goes as a binary message, if a protocol has binary messages and texts.
    pub binary: bool,
}

/// When an answer is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// With one message of the protocol, whatever its content.
    Message,
    /// With this many bytes.
    Length(u64),
    /// With the end of these bytes.
    Delimiter(Pattern),
    /// With the first message that contains a match or, if there are no messages, with the shortest
    /// beginning that does.
    Pattern(Pattern),
}

/// How expectations are written, for messages.
const EXPECT_FORM: &str = "write it as length(12), delimiter(\"\\n\"), pattern(REGEX) or message";

impl Message {
    /// The message of a request's table, if it has one; an error comes with its key.
    pub(crate) fn from_table(
        table: &RequestTable,
        names: &[String],
        files: &dyn Files,
    ) -> Result<Option<Message>, (&'static str, Invalid)> {
        match (&table.send, &table.send_hex) {
            (None, None) => Ok(None),
            (Some(value), _) => {
                Message::of(value, names, files).map(Some).map_err(|error| ("send", error))
            }
            (None, Some(digits)) => match bytes_of_hex(digits) {
                Some(bytes) => {
                    let templates = vec![Template::fixed(bytes)];
                    Ok(Some(Message { templates, binary: true }))
                }
                None => Err(("send_hex", Invalid::new("must be pairs of hexadecimal digits"))),
            },
        }
    }

    fn of(value: &MessagesValue, names: &[String], files: &dyn Files) -> Result<Message, Invalid> {
        let texts = value.texts();
        if texts.is_empty() {
            return Err(Invalid::new("is a list without a message"));
        }
        let read = |text: &String| template_of(text, names, files);
        let templates = texts.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Message { templates, binary: false })
    }

    /// The parameters of a request of SQL.
    pub(crate) fn of_parameters(templates: Vec<Template>) -> Message {
        Message { templates, binary: false }
    }

    /// The number of messages.
    #[must_use]
    pub fn number(&self) -> usize {
        self.templates.len()
    }

    /// Appends the bytes of one request, with its draws from `stream`; for messages that contain no
    /// value of a session. `cuts` gets the places where each message but the first begins.
    pub fn write(&self, out: &mut Vec<u8>, cuts: &mut Vec<usize>, stream: &mut Stream) {
        let none = |_| None;
        let written = write_all(&self.templates, out, cuts, stream, &none);
        debug_assert!(written.is_ok(), "what has values is written as a call");
    }

    /// Its parts.
    pub(crate) fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Whether the message is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let nothing = |one: &Template| one.as_fixed().is_some_and(|bytes| bytes.is_empty());
        self.templates.iter().all(nothing)
    }

    /// Whether it is several messages.
    #[must_use]
    pub fn is_several(&self) -> bool {
        self.templates.len() > 1
    }
}

/// Appends templates one after another, as [`Template::write`] does. `cuts` gets the places where
/// each but the first begins.
pub(crate) fn write_all<'v>(
    templates: &[Template],
    out: &mut Vec<u8>,
    cuts: &mut Vec<usize>,
    stream: &mut Stream,
    value: &impl Fn(usize) -> Option<&'v [u8]>,
) -> Result<(), Unwritten> {
    for (place, template) in templates.iter().enumerate() {
        if place > 0 {
            cuts.push(out.len());
        }
        template.write(out, stream, value)?;
    }
    Ok(())
}

/// Parses `GET key{zipf(n=10, s=1)}\r\n`: the escapes of [`unescape`], and `{` before a letter for
/// a value of the session, one of `names`, or a distribution. Other braces are themselves, as `\{`
/// is in any case.
fn template_of(text: &str, names: &[String], files: &dyn Files) -> Result<Template, Invalid> {
    let (mut template, mut from, mut at) = (Template::default(), 0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let letter = bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
        match bytes[at] {
            b'\\' => at += 2,
            b'{' if letter => {
                let Some(length) = text[at..].find('}') else {
                    return Err(Invalid::new(format!(
                        "`{{` has no `}}` in `{text}`; a brace is written \\{{"
                    )));
                };
                template.append(Template::fixed(unescape(&text[from..at])?));
                let inner = &text[at + 1..at + length];
                template.append(Template::varying(inner, Place::Plain, names, files)?);
                at += length + 1;
                from = at;
            }
            _ => at += 1,
        }
    }
    template.append(Template::fixed(unescape(&text[from..])?));
    Ok(template)
}

impl Expect {
    /// Parses `length(12)`, `delimiter("\n")`, `pattern(REGEX)` or `message`.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &str) -> Result<Expect, Invalid> {
        let wrong = || {
            Invalid::new(format!("`{text}` does not say when an answer is complete: {EXPECT_FORM}"))
        };
        let text = text.trim();
        if text == "message" {
            return Ok(Expect::Message);
        }
        let (name, rest) = text.split_once('(').ok_or_else(wrong)?;
        let inner = rest.strip_suffix(')').ok_or_else(wrong)?;
        match name {
            "length" => match inner.trim().parse() {
                Ok(length @ 1..) => Ok(Expect::Length(length)),
                _ => Err(wrong()),
            },
            "delimiter" => {
                let quoted = inner.trim().strip_prefix('"').and_then(|it| it.strip_suffix('"'));
                let bytes = unescape(quoted.ok_or_else(wrong)?)?;
                Pattern::literal(&bytes).map(Expect::Delimiter).map_err(|_| wrong())
            }
            "pattern" => Pattern::parse(inner).map(Expect::Pattern),
            _ => Err(wrong()),
        }
    }
}

/// The known escapes.
const ESCAPES: &str = r#"\r \n \t \0 \\ \" \{ \} \xHH"#;

/// The bytes of a text with the escapes `\r`, `\n`, `\t`, `\0`, `\\`, `\"`, `\{`, `\}` and `\xHH`.
fn unescape(text: &str) -> Result<Vec<u8>, Invalid> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let mut after = rest[at + 1..].chars();
        let byte = match after.next() {
            Some('r') => b'\r',
            Some('n') => b'\n',
            Some('t') => b'\t',
            Some('0') => 0,
            Some(c @ ('\\' | '"' | '{' | '}')) => c as u8,
            Some('x') => {
                let digits = after.as_str().get(..2).and_then(bytes_of_hex);
                let [byte] = digits.as_deref().unwrap_or_default() else {
                    return Err(Invalid::new("`\\x` needs two hexadecimal digits, as in \\x1f"));
                };
                after = after.as_str()[2..].chars();
                *byte
            }
            _ => {
                return Err(Invalid::new(format!(
                    "unknown escape in `{text}`: there are {ESCAPES}"
                )));
            }
        };
        out.push(byte);
        rest = after.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// The bytes of pairs of hexadecimal digits; blanks may stand between pairs.
fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in text.split_whitespace() {
        let (pairs, rest) = word.as_bytes().as_chunks::<2>();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        for [high, low] in pairs {
            bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
        }
        if !rest.is_empty() {
            return None;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use crate::random::Purpose;

    fn message_of(texts: &[&str]) -> Message {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Message::of(&MessagesValue::Many(texts), &[], &NoFiles).unwrap()
    }

    fn stream() -> Stream {
        Stream::new(1, 2, Purpose::Target)
    }

    fn written(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        message_of(&[text]).write(&mut out, &mut Vec::new(), &mut stream());
        out
    }

    #[test]
    fn several_messages_are_written_one_after_another() {
        let message = message_of(&["join {const(7)}", "", r"say \x21"]);
        let (mut out, mut cuts) = (Vec::new(), Vec::new());
        message.write(&mut out, &mut cuts, &mut stream());
        assert_eq!((out.as_slice(), cuts.as_slice()), (&b"join 7say !"[..], &[6, 6][..]));
        assert!(message.is_several() && !message.is_empty());
        let one = Message::of(&MessagesValue::One("join".to_owned()), &[], &NoFiles).unwrap();
        assert!(!one.is_several());
        let none = Message::of(&MessagesValue::Many(Vec::new()), &[], &NoFiles).unwrap_err();
        assert!(none.to_string().contains("without a message"), "{none}");
    }

    #[test]
    fn escapes_and_draws_are_written() {
        assert_eq!(written(r"PING\r\n"), b"PING\r\n");
        assert_eq!(written("PING\r\n"), b"PING\r\n");
        assert_eq!(written(r"\0\x1F\xff\\\t€"), b"\0\x1f\xff\\\t\xe2\x82\xac");
        assert_eq!(written(r#"{"id": {const(7)}, "list": [{}]}"#), br#"{"id": 7, "list": [{}]}"#);
        assert_eq!(written(r"\{const(7)\}{const(8)}{const(9)}"), b"{const(7)}89");
        assert_eq!(written(""), b"");
    }

    #[test]
    fn wrong_messages_are_explained() {
        let message = |text: &str| template_of(text, &[], &NoFiles).unwrap_err().to_string();
        assert!(message(r"\q").contains("unknown escape"));
        assert!(message(r"\").contains("unknown escape"));
        assert!(message(r"\x1").contains("two hexadecimal digits"));
        assert!(message(r"\x€").contains("two hexadecimal digits"));
        assert!(message("{exp(1)").contains("has no `}`"));
        assert!(message("{expo(1)}").contains("did you mean `exp`"));
        assert!(message("{exp(1s)}").contains("number"));
    }

    #[test]
    fn bytes_can_be_given_as_digits() {
        assert_eq!(bytes_of_hex("00ff 1A"), Some(vec![0, 255, 26]));
        assert_eq!(bytes_of_hex(""), Some(vec![]));
        assert_eq!(bytes_of_hex("0"), None);
        assert_eq!(bytes_of_hex("0g"), None);
        assert_eq!(bytes_of_hex("+1"), None);
    }

    #[test]
    fn expectations_are_read() {
        assert_eq!(Expect::parse("length(12)"), Ok(Expect::Length(12)));
        assert_eq!(Expect::parse(" message "), Ok(Expect::Message));
        for text in ["delimiter(\"\\r\\n\")", "delimiter(\"\r\n\")"] {
            let Ok(Expect::Delimiter(pattern)) = Expect::parse(text) else { panic!("{text}") };
            assert!(pattern.is_in(b"OK\r\n") && !pattern.is_in(b"OK\n"));
        }
        let Ok(Expect::Pattern(pattern)) = Expect::parse(r"pattern((a|b)\d)") else { panic!() };
        assert!(pattern.is_in(b"xb7"));
        for wrong in [
            "",
            "lines",
            "length(0)",
            "length(-1)",
            "length(x)",
            "length(12",
            "delimiter(\"\")",
            "delimiter(x)",
            "between(1)",
            "pattern",
        ] {
            let message = Expect::parse(wrong).unwrap_err().to_string();
            assert!(message.contains("write it as length(12)"), "{wrong}: {message}");
        }
        assert!(Expect::parse("pattern(()").unwrap_err().to_string().contains("the pattern `(`"));
    }
}
