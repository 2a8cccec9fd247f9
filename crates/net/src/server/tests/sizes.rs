//! Responses of the workload's sizes.

use super::*;

const WORKLOAD: &str = "name = 'w'\nseed = 5\n[arrivals]\nmodel = 'open'\nrate = 1\n\
    [[request]]\nname = 'item'\nget = '/item/{zipf(n=100, s=1)}'\nsize = 'uniform(1B, 300kB)'\n\
    [[request]]\nname = 'large'\nget = '/large'\nsize = '16MiB'\n\
    [[request]]\nname = 'empty'\nget = '/empty'\nsize = '0B'\n\
    [[request]]\nname = 'plain'\nget = '/plain'\n";

fn workload() -> Workload {
    Workload::parse(Source { file: "", text: WORKLOAD }, &NoFiles).unwrap()
}

fn size(target: &str) -> usize {
    let kinds = workload().requests;
    let item = kinds[0].size.as_ref().unwrap();
    item.of_target(target) as usize
}

fn running() -> Running {
    Running::of(&model(STATION), Some(&workload()))
}

fn get(target: &str, more: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: x\r\nThinktime-Demand: 0s\r\n{more}\r\n").into_bytes()
}

const CLOSE: &str = "Connection: close\r\n";

/// The lengths of the heads and of the bodies of all received responses.
fn lengths(mut answer: &str, heads_only: bool) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    while let Some((head, rest)) = answer.split_once("\r\n\r\n") {
        let (_, told) = head.split_once("Content-Length: ").unwrap();
        let told: usize = told.lines().next().unwrap().parse().unwrap();
        let body = if heads_only { 0 } else { told };
        assert!(rest.as_bytes()[..body].iter().all(|byte| *byte == b'x'));
        all.push((told, body));
        answer = &rest[body..];
    }
    assert!(answer.is_empty(), "{} bytes came after the last response", answer.len());
    all
}

#[test]
fn bodies_have_the_sizes_of_their_targets() {
    let running = running();
    let cases = [
        ("/item/7", "", size("/item/7")),
        ("/item/8?q=1", "", size("/item/8")),
        ("/plain", "", 16),
        ("/unknown", "", 16),
        ("/empty", "", 0),
        ("/large", "", 16 << 20),
        // The name comes before the target.
        ("/x", "Thinktime-Request: item\r\n", size("/x")),
    ];
    for (target, header, expected) in cases {
        let answer = running.exchange(&get(target, &format!("{header}{CLOSE}")));
        assert_eq!(lengths(&answer, false), [(expected, expected)], "{target}");
    }
    assert_eq!(running.end().requests, 7);
}

#[test]
fn many_requests_sent_ahead_are_answered_one_after_another() {
    let running = running();
    let targets: Vec<String> = (0..40).map(|at| format!("/item/{}", at * at % 90 + 1)).collect();
    let mut sent: Vec<u8> = targets.iter().flat_map(|target| get(target, "")).collect();
    sent.extend(get("/plain", CLOSE));
    let mut expected: Vec<usize> = targets.iter().map(|target| size(target)).collect();
    expected.push(16);
    let answer = running.exchange(&sent);
    let bodies: Vec<usize> = lengths(&answer, false).iter().map(|(_, body)| *body).collect();
    assert_eq!(bodies, expected);
    running.end();
}

#[test]
fn a_head_tells_the_size_and_has_no_body() {
    let running = running();
    let answer = running.exchange(
        b"HEAD /large HTTP/1.1\r\nHost: x\r\n\r\n\
          HEAD /item/3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(lengths(&answer, true), [(16 << 20, 0), (size("/item/3"), 0)]);
    running.end();
}

/// A client that reads nothing of its large response delays nobody.
#[test]
fn a_slow_reader_holds_nobody_up() {
    let running = running();
    let mut slow = TcpStream::connect(running.address).unwrap();
    slow.write_all(&get("/large", CLOSE)).unwrap();
    let mut begin = [0; 100];
    slow.read_exact(&mut begin).unwrap();
    for _ in 0..20 {
        let answer = running.exchange(&get("/item/7", CLOSE));
        assert_eq!(lengths(&answer, false)[0].0, size("/item/7"));
    }
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).unwrap();
    assert!(begin.len() + rest.len() > 16 << 20);
    assert_eq!(running.end().requests, 21);
}

#[test]
fn demands_by_size_are_those_of_the_response() {
    let sized = model("[[station]]\nname = 'a'\ndemand = 'size / 1kB/s'");
    assert!(check(&sized, None).unwrap_err().to_string().contains("`a`"));
    let message = check(&sized, Some(&workload())).unwrap_err().to_string();
    assert!(message.contains("`plain`") && message.contains("`a`"), "{message}");
    let only_empty = model(
        "[[station]]\nname = 'a'\ndemand.empty = 'size / 1kB/s'\n\
                            demand.item = '0s'\ndemand.large = '0s'\ndemand.plain = '0s'",
    );
    check(&only_empty, Some(&workload())).unwrap();
    // A request without size and demand is refused, and one without bytes is served at once.
    let running = Running::of(&sized, Some(&workload()));
    let status = |target: &str| {
        let text = format!("GET {target} HTTP/1.1\r\nHost: x\r\n{CLOSE}\r\n");
        running.exchange(text.as_bytes())[9..12].to_owned()
    };
    assert_eq!((status("/empty").as_str(), status("/plain").as_str()), ("200", "400"));
    running.end();
}
