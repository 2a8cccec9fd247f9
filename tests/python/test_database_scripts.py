"""Scripts that send SQL to PostgreSQL, whose own tables prove the effects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from postgres_server import Database, serving

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TABLES = """
create table item (id int primary key, name text, price numeric, stock int not null default 0);
insert into item select n, 'item ' || n, n * 0.5 from generate_series(1, 10000) as n;
create table purchase (item int references item, number int);
create table doctor (id int primary key, on_call boolean not null);
insert into doctor values (1, true), (2, true);
"""

Scripted = Callable[..., tt.Workload]


@pytest.fixture(scope="module")
def shop() -> Iterator[Database]:
    """A database with the tables of the docs."""
    with serving("max_connections=60", "deadlock_timeout=10ms") as database:
        database.sql(TABLES)
        yield database


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    """Makes the workload of a program's body, with a number of clients."""

    def made(program: str, clients: int = 1, *, requests: str = "", more: str = "") -> tt.Workload:
        (tmp_path / "s.luau").write_text(f"return function(client)\n{program}\nend\n")
        text = f'name = "db"\n[arrivals]\nmodel = "closed"\nclients = {clients}\n{more}[session]\n'
        text += 'think = "0s"\nscript = "s.luau"\n'
        return tt.Workload(
            text + (requests or '[[request]]\nname = "item"\n'), str(tmp_path / "w.toml")
        )

    return made


def fine(result: tt.Result) -> dict[str, Any]:
    """The summary of a run without failures."""
    summary: dict[str, Any] = result.summary
    assert summary["errors"] == 0, summary["errors_by_kind"]
    assert not [text for text in summary["warnings"] if "s.luau" in text], summary["warnings"]
    checks = summary.get("checks", {})
    failed = {name: one for name, one in checks.items() if one["failed"]}
    assert not failed, failed
    return summary


def test_rows_are_tables_by_the_types_of_columns(scripted: Scripted, shop: Database) -> None:
    made = scripted("""
        local found = client:sql("select id, name, price, id > 7 as more, null as nothing, "
            .. "'{\\"a\\": [1, 2]}'::jsonb as j, 'NaN'::float8 as odd from item "
            .. "where id between $1 and $1 + 1 order by id", { 7 })
        local one, other = found.rows[1], found.rows[2]
        client:check("two rows", found.ok and #found.rows == 2 and found.error == nil)
        client:check("numbers", one.id == 7 and one.price == 3.5 and other.id == 8)
        client:check("others", one.name == "item 7" and one.more == false and other.more == true)
        client:check("null", one.nothing == nil and one.j.a[2] == 2 and one.odd == "NaN")
        local none = client:sql("select 1 as x where false")
        client:check("no rows", none.ok and #none.rows == 0)
        client:sql("select $1::text as t, $2::int as i, $3::boolean as b, $4::jsonb as j",
            { "it's; --", client.null, false, { list = { 1, 2 } } })
        local sent = client:sql("select $1::text as t, $2::int as i, $3::boolean as b, "
            .. "$4::jsonb as j", { "it's; --", client.null, false, { list = { 1, 2 } } }).rows[1]
        client:check("sent", sent.t == "it's; --" and sent.i == nil and sent.b == false)
        client:check("json", sent.j.list[2] == 2)
    """)
    result = tt.run(made, shop.url, requests=40)
    summary = fine(result)
    assert summary["checks"]["json"]["passed"] >= 9
    assert result.requests is not None
    found = pl.DataFrame(result.requests).sort("request")
    assert found["rows"].to_list() == [2, 0, 1, 1] * 10


def test_errors_are_values_by_their_sqlstate(scripted: Scripted, shop: Database) -> None:
    made = scripted("""
        local gone = client:sql("select * from nothing")
        client:check("gone", not gone.ok and gone.error == "sqlstate_42P01")
        client:check("said", gone.message == 'relation "nothing" does not exist')
        client:check("good", client:sql("select 1 as x").rows[1].x == 1)
    """)
    result = tt.run(made, shop.url, requests=20)
    assert result.summary["errors_by_kind"] == {"sqlstate_42P01": 10}
    assert not [one for one in result.summary["checks"].items() if one[1]["failed"]]


