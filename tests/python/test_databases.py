"""Requests of SQL against PostgreSQL, whose own tables and log prove the effects."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from database_runs import rows, workload
from postgres_server import USER, Database, serving

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TABLES = """
create table item (id int primary key, name text, price numeric, stock int not null default 0);
insert into item select n, 'item ' || n, n * 0.5 from generate_series(1, 10000) as n;
create table purchase (item int references item, number int);
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Database]:
    """A database with the tables of the docs."""
    with serving("max_connections=60", "deadlock_timeout=10ms") as database:
        database.sql(TABLES)
        yield database


def test_a_statement_is_prepared_once_and_its_rows_are_counted(shop: Database) -> None:
    item = (
        '[[request]]\nname = "item"\nsql = "select id, name from item where id <= $1"\n'
        'parameters = ["uniform(2.5, 5.5)"]\n'
    )
    result = tt.run(workload(item), shop.url, requests=200)
    assert result.summary["errors"] == 0, result.summary["errors_by_kind"]
    found = rows(result)
    assert set(found["rows"]) == {3, 4, 5}
    # Answers to Parse once and to Bind; a row of `n, item n`, with 5 bytes of header, 2 for the
    # number of columns and 4 for the length of each; SELECT n; and 6 bytes at the end.
    sizes = 5 + found["rows"] * (5 + 2 + 4 + 1 + 4 + 6) + (5 + len("SELECT 3") + 1) + 6
    sizes += (pl.Series(range(len(found))) == 0).cast(pl.Int64) * 5
    assert found.sort("request")["bytes_received"].cast(pl.Int64).to_list() == sizes.to_list()
    assert (found["first_byte_ns"] <= found["done_ns"]).all()
    assert found["status"].is_null().all()
    by_socket = tt.run(
        workload(item), f"postgresql://{USER}@/postgres", requests=200, unix_socket=shop.socket
    )
    assert rows(by_socket)["rows"].to_list() == found["rows"].to_list()


def test_first_and_last_rows_are_told_apart(shop: Database) -> None:
    """Rows come when the server has slept for them; each is larger than its buffer (8 kB).

    It sleeps at least this long before the first row, and again before each further one. Data may
    be read late, so a gap is only required of the quickest of five answers, and only for one sleep
    of three.
    """
    rest_s = 0.1
    slow = f"pg_sleep({rest_s}), repeat('x', 20000) from generate_series"
    made = workload(
        f'[[request]]\nname = "rows"\nsql = "select {slow}(1, 4)"\nnext = {{ whole = 1 }}\n'
        '[[request]]\nname = "whole"\nnext = { rows = 1 }\ntransaction = ['
        '"update item set stock = stock where id = 1", '
        f'"select {slow}(1, 1)", "select pg_sleep({3 * rest_s})"]\n'
    )
    result = tt.run(made, shop.url, requests=10)
    assert result.summary["errors"] == 0, result.summary["errors_by_kind"]
    found = rows(result).with_columns(
        first=pl.col("first_byte_ns").cast(pl.Int64) - pl.col("sent_ns").cast(pl.Int64),
        rest=pl.col("done_ns").cast(pl.Int64) - pl.col("first_byte_ns").cast(pl.Int64),
    )
    for name, count in (("rows", 4), ("whole", 2)):
        own = found.filter(pl.col("name").cast(str) == name)
        assert own["rows"].to_list() == [count] * 5
        assert own["first"].min() >= rest_s * 1e9, name
        assert own["rest"].max() >= rest_s * 1e9, name


