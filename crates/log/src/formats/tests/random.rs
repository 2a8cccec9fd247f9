//! Random lines: nothing may panic, and valid lines are read.

use proptest::prelude::*;

use super::*;

/// A line in which some bytes were changed, taken out or doubled.
fn mutated(line: &[u8], changes: &[(usize, u8, u8)]) -> Vec<u8> {
    let mut line = line.to_vec();
    for (place, kind, byte) in changes {
        if line.is_empty() {
            break;
        }
        let place = place % line.len();
        match kind {
            0 => line[place] = *byte,
            1 => drop(line.remove(place)),
            2 => line.insert(place, *byte),
            3 => line.truncate(place),
            _ => line.extend_from_within(place..),
        }
    }
    line
}

#[test]
fn nothing_panics_on_mutated_lines() {
    let special = b"\"\\[]{}:,-/ \t%+u9\0\xff#?=&.eE";
    let mut state = 7_u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut texts: Vec<Vec<u8>> = vec![world_cup()];
    texts.extend(FORMATS.iter().map(|known| known.example.as_bytes().to_vec()));
    let mut read = 0;
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let (_, format) = find(&Head::new(text), &Choice::default()).unwrap();
        let units: Vec<&[u8]> = match format.cut() {
            Cut::Whole => vec![text],
            Cut::Records(size) => text.chunks(size).collect(),
            Cut::Lines => text.split(|byte| *byte == b'\n').collect(),
        };
        let mut clock = Clock::default();
        for _ in 0..30_000 {
            let unit = units[random(units.len())];
            let changes: Vec<(usize, u8, u8)> = (0..1 + random(4))
                .map(|_| (random(4096), random(5) as u8, special[random(special.len())]))
                .collect();
            let line = mutated(unit, &changes);
            let _ = format.read(&line, &mut clock, &mut |entry| read += entry.path.len());
            let _ = format.directive(&line);
        }
    }
    assert!(read > 100_000, "most mutations leave entries: {read}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for known in FORMATS {
            let head = Head::new(&bytes);
            if let Ok(Some(format)) = (known.open)(&head, &FormatOptions::default()) {
                read_all(&format, &bytes);
            }
            let example = Head::new(known.example.as_bytes());
            if let Ok(Some(format)) = (known.open)(&example, &FormatOptions::default()) {
                read_all(&format, &bytes);
            }
        }
        // Any bytes may be refused; none may panic.
        let _ = find(&Head::new(&bytes), &Choice::default());
    }

    #[test]
    fn nothing_panics_on_any_log_format(
        text in "[%$a-zA-Z{}\\[\\]\" :>]{0,40}",
        line in "[ -~]{0,60}",
    ) {
        for format in [format!("apache:%t {text}"), format!("nginx:{text} $msec")] {
            if Choice::new(Some(&format), None).is_ok() {
                named(&format, None, &line);
            }
        }
    }

    #[test]
    fn what_is_written_is_read(
        seconds in 0_i64..9_000_000_000,
        address in "[0-9a-f.:]{1,20}",
        user in "[a-z ]{0,8}[a-z]",
        path in "/[!-~&&[^?\"\\\\]]{0,40}",
        query in "[!-~&&[^\"\\\\]]{0,20}",
        status in 100_u16..1000,
        bytes in 0_u64..1_000_000_000_000,
        agent in any::<String>(),
    ) {
        let time = seconds_as_clf(seconds);
        let escaped: String = agent
            .bytes()
            .map(|byte| match byte {
                b'"' | b'\\' => format!("\\{}", char::from(byte)),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\x{byte:02x}"),
            })
            .collect();
        let line = format!(
            "{address} - {user} [{time}] \"GET {path}?{query} HTTP/1.1\" {status} {bytes} \
             \"-\" \"{escaped}\""
        );
        let choice = Choice::new(Some("combined"), None).unwrap();
        let (_, format) = find(&Head::new(b""), &choice).unwrap();
        let mut taken = false;
        let read = format.read(line.as_bytes(), &mut Clock::default(), &mut |entry| {
            taken = true;
            assert_eq!(entry.time_ns, seconds * 1_000_000_000);
            assert_eq!(entry.address, address.as_bytes());
            assert_eq!(entry.user, user.as_bytes());
            assert_eq!((&entry.path[..], &entry.query[..]), (path.as_bytes(), query.as_bytes()));
            assert_eq!((entry.status, entry.bytes), (Some(status), Some(bytes)));
            let expected = if agent == "-" { "" } else { &agent };
            assert_eq!(entry.agent, expected.as_bytes());
        });
        prop_assert!(read == Ok(()) && taken, "{line}: {read:?}");
    }
}

/// A time in the Common Log Format, by another way than the parser's: counting days.
fn seconds_as_clf(seconds: i64) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    while days >= if leap(year) { 366 } else { 365 } {
        days -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 0;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!(
        "{:02}/{}/{year}:{:02}:{:02}:{:02} +0000",
        days + 1,
        MONTHS[month],
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}
