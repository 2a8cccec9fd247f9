use super::super::template::*;
use crate::files::NoFiles;
use crate::random::Purpose;

fn names() -> Vec<String> {
    vec!["token".to_owned(), "user name".to_owned()]
}

fn written(template: &Template, values: &[Option<&'static str>]) -> Result<String, Unwritten> {
    let mut out = Vec::new();
    let value = |place: usize| values.get(place).copied().flatten().map(str::as_bytes);
    template.write(&mut out, &mut Stream::new(1, 2, Purpose::Target), &value)?;
    Ok(String::from_utf8(out).unwrap())
}

fn plain(text: &str) -> Template {
    Template::parse(text, Place::Plain, &names(), &NoFiles).unwrap()
}

#[test]
fn values_and_draws_stand_in_braces_and_other_braces_are_themselves() {
    let all = [Some("t"), Some("u")];
    for (text, expected) in [
        ("Bearer {token}", "Bearer t"),
        ("{user name}{const(7)}", "u7"),
        ("{ token } {} { {\"a\": {token}}", "{ token } {} { {\"a\": t}"),
        ("query {user(id: 1) {name token}}", "query {user(id: 1) {name token}}"),
        ("{token", "{token"),
        ("", ""),
    ] {
        assert_eq!(written(&plain(text), &all).unwrap(), expected, "{text}");
    }
    assert_eq!(written(&plain("{token}"), &[None]), Err(Unwritten::Missing(0)));
    let wrong = |text| Template::parse(text, Place::Plain, &names(), &NoFiles);
    assert!(wrong("{tokn}").unwrap_err().to_string().contains("did you mean `token`"));
    assert!(wrong("{zipf(n=0, s=1)}").is_err());
    let none = Template::parse("{tokn}", Place::Plain, &[], &NoFiles).unwrap();
    assert_eq!(none.as_fixed().unwrap(), b"{tokn}");
}

#[test]
fn a_brace_is_written_so_that_it_begins_nothing() {
    let text = "{brace()}zipf(n=9, s=1)} {brace()}brace()} {{brace()}token}";
    let sent = "{zipf(n=9, s=1)} {brace()} {{token}";
    for place in [Place::Plain, Place::Json, Place::Header] {
        let template = Template::parse(text, place, &names(), &NoFiles).unwrap();
        assert_eq!(written(&template, &[None]).unwrap(), sent, "{place:?}");
        assert!(!template.has_values());
    }
    let form = Template::parse("{brace()}exp(1)", Place::Form, &[], &NoFiles).unwrap();
    assert_eq!(written(&form, &[]).unwrap(), "%7Bexp(1)");
    let json = Template::parse_json(r#"["{brace()}const(7)}","{const(7)}"]"#, &[], &NoFiles);
    assert_eq!(written(&json.unwrap(), &[]).unwrap(), r#"["{const(7)}",7]"#);
}

#[test]
fn values_are_written_as_their_place_wants_it() {
    let hostile = [Some("a\"b&c=\u{e4}/\n?#")];
    let target = Template::parse_target("/x/{token}?q={token}", &names(), &NoFiles).unwrap();
    assert_eq!(
        written(&target, &hostile).unwrap(),
        "/x/a\"b&c=%C3%A4/%0A?%23?q=a%22b%26c%3D%C3%A4%2F%0A%3F%23"
    );
    let json = Template::parse_json(r#"{"t":"{token}"}"#, &names(), &NoFiles).unwrap();
    let back: serde_json::Value = serde_json::from_str(&written(&json, &hostile).unwrap()).unwrap();
    assert_eq!(back["t"], hostile[0].unwrap());
    let header = Template::parse("{token}", Place::Header, &names(), &NoFiles).unwrap();
    assert_eq!(written(&header, &hostile), Err(Unwritten::Unfit));
}

#[test]
fn a_json_text_that_is_one_draw_is_a_number() {
    for (text, expected) in [
        (r#"{"n":"{const(7)}"}"#, r#"{"n":7}"#),
        (r#"["{const(7)}","{const(8)}"]"#, "[7,8]"),
        (r#"["a{const(7)}","{token}"]"#, r#"["a7","t"]"#),
        (r#"["\"{const(7)}\""]"#, r#"["\"7\""]"#),
        (r#"["\\","{const(7)}"]"#, r#"["\\",7]"#),
    ] {
        let json = Template::parse_json(text, &names(), &NoFiles).unwrap();
        assert_eq!(written(&json, &[Some("t")]).unwrap(), expected, "{text}");
    }
}