def test_a_transaction_is_done_whole_or_not_at_all(shop: Database) -> None:
    shop.sql("truncate purchase; update item set stock = 1000000")
    order = (
        '[[request]]\nname = "order"\nparameters = ["uniform(1, 100)", "uniform(1, 3)"]\n'
        'transaction = ["update item set stock = stock - $2 where id = $1", '
        '"insert into purchase values ($1, $2)", "select stock from item where id = $1"]\n'
    )
    bad = order.replace('"order"', '"bad"').replace("select stock", "select stork")
    result = tt.run(workload(order + bad, clients=5), shop.url, requests=300)
    done = result.summary["by_request"]["order"]["requests"]
    assert result.summary["errors_by_kind"] == {"sqlstate_42703": 300 - done}
    assert 0 < done < 300
    # More than the requests that count may have been under way at the end.
    bought = int(shop.sql("select count(*) from purchase"))
    assert bought == done
    moved = "select sum(1000000 - stock) from item where stock <> 1000000"
    assert shop.sql(moved) == shop.sql("select sum(number) from purchase")
    assert set(rows(result).filter(pl.col("error").is_null())["rows"]) == {1}


def test_values_come_from_rows_and_go_into_parameters(shop: Database) -> None:
    made = workload(
        '[[request]]\nname = "first"\nweight = 1\n'
        'sql = "select id, name, true as here from item where id between $1 and $1 + 1"\n'
        'parameters = [7]\ntake = { found = "json:$[1].name" }\nnext = { second = 1 }\n'
        'checks = { id = { of = "json:$[0].id", is = 7 }, here = "json:$[1].here" }\n'
        '[[request]]\nname = "second"\nsql = "select id from item where name = $1"\n'
        'parameters = ["{found}"]\nnext = { first = 1 }\n'
        'checks = { same = { of = "json:$[0].id", is = 8 } }\n'.replace("weight = 1\n", "")
    )
    result = tt.run(made, shop.url, requests=20)
    assert result.summary["errors"] == 0, result.summary["errors_by_kind"]
    for name, checks in (("id", 10), ("here", 10), ("same", 10)):
        assert result.summary["checks"][name] == {"passed": checks, "failed": 0}


def test_requests_wait_for_a_connection_of_the_pool(shop: Database) -> None:
    pool = '[clients]\nconnections = 2\n[[request]]\nname = "slow"\nsql = "select pg_sleep(0.05)"\n'
    result = tt.run(workload(pool, clients=6), shop.url, requests=30)
    assert result.summary["errors"] == 0
    assert result.summary["generator"]["connections_max"] <= 2
    found = rows(result)
    # Two at a time, of at least 50 ms each: the last ones of the first six wait for 100 ms.
    assert found["sent_ns"].len() == 30
    assert result.summary["waiting_s"]["max"] >= 0.1
    assert result.summary["response_time_s"]["max"] >= 0.15
    assert any("waited for a connection of the pool" in note for note in result.summary["notes"])


def test_a_deadlock_is_broken_counted_and_tried_again(shop: Database) -> None:
    shop.sql("update item set stock = 0")
    one, other = (
        f'[[request]]\nname = "{name}"\nRETRY\ntransaction = ['
        f'"update item set stock = stock + 1 where id = {first}", "select pg_sleep(0.005)", '
        f'"update item set stock = stock + 1 where id = {second}"]\n'
        for name, first, second in (("up", 1, 2), ("down", 2, 1))
    )
    plain = workload((one + other).replace("RETRY", ""), clients=4)
    result = tt.run(plain, shop.url, requests=60)
    assert set(result.summary["errors_by_kind"]) == {"sqlstate_40P01"}
    failed = result.summary["errors"]
    assert 0 < failed < 60
    assert shop.sql("select sum(stock) from item") == str(2 * (60 - failed))
    again = 'retry = { attempts = "unlimited", on = ["sqlstate_40001", "sqlstate_40P01"] }'
    result = tt.run(
        workload((one + other).replace("RETRY", again), clients=4), shop.url, requests=60
    )
    assert (result.summary["errors"], result.summary["retries"] > 0) == (0, True)
    assert shop.sql("select sum(stock) from item") == str(2 * (60 - failed) + 120)
    other_failures = again.replace('"sqlstate_40001", "sqlstate_40P01"', '"timeout"')
    result = tt.run(
        workload((one + other).replace("RETRY", other_failures), clients=4), shop.url, requests=30
    )
    assert (result.summary["errors"] > 0, result.summary["retries"]) == (True, 0)


