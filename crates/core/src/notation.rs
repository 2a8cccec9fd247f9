//! The one notation `name(argument, key=argument, weight: argument)`.
//!
//! Distributions, arrival processes, rate profiles and policies are all written in it, in files, on
//! the command line, in Python and in scripts. Text in single quotes is a word, whatever its
//! content.

use thinktime_file::error::{Invalid, nearest};
use thinktime_file::units::{Dimension, Quantity};

/// A name with its arguments. A bare word is a call without arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name before the bracket.
    pub name: String,
    /// The arguments in their order.
    pub arguments: Vec<Argument>,
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The label before it.
    pub label: Label,
    /// The argument itself.
    pub term: Term,
}

/// The label of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// No label: the argument is known by its place.
    None,
    /// `key=`.
    Key(String),
    /// `0.93:`, a weight or, in rate profiles, a time.
    Weight(Quantity),
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A number with an optional unit.
    Quantity(Quantity),
    /// A nested call, or a bare word such as a file name.
    Call(Call),
}

/// Brackets nested deeper than this are refused, so that no input exhausts the stack.
const DEPTH_MAX: usize = 16;

impl Call {
    /// Parses one call.
    ///
    /// # Errors
    /// When brackets do not match, an argument is empty, or text follows the call.
    pub fn parse(text: &str) -> Result<Call, Invalid> {
        parse_call(text.trim(), 0)
    }
}

fn parse_call(text: &str, depth: usize) -> Result<Call, Invalid> {
    if depth > DEPTH_MAX {
        return Err(Invalid::new(format!("brackets are nested deeper than {DEPTH_MAX}")));
    }
    let Some(open) = text.find('(') else {
        if text.is_empty() || text.contains(')') {
            return Err(Invalid::new(format!("`{text}` is not of the form name(arguments)")));
        }
        return Ok(Call { name: text.to_owned(), arguments: Vec::new() });
    };
    let name = text[..open].trim();
    let Some(inner) = text[open + 1..].strip_suffix(')') else {
        return Err(Invalid::new(format!("`{text}` does not end with its closing bracket")));
    };
    if name.is_empty() {
        return Err(Invalid::new(format!("a name is missing before the bracket in `{text}`")));
    }
    let arguments = split_arguments(inner, text)?
        .into_iter()
        .map(|argument| parse_argument(argument, depth + 1))
        .collect::<Result<_, _>>()?;
    Ok(Call { name: name.to_owned(), arguments })
}

/// Splits at the commas that stand outside inner brackets.
fn split_arguments<'a>(inner: &'a str, whole: &str) -> Result<Vec<&'a str>, Invalid> {
    let (mut parts, mut start, mut open) = (Vec::new(), 0, 0i32);
    let mut quoted = false;
    for (at, c) in inner.char_indices() {
        if c == '\'' && (quoted || begins_a_term(&inner[..at])) {
            quoted = !quoted;
        }
        match c {
            _ if quoted => {}
            '(' => open += 1,
            ')' => open -= 1,
            ',' if open == 0 => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        if open < 0 {
            break;
        }
    }
    if quoted {
        return Err(Invalid::new(format!("a quote of `{whole}` has no end")));
    }
    if open != 0 {
        return Err(Invalid::new(format!("the brackets of `{whole}` do not match")));
    }
    let last = inner[start..].trim();
    if !(last.is_empty() && parts.is_empty()) {
        parts.push(last);
    }
    if parts.iter().any(|part| part.is_empty()) {
        return Err(Invalid::new(format!("an argument is missing in `{whole}`")));
    }
    Ok(parts)
}

/// Whether a term begins after this text.
fn begins_a_term(before: &str) -> bool {
    matches!(before.trim_end().chars().last(), None | Some('(' | ',' | '=' | ':'))
}

fn parse_argument(text: &str, depth: usize) -> Result<Argument, Invalid> {
    // A label ends before any bracket or quote: the rest belongs to the term.
    let head = &text[..text.find(['(', '\'']).unwrap_or(text.len())];
    if let Some(at) = head.find('=') {
        let label = Label::Key(text[..at].trim().to_owned());
        return Ok(Argument { label, term: parse_term(text[at + 1..].trim(), depth)? });
    }
    // A colon labels only after a number: a file name may contain one too.
    if let Some(at) = head.find(':')
        && let Ok(weight) = Quantity::parse(&text[..at])
    {
        let term = parse_term(text[at + 1..].trim(), depth)?;
        return Ok(Argument { label: Label::Weight(weight), term });
    }
    Ok(Argument { label: Label::None, term: parse_term(text, depth)? })
}

