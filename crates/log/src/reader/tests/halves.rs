use super::*;

/// The number of requests of which each is answered soon.
const REQUESTS: usize = 3000;
/// How many lines later, at most.
const LATER: usize = 23;

fn begun(tag: &str, path: &str) -> String {
    let at = "2026-11-22 12:00:00 +0200";
    format!("[{tag}] Started GET \"{path}\" for 203.0.113.7 at {at}\n")
}

fn answered(tag: &str, status: usize) -> String {
    format!("[{tag}] Completed {status} OK in 12ms (Views: 1.2ms)\n")
}

fn status(number: usize) -> usize {
    200 + number % 7
}

/// Rails' lines of a request that is never answered, one that is answered at the end, and others.
fn rails() -> String {
    let mut text = begun("open", "/cable") + &begun("long", "/export");
    for step in 0..REQUESTS + LATER {
        if step < REQUESTS {
            text += &begun(&format!("r{step}"), &format!("/{step}"));
            text += &format!("[r{step}] Processing by A#b as HTML {}\n", "x".repeat(step % 300));
        }
        let done = |number: &usize| number + 1 + number * 7 % LATER == step;
        for number in (step.saturating_sub(LATER)..step.min(REQUESTS)).filter(done) {
            text += &answered(&format!("r{number}"), status(number));
        }
    }
    text + &answered("long", 503)
}

#[test]
fn the_lines_of_a_request_are_joined_across_chunks() {
    let text = rails();
    for chunk_bytes in [100, 5_000, 1 << 20] {
        let chunk_bytes = NonZero::new(chunk_bytes).unwrap();
        let options = Options { chunk_bytes, ..Options::default() };
        let (all, report) = read(vec![stream(text.as_bytes())], options).unwrap();
        assert_eq!((all.len(), report.files[0].bad.len()), (REQUESTS + 2, 0));
        let of = |path: &str| all.iter().find(|entry| entry.3 == path).unwrap().1;
        assert_eq!((of("/cable"), of("/export")), (None, Some(503)));
        let numbers = all.iter().filter_map(|entry| entry.3[1..].parse::<usize>().ok());
        assert!(numbers.eq(0..REQUESTS), "they are in the order of their begins");
        for number in 0..REQUESTS {
            assert_eq!(of(&format!("/{number}")), Some(status(number) as u16), "{number}");
        }
    }
}

/// Requests behind one that is under way come while a file grows, and not at its end alone.
#[test]
fn a_request_without_an_answer_does_not_keep_all_others() {
    let text = rails();
    let (mut all, mut least) = (Vec::new(), 0);
    let chunk_bytes = NonZero::new(4_000).unwrap();
    let options = Options { chunk_bytes, threads: NonZero::<usize>::MIN, ..Options::default() };
    let reader = LogReader::new(vec![stream(text.as_bytes())], options).unwrap();
    let consume = |batch: &mut Vec<Digest>| {
        if least == 0 {
            least = batch.len();
        }
        all.append(batch);
    };
    reader.run(digest, consume, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(all.len(), REQUESTS + 2);
    assert!((1..REQUESTS).contains(&least), "the first batch has {least}");
}

#[test]
fn files_of_two_lines_a_request_are_in_the_order_of_their_times() {
    let folder = folder("halves");
    let mut sources = Vec::new();
    for (name, hour) in [("a.log", 14), ("b.log", 12)] {
        let text =
            format!("the program starts\n{}", rails().replace(" 12:00", &format!(" {hour}:00")));
        fs::write(folder.join(name), text).unwrap();
        sources.push(Source::File(folder.join(name)));
    }
    let sorted = Source::in_time_order(sources, &Options::default()).unwrap();
    let names: Vec<String> = sorted.iter().map(Source::name).collect();
    assert!(names[0].ends_with("b.log") && names[1].ends_with("a.log"), "{names:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_cut_last_line_is_told() {
    let text = begun("u1", "/a") + &answered("u1", 200) + "[u2] Started GET \"/";
    let (all, report) = read_bytes(text.as_bytes());
    assert_eq!((all.len(), report.bad[0].reason), (1, Reason::Truncated));
}
