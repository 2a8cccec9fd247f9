"""`thinktime learn`: from a log to a file that runs, its output, and its discretion."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from made_logs import Known, make
from skips import no_log
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.learn import learn
from thinktime.learn.views.server import sentences

DATA = Path(__file__).resolve().parents[3] / "shared/data"
SYSTEM = 'name = "quick"\n[[station]]\nname = "server"\ndemand = "exp(200us)"\n'


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 2,000 sessions; some of its lines are bad, and one contains secrets."""
    path = tmp_path_factory.mktemp("logs") / "access.log"
    make(Known(sessions=2000, rate=5.0), path)
    text = path.read_text()
    secret = text.splitlines()[3].replace("/item/", "/users/ann@example.org/?password=geheim&n=")
    path.write_text(f"{text}{secret}\n\x00\x01\x02 junk\n10.1.1.1 - - [99/Foo/2026] nonsense\n")
    return path


def called(*words: str, status: int = 0) -> str:
    result = CliRunner().invoke(app, ["learn", *words])
    assert result.exit_code == status, result.output
    return result.output


def test_a_log_becomes_a_workload_that_simulates_and_runs(log: Path, tmp_path: Path) -> None:
    workload, system = tmp_path / "w.toml", tmp_path / "s.toml"
    shown = called(str(log), "-o", str(workload), "--report", str(tmp_path / "page.html"))
    assert "advice           for people" in shown
    advice = shown[shown.index("advice") :].splitlines()
    assert max(len(line) for line in advice) <= 100
    text = workload.read_text()
    assert "# Learned from" in text
    system.write_text(SYSTEM)
    simulated = tt.simulate(workload, system, requests=5000)
    assert simulated.summary["model"] == "partly-open"
    with tt.serve(system) as server:
        measured = tt.run(workload, server.url, duration=2)
    assert measured.summary["errors"] == 0
    page = (tmp_path / "page.html").read_text()
    assert "Against the session timeout" in page
    assert "http://" not in page.split("<script>")[0]


@pytest.mark.usefixtures("brief_advice")
def test_nothing_tells_who_it_was(log: Path, tmp_path: Path) -> None:
    workload, page = tmp_path / "w.toml", tmp_path / "page.html"
    told = called(str(log), "--json", "-o", str(workload), "--report", str(page))
    json.loads(told[: told.rindex("}") + 1])
    learned = learn([log])
    for text in (workload.read_text(), page.read_text(), json.dumps(learned.to_dict())):
        for secret in ("geheim", "password", "ann@", "10.0."):
            assert secret not in text, secret


@pytest.mark.usefixtures("brief_advice")
def test_bad_lines_are_counted_by_reason_and_shown(log: Path) -> None:
    learned = learn([log], fidelity=False)
    assert sum(bad.count for bad in learned.bad_lines) == 2
    for bad in learned.bad_lines:
        assert (bad.file, bad.count) == (str(log), 1)
        assert bad.line > 7000
    assert "nonsense" in called(str(log), "--no-fidelity")


@pytest.mark.usefixtures("brief_advice")
def test_the_timeout_can_be_found(tmp_path: Path) -> None:
    """Users come again after an hour or more; within a session they think for seconds."""
    path = tmp_path / "access.log"
    lines = []
    for user in range(200):
        for visit in range(5):
            for n in range(4):
                second = user * 37 + visit * 7200 + n * 11
                day, hour, minute = second // 86400, second // 3600 % 24, second // 60 % 60
                stamp = f"{1 + day:02}/Mar/2026:{hour:02}:{minute:02}:{second % 60:02} +0000"
                lines.append((second, f'10.0.0.{user} - - [{stamp}] "GET / HTTP/1.1" 200 5\n'))
    path.write_text("".join(line for _, line in sorted(lines)))
    found = learn([path], timeout="auto", fidelity=False)
    assert found.timeout_from == "curve"
    assert 11 < found.figures.part.journeys.timeout_s < 60
    assert found.figures.sessions == 1000
    longer = learn([path], timeout="3h", fidelity=False)
    assert longer.figures.sessions == 200


