use super::*;
use crate::files::NoFiles;

fn parsed(text: &str) -> Words {
    Words::parse(text, &["user".to_owned()], &NoFiles).unwrap().unwrap()
}

fn written(text: &str, entity: u64, user: Option<&'static str>) -> Result<String, usize> {
    let mut out = Vec::new();
    let value = |_| user.map(str::as_bytes);
    parsed(text).write(&mut out, &mut Stream::new(1, entity, Purpose::Target), &value)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn a_text_has_as_many_words_as_its_law_says() {
    for (text, number) in [("words(0)", 0), ("words(1)", 1), ("words(const(37))", 37)] {
        assert_eq!(written(text, 1, None).unwrap().split_whitespace().count(), number);
    }
    let lengths: Vec<usize> = (0..4_000)
        .map(|entity| written("words(exp(20))", entity, None).unwrap().split(' ').count())
        .collect();
    let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
    // Rounded draws of mean 20: four standard errors are 1.3.
    assert!((mean - 20.0).abs() < 1.4, "{mean}");
}

#[test]
fn texts_of_one_key_begin_alike_and_others_do_not() {
    let short = written("words(50, of=user)", 1, Some("ann")).unwrap();
    let long = written("words(80, of=user)", 2, Some("ann")).unwrap();
    assert!(long.starts_with(&short));
    for other in ["bob", "ann\0", "annabelle of the long name", ""] {
        let other = written("words(50, of=user)", 1, Some(other)).unwrap();
        assert_ne!(other, short);
    }
    let one = |text, entity| written(text, entity, None).unwrap();
    assert_eq!(one("words(30, of=const(7))", 1), one("words(30, of=const(7))", 2));
    assert_ne!(one("words(30, of=const(7))", 1), one("words(30, of=const(8))", 1));
    assert_ne!(one("words(30)", 1), one("words(30)", 2));
    assert_eq!(one("words(30)", 1), one("words(30)", 1));
    assert_eq!(written("words(3, of=user)", 1, None), Err(0));
}

#[test]
fn no_law_fills_the_memory() {
    assert_eq!(written("words(1e15)", 1, None).unwrap().split(' ').count(), 1_000_000);
}

#[test]
fn mistakes_are_refused() {
    let refused = |text| Words::parse(text, &[], &NoFiles).unwrap_err().to_string();
    assert!(refused("words()").contains("needs `length`"));
    assert!(refused("words(5ms)").contains("number"), "{}", refused("words(5ms)"));
    assert!(refused("words(5, off=2)").contains("did you mean `of`?"));
    assert!(refused("words(5, of=user)").contains("user"));
    assert_eq!(Words::parse("zipf(n=9, s=1)", &[], &NoFiles).unwrap(), None);
}