@pytest.mark.parametrize("isolation", ["repeatable-read", "serializable"])
def test_what_cannot_be_serialised_is_counted_and_tried_again(
    isolation: str, shop: Database
) -> None:
    """A change to a row that another transaction has changed since the snapshot has to begin
    anew."""
    shop.sql("update item set stock = 0")
    level = isolation.replace("-", " ")
    one = (
        f'[[request]]\nname = "add"\nisolation = "{isolation}"\nRETRY\ntransaction = ['
        '"select stock from item where id = 1", "select pg_sleep(0.005)", '
        '"update item set stock = stock + 1 where id = 1", '
        "\"select current_setting('transaction_isolation') as level\"]\n"
        f'checks = {{ level = {{ of = "json:$[0].level", is = "{level}" }} }}\n'
    )
    result = tt.run(workload(one.replace("RETRY", ""), clients=4), shop.url, requests=60)
    failed = result.summary["errors"]
    assert result.summary["errors_by_kind"] == {"sqlstate_40001": failed}
    assert 0 < failed < 60
    assert result.summary["checks"]["level"]["passed"] == 60 - failed
    assert shop.sql("select stock from item where id = 1") == str(60 - failed)
    again = 'retry = { attempts = "unlimited", on = ["sqlstate_40001"] }'
    result = tt.run(workload(one.replace("RETRY", again), clients=4), shop.url, requests=60)
    assert (result.summary["errors"], result.summary["retries"] > 0) == (0, True)
    assert shop.sql("select stock from item where id = 1") == str(120 - failed)
    # A deadlock is something else.
    other = again.replace("40001", "40P01")
    result = tt.run(workload(one.replace("RETRY", other), clients=4), shop.url, requests=30)
    assert (result.summary["errors"] > 0, result.summary["retries"]) == (True, 0)


def test_what_the_server_refuses_is_counted_by_its_kind(shop: Database) -> None:
    made = workload(
        '[[request]]\nname = "table"\nsql = "select * from nothing"\n'
        '[[request]]\nname = "copy"\nsql = "copy purchase from stdin"\n'
        '[[request]]\nname = "number"\nsql = "select 1 / $1::int"\nparameters = [0]\n'
        '[[request]]\nname = "good"\nsql = "select 1"\n',
        clients=3,
    )
    result = tt.run(made, shop.url, requests=200, show_errors=True)
    causes = {name: one.get("causes") for name, one in result.summary["by_request"].items()}
    assert causes.pop("good") is None
    kinds = {name: set(found) for name, found in causes.items()}
    assert kinds == {
        "table": {"sqlstate_42P01"},
        "copy": {"postgresql_copy"},
        "number": {"sqlstate_22012"},
    }
    said = result.summary["by_request"]["table"]["bodies"]["sqlstate_42P01"]
    assert said == 'relation "nothing" does not exist'


def test_a_statement_that_is_given_up_frees_its_place(shop: Database) -> None:
    made = workload(
        "[clients]\nconnections = 1\n"
        '[[request]]\nname = "slow"\ntimeout = "50ms"\nsql = "select pg_sleep(1)"\n'
        '[[request]]\nname = "good"\nsql = "select 1"\n'
    )
    result = tt.run(made, shop.url, requests=20)
    slow = result.summary["by_request"]["slow"]["errors"]
    assert result.summary["errors_by_kind"] == {"timeout": slow}
    assert result.summary["by_request"]["good"]["requests"] == 20 - slow > 0


def test_the_example_is_run(shop: Database) -> None:
    shop.sql("truncate purchase; update item set stock = 1000000")
    result = tt.run(EXAMPLES / "database.toml", shop.url, duration=2, rate="100/s")
    assert result.summary["errors"] == 0, result.summary["errors_by_kind"]
    assert set(result.summary["by_request"]) == {"item", "order"}
    bought = int(shop.sql("select count(*) from purchase"))
    assert bought >= result.summary["by_request"]["order"]["requests"] > 0