def test_more_rows_than_are_given_are_said(scripted: Scripted, shop: Database) -> None:
    made = scripted("""
        local many = client:sql("select id from item union all select 0")
        local ok, why = pcall(function() return many.rows end)
        client:check("many", many.ok and not ok and string.find(why, "10001 rows") ~= nil)
        local long = client:sql("select repeat('x', 600000) as x from generate_series(1, 2)")
        ok, why = pcall(function() return long.rows end)
        client:check("long", long.ok and not ok and string.find(why, "1 MiB") ~= nil)
        client:check("next", #client:sql("update item set stock = 0 where false").rows == 0)
    """)
    summary = fine(tt.run(made, shop.url, requests=6))
    assert summary["checks"]["long"]["passed"] == 2


def test_a_transaction_is_one_request_over_one_connection(
    scripted: Scripted, shop: Database
) -> None:
    shop.sql("truncate purchase; update item set stock = 1000000")
    made = scripted(
        """
        local id = client.random:integer(1, 50)
        local backend
        local done = client:transaction(function(client)
            backend = client:sql("select pg_backend_pid() as p").rows[1].p
            local stock = client:sql("select stock from item where id = $1 for update", { id })
            client:sql("update item set stock = $2 where id = $1", { id, stock.rows[1].stock - 2 })
            client:sql("insert into purchase values ($1, 2)", { id })
            local again = client:sql("select pg_backend_pid() as p").rows[1].p
            client:check("one connection", backend == again)
            if client.random:uniform() < 0.3 then
                return false
            end
            return backend
        end, { name = "order" })
        client:check("done", done.ok and done.value == (done.value and backend))
        """,
        clients=6,
        more="[clients]\nconnections = 3\n",
        requests='[[request]]\nname = "item"\n[[request]]\nname = "order"\n',
    )
    result = tt.run(made, shop.url, requests=200)
    summary = fine(result)
    assert summary["by_request"]["order"]["requests"] == summary["requests"] == 200
    assert summary["generator"]["connections_max"] <= 3
    assert result.requests is not None
    found = pl.DataFrame(result.requests)
    assert set(found["rows"]) == {3}
    bought = int(shop.sql("select count(*) from purchase"))
    assert 60 < bought < 200, "P < 1e-9 with 200 of probability 0.7"
    moved = "select sum(1000000 - stock) from item where stock <> 1000000"
    assert shop.sql(moved) == str(2 * bought)


def test_a_transaction_that_fails_is_undone(scripted: Scripted, shop: Database) -> None:
    shop.sql("truncate purchase")
    made = scripted("""
        local failed = client:transaction(function(client)
            client:sql("insert into purchase values (1, 1)")
            client:sql("insert into item values (1)")
            client:check("never here", false)
        end)
        client:check("key", failed.error == "sqlstate_23505" and failed.attempts == 1)
        client:check("said", string.find(failed.message, "item_pkey") ~= nil)
        local ok, why = pcall(function()
            client:transaction(function(client)
                client:sql("insert into purchase values (2, 2)")
                error("changed my mind")
            end)
        end)
        client:check("raised", not ok and string.find(why, "changed my mind") ~= nil)
        client:check("after", client:sql("select 1 as x").rows[1].x == 1)
    """)
    result = tt.run(made, shop.url, requests=30)
    assert result.summary["errors_by_kind"] == {"sqlstate_23505": 10}
    assert set(result.summary["checks"]) == {"key", "said", "raised", "after"}
    assert not [one for one in result.summary["checks"].items() if one[1]["failed"]]
    assert shop.sql("select count(*) from purchase") == "0"


DEADLOCK = """
    local first = client.random:integer(1, 2)
    local done = client:transaction(function(client)
        client:sql("update item set stock = stock + 1 where id = $1", { first })
        client:sql("select pg_sleep(0.005)")
        client:sql("update item set stock = stock + 1 where id = $1", { 3 - first })
    end, { attempts = ATTEMPTS })
    client:record("attempts", done.attempts)
"""


