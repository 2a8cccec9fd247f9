//! Tests of the policy's view of requests, and of a switch's refusals.

use super::*;
use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;

const STATION: &str = "[[cluster.station]]\nname = \"cpu\"\ndemand = \"exp(1ms)\"\n";

fn plan(cluster: &str, workload: Option<&str>, servers: usize) -> Result<Plan, Invalid> {
    let text = format!("name = \"s\"\n[[cluster]]\nname = \"web\"\n{cluster}\n{STATION}");
    let system = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
    let parsed = workload.map(|requests| {
        let text =
            format!("name = \"w\"\n[arrivals]\nmodel = \"open\"\nrate = \"1/s\"\n{requests}");
        Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
    });
    let workload = parsed.as_ref().map(|workload| (workload, "w.toml"));
    let backend = |number| Backend::parse(&format!("http://127.0.0.1:{}", 8080 + number)).unwrap();
    Plan::new(&system, None, workload, (0..servers).map(backend).collect(), None, 1)
}

const CAP: &str = "servers = 2\ndispatch = \"cap\"\n\
                   classes = { cpu = [\"search\"], static = [\"page\", \"image\"] }";

#[test]
fn the_name_is_the_first_part_of_the_path_or_the_workloads() {
    let plan_alone = plan(CAP, None, 2).unwrap();
    let class = |plan: &Plan, method: &str, target: &str| plan.request(method, target).class;
    assert_eq!(class(&plan_alone, "GET", "/search?q=1"), 0);
    assert_eq!(class(&plan_alone, "GET", "/image/7"), 1);
    assert_eq!(class(&plan_alone, "GET", "/other"), 0);

    let requests = "[[request]]\nname = \"page\"\nget = \"/p/{uniform(1, 9)}\"\n\
                    [[request]]\nname = \"search\"\nget = \"/find\"\n\
                    [[request]]\nname = \"image\"\nget = \"/i\"\n";
    let with_workload = plan(CAP, Some(requests), 2).unwrap();
    assert_eq!(class(&with_workload, "GET", "/p/3"), 1);
    assert_eq!(class(&with_workload, "GET", "/find"), 0);
    assert_eq!(class(&with_workload, "GET", "/page"), 0);
}

#[test]
fn one_target_has_one_number() {
    let plan = plan("servers = 1\ndispatch = \"lard\"", None, 1).unwrap();
    let number = |target: &str| plan.request("GET", target).target;
    assert_eq!(number("/a?b=1"), number("/a?b=1"));
    assert_ne!(number("/a?b=1"), number("/a?b=2"));
}

#[test]
fn what_cannot_be_switched_is_refused() {
    for (cluster, workload, servers, why) in [
        (CAP, None, 3, "has 2 servers, and 3 are given"),
        (
            "servers = 1\ndispatch = \"least-work-left\"",
            None,
            1,
            "which a real request does not report",
        ),
        ("servers = 1\ndispatch = \"prequal\"", None, 1, "--probe"),
        (
            CAP,
            Some("[[request]]\nname = \"page\"\nget = \"/\"\n"),
            2,
            "w.toml: the class `cpu` of the cluster `web` has an unknown request `search`",
        ),
    ] {
        let refused = plan(cluster, workload, servers).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn a_server_is_given_once() {
    let twice = |other: &str| {
        let servers = ["http://127.0.0.1:80", "http://127.0.0.2", other];
        check_distinct(&servers.map(|url| Backend::parse(url).unwrap()))
    };
    assert_eq!(twice("http://127.0.0.1:81"), Ok(()));
    let said = twice("http://127.0.0.1/").unwrap_err().to_string();
    assert!(
        said.starts_with("servers 0 (http://127.0.0.1:80) and 2 (http://127.0.0.1/) are the same")
    );
}

#[test]
fn urls_of_servers_have_a_form() {
    let port = |url: &str| Backend::parse(url).map(|one| one.address.port());
    assert_eq!(port("http://127.0.0.1:8081"), Ok(8081));
    assert_eq!(port("http://127.0.0.1:8081/"), Ok(8081));
    assert_eq!(port("http://127.0.0.1"), Ok(80));
    assert_eq!(port("http://[::1]"), Ok(80));
    assert_eq!(port("http://[::1]:81"), Ok(81));
    let of_another_form = [
        ["127.0.0.1:80", "ftp://127.0.0.1:80", "http://", "http://a:b", "http://a:1/x"],
        ["http://a:0", "http://a:+1", "http://::1:80", "http://[::1", "http://[::1]x"],
    ];
    for url in of_another_form.concat() {
        let refused = port(url).unwrap_err().to_string();
        assert!(refused.contains("is not of the form http://HOST:PORT"), "{url}: {refused}");
    }
    let refused = port("https://127.0.0.1:80").unwrap_err().to_string();
    assert!(refused.contains("no TLS with the servers behind it"), "{refused}");
}
