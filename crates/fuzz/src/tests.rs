use super::*;

/// The input of each target is fixed; `make fuzz` tries other seeds.
const SEED: u64 = 20_261_122;

/// Reads the corpus, and a tenth of the inputs of a whole try.
fn tried(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let corpus = target.corpus();
    assert!(corpus.len() >= 5, "{name} has hardly a corpus");
    for bytes in &corpus {
        (target.read)(bytes);
    }
    for number in 0..target.tried / 10 {
        let bytes = mutation::input(target, &corpus, SEED, number);
        assert!(bytes.len() <= target.bytes_max);
        (target.read)(&bytes);
    }
}

#[test]
fn http1_holds() {
    tried("http1");
}

#[test]
fn http2_holds() {
    tried("http2");
}

#[test]
fn http3_holds() {
    tried("http3");
}

#[test]
fn hpack_holds() {
    tried("hpack");
}

#[test]
fn websocket_holds() {
    tried("websocket");
}

#[test]
fn log_holds() {
    tried("log");
}

#[test]
fn toml_holds() {
    tried("toml");
}

#[test]
fn luau_holds() {
    tried("luau");
}

#[test]
fn server_timing_holds() {
    tried("server_timing");
}

#[test]
fn grpc_holds() {
    tried("grpc");
}

#[test]
fn events_hold() {
    tried("events");
}

#[test]
fn postgresql_holds() {
    tried("postgresql");
}

#[test]
fn every_target_is_tried() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    let ours =
        ["http1", "http2", "http3", "hpack", "server_timing", "websocket", "postgresql", "grpc"];
    assert_eq!(names, [&ours[..], &["events", "log", "toml", "luau"]].concat());
}

#[test]
fn inputs_hang_on_seed_and_number_alone() {
    let target = &TARGETS[0];
    let corpus = target.corpus();
    let inputs = |seed| -> Vec<Vec<u8>> {
        (0..100).map(|number| mutation::input(target, &corpus, seed, number)).collect()
    };
    assert_eq!(inputs(1), inputs(1));
    let alike = inputs(1).iter().zip(&inputs(2)).filter(|(one, two)| one == two).count();
    assert!(alike < 20, "{alike}");
    let unchanged = inputs(1).iter().filter(|bytes| corpus.contains(bytes)).count();
    assert!(unchanged < 20, "{unchanged}");
}