fn parse_term(text: &str, depth: usize) -> Result<Term, Invalid> {
    if let Some(word) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return Ok(Term::Call(Call { name: word.to_owned(), arguments: Vec::new() }));
    }
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if numeric && !text.contains('(') {
        match Quantity::parse(text) {
            Ok(quantity) => return Ok(Term::Quantity(quantity)),
            // `./demands.txt` and `2024.csv` are words, `5 parsecs` is an error.
            Err(error) if !text.contains(['/', '.']) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(Term::Call(parse_call(text, depth)?))
}

/// The word of a term, as the name of a file or a column; `None` if the term is something else.
pub(crate) fn word_of(term: Term) -> Option<String> {
    match term {
        Term::Call(word) if word.arguments.is_empty() => Some(word.name),
        _ => None,
    }
}

/// Takes a call's arguments one by one, by place or by key, and refuses the rest.
#[derive(Debug)]
pub struct Arguments<'a> {
    usage: &'a str,
    names: &'a [&'a str],
    left: Vec<(String, Term)>,
}

impl<'a> Arguments<'a> {
    /// Matches the arguments of `call` with `names`: those without a key in the order of the names.
    /// Every message has `usage`, as in `h2(MEAN, cv2=8)`.
    ///
    /// # Errors
    /// When there are too many, or a key is unknown or given twice, or weights are given.
    pub fn new(call: &Call, usage: &'a str, names: &'a [&'a str]) -> Result<Self, Invalid> {
        let mut arguments = Arguments { usage, names, left: Vec::new() };
        for (place, argument) in call.arguments.iter().enumerate() {
            let name = match &argument.label {
                Label::None => match names.get(place) {
                    Some(name) => (*name).to_owned(),
                    None => return Err(arguments.error("has too many arguments")),
                },
                Label::Key(key) if names.contains(&key.as_str()) => key.clone(),
                Label::Key(key) => {
                    let hint = nearest(key, names.iter().copied())
                        .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                    return Err(arguments.error(&format!("has no argument `{key}`{hint}")));
                }
                Label::Weight(_) => return Err(arguments.error("takes no weights")),
            };
            if arguments.left.iter().any(|(taken, _)| *taken == name) {
                return Err(arguments.error(&format!("is given `{name}` twice")));
            }
            arguments.left.push((name, argument.term.clone()));
        }
        Ok(arguments)
    }

    /// Takes the argument `name` if it is given.
    pub fn optional(&mut self, name: &str) -> Option<Term> {
        debug_assert!(self.names.contains(&name));
        let at = self.left.iter().position(|(key, _)| key == name)?;
        Some(self.left.remove(at).1)
    }

    /// Takes the argument `name`.
    ///
    /// # Errors
    /// When it is missing.
    pub fn required(&mut self, name: &str) -> Result<Term, Invalid> {
        self.optional(name).ok_or_else(|| self.error(&format!("needs `{name}`")))
    }

    /// Takes the quantity `name`, of any dimension.
    ///
    /// # Errors
    /// When it is missing or not a quantity.
    pub fn quantity(&mut self, name: &str) -> Result<Quantity, Invalid> {
        match self.required(name)? {
            Term::Quantity(quantity) if quantity.value.is_finite() => Ok(quantity),
            _ => Err(self.error(&format!("needs a number for `{name}`"))),
        }
    }

    /// Takes the quantity `name` that has the dimension `dimension` or is bare, in the base unit.
    ///
    /// # Errors
    /// When it is missing, not a quantity, or has another dimension.
    pub fn number(&mut self, name: &str, dimension: Dimension) -> Result<f64, Invalid> {
        let quantity = self.quantity(name)?;
        quantity.expect(dimension).map_err(|error| self.error(&format!("for `{name}`: {error}")))
    }

    /// As [`Arguments::number`], or this value if it is missing.
    ///
    /// # Errors
    /// When it is not a quantity, or has another dimension.
    pub fn number_or(
        &mut self,
        name: &str,
        dimension: Dimension,
        otherwise: f64,
    ) -> Result<f64, Invalid> {
        let given = self.left.iter().any(|(key, _)| key == name);
        if given { self.number(name, dimension) } else { Ok(otherwise) }
    }

    /// Ends the taking.
    ///
    /// # Errors
    /// When an argument is left over.
    pub fn finish(self) -> Result<(), Invalid> {
        match self.left.first() {
            None => Ok(()),
            Some((name, _)) => Err(self.error(&format!("does not take `{name}` here"))),
        }
    }

    /// A message about this call, with its right form.
    #[must_use]
    pub fn error(&self, what: &str) -> Invalid {
        let name = self.usage.split('(').next().unwrap_or(self.usage);
        Invalid::new(format!("`{name}` {what}; write it as {}", self.usage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn calls_nest_and_carry_labels() {
        let call =
            Call::parse("mix(0.93: exp(5ms), 0.07: truncated(pareto(shape=1, scale=1s), hi=9s))")
                .unwrap();
        assert_eq!(call.name, "mix");
        assert_eq!(call.arguments.len(), 2);
        assert!(matches!(call.arguments[0].label, Label::Weight(w) if w.value == 0.93));
        let Term::Call(inner) = &call.arguments[1].term else { panic!("a call") };
        assert_eq!(inner.arguments[1].label, Label::Key("hi".into()));
    }

    #[test]
    fn words_and_file_names_are_calls_without_arguments() {
        assert_eq!(Call::parse("poisson").unwrap().arguments, []);
        for name in ["demands.txt", "./demands.txt", "2024/day-1.csv", "2024.csv"] {
            let call = Call::parse(&format!("empirical({name})")).unwrap();
            assert_eq!(
                call.arguments[0].term,
                Term::Call(Call { name: name.into(), arguments: vec![] })
            );
        }
    }

    #[test]
    fn quoted_words_hold_what_they_like() {
        let words = |text: &str| -> Vec<(Label, Term)> {
            let call = Call::parse(text).unwrap();
            call.arguments.into_iter().map(|one| (one.label, one.term)).collect()
        };
        let word = |text: &str| Term::Call(Call { name: text.into(), arguments: vec![] });
        assert_eq!(words("f('a, (b=1:')"), [(Label::None, word("a, (b=1:"))]);
        let format = "csv:time=ts,address=ip";
        let expected = [(Label::None, word("x.log")), (Label::Key("format".into()), word(format))];
        assert_eq!(words(&format!("f(x.log, format='{format}')")), expected);
        // An apostrophe within a word is a letter like any other.
        assert_eq!(words("f(bob's.csv)"), [(Label::None, word("bob's.csv"))]);
        let nested = words("f(0.5: g('a,b'), 1)");
        assert_eq!(nested.len(), 2);
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &str| Call::parse(text).unwrap_err().to_string();
        assert!(message("exp(5ms").contains("closing bracket"));
        assert!(message("exp(5ms,)").contains("argument is missing"));
        assert!(message("exp(5 parsecs)").contains("unknown unit"));
        assert!(message("a(b)c)").contains("do not match"));
        assert!(message("a('b)").contains("has no end"));
        assert!(message("").contains("name(arguments)"));
        assert!(message(&"a(".repeat(99)).contains("closing bracket"));
        assert!(message(&format!("{}{}", "a(".repeat(99), ")".repeat(99))).contains("deeper"));
    }

    #[test]
    fn arguments_are_taken_by_place_and_by_key() {
        let call = Call::parse("h2(10ms, cv2=8)").unwrap();
        let mut arguments = Arguments::new(&call, "h2(MEAN, cv2=8)", &["mean", "cv2"]).unwrap();
        assert_eq!(arguments.number("mean", Dimension::Time).unwrap(), 0.01);
        assert_eq!(arguments.number("cv2", Dimension::Number).unwrap(), 8.0);
        arguments.finish().unwrap();
        let wrong = |text: &str| {
            let call = Call::parse(text).unwrap();
            Arguments::new(&call, "h2(MEAN, cv2=8)", &["mean", "cv2"]).unwrap_err().to_string()
        };
        assert!(wrong("h2(1, 2, 3)").contains("too many"));
        assert!(wrong("h2(1, cv=2)").contains("did you mean `cv2`?"));
        assert!(wrong("h2(1, mean=2)").contains("twice"));
        assert!(wrong("h2(0.5: 2)").contains("weights"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "[a-z0-9(),:=./' ]{0,60}") {
            let _ = Call::parse(&text);
        }
    }
}