def test_simulations_take_them_as_requests_with_names() -> None:
    system = tt.System('name = "s"\n[[station]]\nname = "db"\nservers = 4\ndemand = "exp(10ms)"\n')
    result = tt.simulate(EXAMPLES / "database.toml", system, load=0.5, requests=10_000)
    assert set(result.summary["by_request"]) == {"item", "order"}
    assert result.summary["waiting_s"]["mean"] >= 0


@pytest.mark.parametrize(
    ("requests", "said"),
    [
        ('sql = "select $1"', ["w.toml", "`request[1].parameters`", "`$1` stands"]),
        ('sql = "select 1"\nget = "/"', ["w.toml", "request[1].sql", "one method"]),
        ('sql = "select 1"\nheaders = { A = "b" }', ["request[1].headers", "method of HTTP only"]),
        ('sql = "select 1"\nbody = "x"', ["request[1].body", "goes with `post`"]),
        ('sql = "select 1"\nsize = "1kB"', ["request[1].size", "method of HTTP"]),
        ('get = "/"\nparameters = [1]', ["request[1].parameters", "`sql` or `transaction` only"]),
        (
            'sql = "select 1"\nretry = { attempts = 2, on = ["40001 "] }',
            ["retry", "sqlstate_40001"],
        ),
        ('sql = "select $1"\nparameters = ["{user}"]', ["request[1].parameters", "have none, by"]),
        ('sql = ["select 1", "select 2"]', ["w.toml:9: sql", "is a transaction"]),
        ('transaction = ["select 1"]\nisolation = "high"', ["w.toml:10: isolation", "serializ"]),
    ],
)
def test_what_does_not_go_together_is_named(requests: str, said: list[str]) -> None:
    with pytest.raises(tt.InputError) as caught:
        workload(f'[[request]]\nname = "x"\n{requests}\n')
    message = str(caught.value).replace("`", "")
    for part in said:
        assert part.replace("`", "") in message, message


def test_requests_and_targets_must_fit(shop: Database) -> None:
    sql, get = (
        '[[request]]\nname = "x"\nsql = "select 1"\n',
        '[[request]]\nname = "x"\nget = "/"\n',
    )
    http = f"http://127.0.0.1:{shop.port}"
    cases: list[tuple[str, str, dict[str, Any], str]] = [
        (sql, http, {}, "go to targets of postgresql"),
        (get, shop.url, {}, "give the request `sql`"),
        (sql, shop.url.replace(f"{USER}@", ""), {}, "names no user"),
        (sql, shop.url.replace("@", ":hunter2@"), {}, "PGPASSWORD"),
        (sql, shop.url, {"proxy": "http://127.0.0.1:1"}, "`proxy` does not go with a database"),
        (sql, shop.url + "?sslmode=prefer", {}, "sslmode=require"),
        ('[clients]\npassword = "env:NO_SUCH"\n' + sql, shop.url, {}, "NO_SUCH"),
        ('[clients]\npassword = "env:NO_SUCH"\n' + get, http, {}, "see `basic`"),
        ("[clients]\nconnections = 3\n" + get, f"h2c://127.0.0.1:{shop.port}", {}, "`concurrency`"),
    ]
    for requests, target, options, said in cases:
        with pytest.raises(tt.InputError) as caught:
            tt.run(workload(requests), target, requests=1, **options)
        assert said in str(caught.value), (target, caught.value)
        assert "hunter2" not in str(caught.value)


def test_the_command_line_runs_a_database(shop: Database, tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(
        workload('[[request]]\nname = "x"\nsql = "select 1"\n').to_toml()
    )
    command = [sys.executable, "-c", "from thinktime.cli import main; main()", "run", "w.toml"]
    command += ["--target", shop.url, "--requests", "20", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 3), done.stderr
    assert json.loads(done.stdout)["requests"] == 20
