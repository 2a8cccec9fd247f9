//! What a replay takes from its settings and its log, and the mistakes in them.

use proptest::prelude::*;

use super::*;

#[test]
fn requests_are_named_by_their_targets() {
    let rest = "model = 'open'\nprocess = 'trace(a.log, methods=all)'\n\
        [[request]]\nname = 'home'\nget = '/'\n\
        [[request]]\nname = 'reviews'\nget = '/item/{zipf(n=9, s=1)}/reviews'\n\
        [[request]]\nname = 'item'\nget = '/item/{zipf(n=9, s=1)}'\n\
        [[request]]\nname = 'search'\nget = '/search?q={zipf(n=9, s=1)}'\n\
        [[request]]\nname = 'order'\npost = '/order'\n\
        [[request]]\nname = 'other'\ntimeout = '2s'";
    let named = [
        ("GET", "/", "home"),
        ("GET", "/?from=x", "home"),
        ("HEAD", "/", "home"),
        ("GET", "/item/7", "item"),
        ("GET", "/item/blue?page=2", "item"),
        ("GET", "/item/7/reviews?page=2", "reviews"),
        ("GET", "/item", "other"),
        ("GET", "/search?q=shoes", "search"),
        ("GET", "/search", "other"),
        ("POST", "/order", "order"),
        ("GET", "/order", "other"),
        ("POST", "/", "other"),
    ];
    let lines: Vec<Line> = named.iter().map(|(method, to, _)| (0, 0, 1, *method, *to)).collect();
    let workload = parse(&lines, rest).unwrap();
    let mut clients = Clients::new(&workload, ENDLESS);
    let mut names = Vec::new();
    while !clients.finished() {
        if let ClientAction::Send(attempt) = clients.wake() {
            names.push(workload.requests[attempt.kind as usize].name.clone());
        }
        if names.len() == named.len() {
            break;
        }
    }
    assert_eq!(names, named.iter().map(|one| one.2).collect::<Vec<_>>());
}

#[test]
fn what_is_left_out_is_told() {
    let warnings = |arguments: &str| {
        let clients = Clients::new(&replay("open", arguments), ENDLESS);
        clients.report().unwrap().warnings().iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(warnings(", methods=all"), Vec::<String>::new());
    assert_eq!(
        warnings(""),
        ["a.log: 1 of 6 requests are left out: 1 whose method may change something (see \
          `methods`)"]
    );
}

#[test]
fn the_reader_is_told_what_is_wanted() {
    let asked = |process: &str| {
        let files = Given { lines: LINES.to_vec(), resolution_ns: 1, asked: RefCell::default() };
        let text = format!("name = 'a'\n[arrivals]\nmodel = 'open'\nprocess = \"{process}\"");
        Workload::parse(Source { file: "", text: &text }, &files).unwrap();
        files.asked.into_inner().map(|it| (it.format, it.user, it.all_methods))
    };
    let options = |format: Option<&str>, user: &str, all| {
        Some((format.map(str::to_owned), user.to_owned(), all))
    };
    assert_eq!(asked("trace(a.log)"), options(None, "agent", false));
    assert_eq!(asked("trace(a.csv, format=auto, user=address)"), options(None, "address", false));
    let csv = "csv:time=t,address=ip";
    assert_eq!(
        asked(&format!("trace(file=a.csv, format='{csv}', methods=all)")),
        options(Some(csv), "agent", true)
    );
    for column in ["a.csv", "a.txt", "a.parquet", "a.log, column=t", "a.log, format=times"] {
        assert_eq!(asked(&format!("trace({column})")), None, "{column}");
    }
}

proptest! {
    #[test]
    fn any_process_is_taken_or_refused(text in "trace\\([a-z0-9(),:=./' %]{0,60}\\)") {
        // Both outcomes are fine, as long as it does not panic.
        let _ = Settings::parse(&text);
    }
}

#[test]
fn mistakes_are_explained() {
    let open = |process: &str| parse(&LINES, &format!("model = 'open'\nprocess = '{process}'"));
    for (process, part) in [
        ("trace(a.log, speed=0)", "needs a `speed` above 0"),
        ("trace(a.log, users=0%)", "needs `users` above 0% and up to 100%"),
        ("trace(a.log, users=200%)", "needs `users` above 0%"),
        ("trace(a.log, users=few)", "needs a number for `users`"),
        ("trace(a.log, methods=save)", "did you mean `safe`?"),
        ("trace(a.log, timeout=3MB)", "for `timeout`"),
        ("trace(a.log, timeout=1min)", "an open one has no sessions"),
        ("trace(a.log, sped=2)", "did you mean `speed`?"),
        ("trace(a.csv, speed=2)", "add format=auto"),
        ("trace(a.log, users=0.0000001%)", "give a larger share"),
    ] {
        let message = open(process).unwrap_err();
        assert!(message.contains(part), "{process}: {message}");
        assert!(message.starts_with("w.toml:4: arrivals.process: "), "{message}");
    }
    let log = "process = 'trace(a.log)'";
    for (rest, part) in [
        (format!("model = 'open'\nrate = '1/s'\n{log}"), "4: arrivals.rate: does not go"),
        (format!("model = 'open'\nprofile = 'constant'\n{log}"), "by `speed`"),
        (format!("model = 'open'\nclients = 2\n{log}"), "arrivals.clients"),
        (format!("model = 'closed'\n{log}"), "needs `clients`"),
        (format!("model = 'partly-open'\n{log}\n[session]\nthink = '1s'"), "session.think"),
        (format!("model = 'partly-open'\n{log}\n[session]\nrequests = 2"), "session.requests"),
        (format!("model = 'closed'\nclients = 1\n{log}\n[session]\nscript = 'x'"), "the log says"),
        (format!("model = 'open'\n{log}\n[session]\non_error = 'end'"), "ends with its request"),
        ("model = 'closed'\nclients = 1\nprocess = 'trace(a.csv)'".to_owned(), "no arrivals"),
        (
            "model = 'closed'\nclients = 1\nprocess = 'trace(a.log, speed=2)'".to_owned(),
            "as fast as they can",
        ),
    ] {
        let message = parse(&LINES, &rest).unwrap_err();
        assert!(message.contains(part), "{rest}: {message}");
    }
    let nothing = |lines: &[Line]| parse(lines, &format!("model = 'open'\n{log}")).unwrap_err();
    assert!(nothing(&[]).contains("a.log: holds no request; so there is nothing to replay"));
    let posts = nothing(&[(0, 0, 1, "POST", "/")]);
    assert!(posts.contains("1 of 1 requests are left out"), "{posts}");
}
