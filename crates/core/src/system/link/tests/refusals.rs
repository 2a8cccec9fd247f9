//! Wrong tables, and their messages.

use super::*;

fn message(link: &str, more: &str) -> String {
    let text = format!(
        "name = 's'\n[[station]]\nname = 'web'\ndemand = 0\n[[link]]\nname = 'wan'\n{link}\n{more}"
    );
    let found = SystemModel::parse(Source { file: "s.toml", text: &text }, &NoFiles);
    found.map_or_else(|error| error.to_string(), |_| format!("`{link}` was taken"))
}

#[test]
fn wrong_values_are_named_with_line_and_key() {
    for (line, key, part) in [
        ("delay = '5/s'", "delay", "wanted a time"),
        ("delay = '-1ms'", "delay", "0 or more"),
        ("delay = '2h'", "delay", "at most an hour"),
        ("jitter = '1ms'", "jitter", "at most the `delay`"),
        ("rate = '10ms'", "rate", "no rate in bytes a second"),
        ("rate = '100bit/s'", "rate", "at least 1kbit/s"),
        ("rate = '1Mbit/s'\nbuffer = '1kB'", "buffer", "room for a packet of 1500 bytes"),
        ("buffer = '10kB'", "buffer", "which is not given"),
        ("loss = '50%'", "loss", "below a half"),
        ("loss = '5s'", "loss", "not a share"),
        ("loss = '120%'", "loss", "not between 0 and 1"),
        ("segment = '0B'", "segment", "from 1 B to 64 KiB"),
        ("segment = '1MB'", "segment", "from 1 B to 64 KiB"),
        ("initial_window = 0", "initial_window", "from 1 to 1000"),
        ("minimum_timeout = 0", "minimum_timeout", "at least 1ms"),
        ("congestion_control = 'bbr'", "congestion_control", "reno"),
        ("connections = 'often'", "connections", "per-request"),
        ("losses = 0.1", "losses", "loss"),
        ("[[link]]\nname = 'wan'", "name", "is taken by another link"),
    ] {
        let found = message(line, "");
        assert!(found.starts_with("s.toml:") && found.contains(key), "{line}: {found}");
        assert!(found.contains(part), "{line}: {found}");
    }
}

#[test]
fn wrong_steps_are_named() {
    for (steps, part) in [
        ("{ send = 'wna' }", "did you mean `wan`?"),
        ("{ receive = 'web' }", "unknown link `web`"),
        ("{ use = 'wan' }", "unknown station `wan`"),
        ("{ use = 'web', size = '1kB' }", "goes with `send` and `receive` only"),
        ("{ send = 'wan', demand = '1ms' }", "goes with `use` only"),
        ("{ send = 'wan', receive = 'wan' }", "is one of `use`"),
        ("{ send = 'wan', size = '1s' }", "wanted a size"),
        ("{ send = 'wan', size = '5000MB' }", "from 0 to 4294MB"),
    ] {
        let found = message("", &format!("[[behaviour]]\nsteps = [{steps}]"));
        assert!(found.contains(part), "{steps}: {found}");
    }
}

#[test]
fn a_response_without_a_size_is_refused() {
    let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[[request]]\nname = 'item'";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let found = model("", "").check_requests(&workload).unwrap_err().to_string();
    assert!(found.contains("`item`") && found.contains("`wan`"), "{found}");
    assert!(found.contains("has no `size`"), "{found}");
}