@pytest.mark.usefixtures("brief_advice")
def test_logs_may_be_several_and_packed(log: Path, tmp_path: Path) -> None:
    text = log.read_text().splitlines(keepends=True)
    half = len(text) // 2
    (tmp_path / "access.log.1").write_text("".join(text[:half]))
    with gzip.open(tmp_path / "access.log.2.gz", "wt") as packed:
        packed.write("".join(text[half:]))
    whole, parts = (learn([one], fidelity=False) for one in (log, tmp_path / "access.log*"))
    assert len(parts.log.files) == 2
    assert parts.to_dict()["requests_per_session"] == whole.to_dict()["requests_per_session"]
    assert parts.figures.sessions == whole.figures.sessions


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give a log"),
        (["nowhere.log"], "nowhere.log"),
        (["nowhere*.log"], "nowhere*.log"),
        (["LOG", "--format", "tarball"], "tarball"),
        (["LOG", "--timeout", "0s"], "timeout"),
        (["LOG", "--user", "shoe-size"], "shoe-size"),
        (["LOG", "--crawlers", "away"], "away"),
        (["LOG", "--load", "1.5"], "load"),
        (["LOG", "--demand-cv2", "-1"], "C²"),
        (["LOG", "--least-users", "0"], "(--least-users) must be 1 or more, not 0"),
        (["LOG", "--demand", "exp(5ms)"], "--system"),
    ],
)
def test_wrong_input_is_explained(words: list[str], message: str, log: Path) -> None:
    shown = called(*(str(log) if word == "LOG" else word for word in words), status=2)
    assert message in shown
    assert "Traceback" not in shown