def test_deadlocks_are_tried_again_and_counted(scripted: Scripted, shop: Database) -> None:
    shop.sql("update item set stock = 0")
    result = tt.run(scripted(DEADLOCK.replace("ATTEMPTS", "1"), clients=4), shop.url, requests=60)
    failed = result.summary["errors"]
    assert set(result.summary["errors_by_kind"]) == {"sqlstate_40P01"}
    assert (0 < failed < 60, result.summary["retries"]) == (True, 0)
    assert shop.sql("select sum(stock) from item") == str(2 * (60 - failed))
    many = scripted(DEADLOCK.replace("ATTEMPTS", "1000"), clients=4)
    summary = fine(tt.run(many, shop.url, requests=60))
    assert summary["retries"] > 0
    assert summary["metrics"]["attempts"]["mean"] > 1
    assert shop.sql("select sum(stock) from item") == str(2 * (60 - failed) + 120)
    # The workload's settings for retries come first.
    own = '[[request]]\nname = "item"\nretry = { attempts = 2, on = ["timeout"] }\n'
    own_run = tt.run(
        scripted(DEADLOCK.replace("ATTEMPTS", "1000"), clients=4, requests=own),
        shop.url,
        requests=60,
    )
    assert (own_run.summary["errors"] > 0, own_run.summary["retries"]) == (True, 0)


def test_transactions_that_cannot_be_serialised_are_tried_again(
    scripted: Scripted, shop: Database
) -> None:
    """Write skew, as in PostgreSQL's wiki: each doctor leaves only if another is on call."""
    made = scripted(
        """
        local me = client.random:integer(1, 2)
        local done = client:transaction(function(client)
            local on = client:sql("select id from doctor where on_call").rows
            client:sql("select pg_sleep(0.002)")
            if #on == 2 then
                client:sql("update doctor set on_call = false where id = $1", { me })
            else
                client:sql("update doctor set on_call = true")
            end
            client:check("somebody", #on >= 1)
        end, { isolation = "serializable", attempts = 1000 })
        """,
        clients=4,
    )
    summary = fine(tt.run(made, shop.url, requests=100))
    assert summary["retries"] > 0
    assert int(shop.sql("select count(*) from doctor where on_call")) >= 1


def test_a_transaction_that_is_given_up_frees_its_connection(
    scripted: Scripted, shop: Database
) -> None:
    """The next session's first statement needs it; of the first one it opens it, so that only
    the transaction itself takes the 50 ms."""
    made = scripted(
        """
        client:check("good", client:sql("select 1 as x", nil, { name = "good" }).rows[1].x == 1)
        local slow = client:transaction(function(client)
            client:sql("update item set stock = -7 where id = 9")
            client:sql("select pg_sleep(1)")
        end)
        client:check("given up", slow.error == "timeout" and slow.attempts == 1)
        """,
        more="[clients]\nconnections = 1\n",
        requests='[[request]]\nname = "slow"\ntimeout = "50ms"\n[[request]]\nname = "good"\n',
    )
    result = tt.run(made, shop.url, requests=10)
    assert result.summary["errors_by_kind"] == {"timeout": 5}
    assert not [one for one in result.summary["checks"].items() if one[1]["failed"]]
    assert shop.sql("select count(*) from item where stock = -7") == "0"


def test_the_example_is_run_and_simulated(shop: Database) -> None:
    shop.sql("truncate purchase; update item set stock = 1000000")
    result = tt.run(EXAMPLES / "orders.toml", shop.url, duration=2)
    summary = fine(result)
    assert set(summary["by_request"]) == {"item", "order"}
    bought = int(shop.sql("select count(*) from purchase"))
    assert bought >= summary["by_request"]["order"]["requests"] > 0
    system = tt.System('name = "s"\n[[station]]\nname = "db"\nservers = 4\ndemand = "exp(10ms)"\n')
    simulated = tt.simulate(EXAMPLES / "orders.toml", system, requests=5000)
    assert set(simulated.summary["by_request"]) == {"item", "order"}
    assert not [text for text in simulated.summary["warnings"] if "luau" in text]


def test_scripts_and_targets_must_fit(scripted: Scripted, shop: Database) -> None:
    made = scripted(
        "client:sql('select 1')", requests='[[request]]\nname = "x"\nsql = "select 1"\n'
    )
    with pytest.raises(tt.InputError) as caught:
        tt.run(made, shop.url, requests=1)
    assert "a script says itself what it sends" in str(caught.value)
    get = tt.run(scripted("client:get('/')"), shop.url, requests=5)
    assert get.summary["errors_by_kind"] == {"unfit_request": 5}
    http = tt.run(scripted("client:sql('select 1')"), f"http://127.0.0.1:{shop.port}", requests=5)
    assert http.summary["errors_by_kind"] == {"unfit_request": 5}