@pytest.mark.usefixtures("brief_advice")
def test_a_log_of_programs_alone_is_learned(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    stamp = "01/Mar/2026:10:00:00 +0000"
    path.write_text(f'10.0.0.1 - - [{stamp}] "GET / HTTP/1.1" 200 5 "-" "curl/8.5"\n' * 30)
    found = learn([path]).to_dict()
    assert found["programs"] == {"users": 1, "requests": 30}
    assert "people" not in [one["kind"] for one in found["populations"]]
    (together,) = learn([path], crawlers="with").split.populations
    assert together.kind == "people"


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "story.log"
    path.write_text("Once upon a time\nthere was a line\n" * 50)
    assert "story.log" in called(str(path), status=2)
    path.write_text("")
    assert "no request" in called(str(path), status=2)


@pytest.mark.usefixtures("brief_advice")
def test_logs_are_never_written_over(log: Path, tmp_path: Path) -> None:
    text = log.read_text()
    assert "is a log" in called(str(log), "-o", str(log), status=2)
    assert "is a log" in called(str(log), "--report", str(log), status=2)
    assert log.read_text() == text
    both = str(tmp_path / "both.toml")
    assert "both" in called(str(log), "-o", both, "--report", both, status=2)
    assert "no folder" in called(str(log), "-o", str(tmp_path / "no/w.toml"), status=2)


@pytest.mark.usefixtures("brief_advice")
def test_without_durations_one_name_stands_for_a_workload_and_a_page(
    log: Path, tmp_path: Path
) -> None:
    name = tmp_path / "shop.example.org"
    shown = called(str(log), "--no-fidelity", "-q", "-o", str(name))
    assert f"{name}.system.toml is not written: the log has no durations" in shown
    assert [one.suffix for one in sorted(tmp_path.iterdir())] == [".html", ".toml"]
    demand = ("--demand", "exp(5ms)", "-o", str(name))
    assert f"written: {name}.system.toml" in called(str(log), "--no-fidelity", "-q", *demand)


@pytest.mark.usefixtures("brief_advice")
def test_paths_that_tell_of_persons_are_not_named(tmp_path: Path) -> None:
    hidden = [
        "/u/bob%40example.com", "/s;jsessionid=8F3A5", "/p/token=abcdef123", "/~alice/",
        "/r/AbCdEfGhIjKlMnOpQrStUvWx", "/search/John+Smith", "/from/2001:db8::17",
        "/from/192.168.77.88", "/tel/4915112345678", "/api/key/sk_live_abc123",
    ]  # fmt: skip
    told = ["/", "/caf\xe9", "/caf%C3%A9", "/blog/2015/logstash-monitorama-2013/", "/user/4711/x"]
    path = tmp_path / "access.log"
    stamp = "01/Mar/2026:10:00:00 +0000"
    path.write_text(
        "".join(f'10.0.0.1 - - [{stamp}] "GET {one} HTTP/1.1" 200 5\n' for one in hidden + told)
        * 20
    )
    text = learn([path], crawlers="with", least_users=1, fidelity=False).workload_text
    for secret in ("bob", "8F3A", "abcdef", "alice", "AbCd", "Smith", "db8", "192", "4915", "sk_"):
        assert secret not in text, secret
    assert "4711" not in text
    assert 'get = "/blog/1/logstash-monitorama-2013/"' in text
    assert 'get = "/user/1/x"' in text


@pytest.mark.usefixtures("brief_advice")
def test_requests_whose_paths_are_not_named_are_told_of(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    rows = [(n % 9, "/cart" if n % 5 else "/plan") for n in range(300)]
    path.write_text(
        "".join(
            f"10.0.0.{1 if one == '/plan' else user} - - [01/Mar/2026:10:{n // 60:02}:{n % 60:02} "
            f'+0000] "GET {one} HTTP/1.1" 200 5\n'
            for n, (user, one) in enumerate(rows)
        )
    )
    given = (str(path), "--crawlers", "with", "--no-fidelity")
    assert "60 requests, 20 %, of people have no path in the workload file" in called(*given)
    assert "have no path" not in called(*given, "--least-users", "1")


@pytest.mark.usefixtures("brief_advice")
def test_programs_whose_paths_are_not_named_request_what_people_do(tmp_path: Path) -> None:
    """A run sends no request to a made-up path: all of its first polls were answered by 404."""
    path = tmp_path / "access.log"
    make(Known(sessions=300, rate=5.0), path)
    lines = path.read_text().splitlines()
    at = [one.partition("[")[2].partition("]")[0] for one in lines]
    each = dict.fromkeys(at[:: len(at) // 60])
    poll = '10.9.9.9 - - [{}] "GET /plan HTTP/1.1" 200 5 "-" "cron/1"'
    path.write_text("\n".join([*lines, *(poll.format(one) for one in each)]) + "\n")
    text = learn([path], fidelity=False).workload_text
    assert "plan" not in text
    targets = [one.split('"')[1] for one in text.splitlines() if one.startswith("get = ")]
    assert any(one.startswith("/item/1?others-of-") for one in targets), targets
    assert all(one.startswith("/item/") for one in targets)


@pytest.mark.usefixtures("brief_advice")
def test_a_health_check_is_named_however_seldom_it_asks(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    make(Known(sessions=300, rate=5.0), path)
    lines = path.read_text().splitlines()
    at = [one.partition("[")[2].partition("]")[0] for one in lines[:: len(lines) // 6]]
    probe = '10.9.9.9 - - [{}] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.30"'
    path.write_text("\n".join([*lines, *map(probe.format, at)]) + "\n")
    assert 'get = "/healthz"' in learn([path], fidelity=False).workload_text


@pytest.mark.usefixtures("brief_advice")
def test_odd_times_are_told(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    rows = [f"{1_790_000_000 + n},10.0.0.{n % 9},/\n" for n in range(300)]
    path.write_text("time,address,path\n" + "".join(rows) + "1000,10.0.0.1,/\n")
    found = learn([path], fidelity=False).to_dict()["warnings"]
    assert any("goes back" in one for one in found)
    assert any("is one of them wrong" in one for one in found)


@pytest.mark.usefixtures("brief_advice")
def test_logs_of_two_servers_at_the_same_time_are_not_odd(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        rows = [f"{1_790_000_000 + n},10.0.0.{n % 9},/\n" for n in range(300)]
        (tmp_path / name).write_text("time,address,path\n" + "".join(rows) + f"{name}\n")
    found = learn([tmp_path / "a.csv", tmp_path / "b.csv"], fidelity=False).to_dict()
    assert not any("goes back" in one for one in found["warnings"])
    assert any("a file begins before the one before it ends" in one for one in found["notes"])


@pytest.mark.usefixtures("brief_advice")
def test_a_field_that_may_be_the_duration_is_named_where_it_is_wanted(tmp_path: Path) -> None:
    line = '10.0.0.{} - - [02/Nov/2026:08:00:{:02} +0000] "GET / HTTP/1.1" 200 9 "-" "a" {}\n'
    text = "".join(line.format(n, n, 100481 + 7 * n) for n in range(60))
    (tmp_path / "access.log").write_text(text)
    (said,) = sentences(learn([tmp_path / "access.log"], fidelity=False), None)
    assert "if it is field 1 of those added, as in `100481`, name that in --format; else" in said


@pytest.mark.usefixtures("brief_advice")
@pytest.mark.parametrize(
    ("name", "requests", "bad"),
    [("semicomplete-2015-05.access.log", 9999, 1), ("nasa-1995-08-01.access.log", 1841, 89)],
)
def test_real_logs_are_read(name: str, requests: int, bad: int) -> None:
    if not (DATA / name).exists():
        no_log(DATA / name)
    found = learn([DATA / name], fidelity=False).to_dict()
    assert found["requests"] == requests
    assert sum(one["requests"] for one in found["populations"]) == requests
    assert sum(found["bad_lines"].values()) == bad
    assert found["recommended_model"] in ("open", "partly-open", "closed")
