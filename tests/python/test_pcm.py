"""Import of PCM models: the result of each construct of a service.

Expected steps, weights and demands are worked out by hand from the models.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pcm_models as pcm
import pytest
from pcm_models import (
    CPU,
    DELAY,
    HDD,
    branch,
    call,
    cpu,
    fork,
    internal,
    loop,
    returning,
)

import thinktime as tt
from thinktime.pcm import Choices, Imported, import_model


def made(
    folder: Path, *front: pcm.Action, choices: Choices | None = None, **files: str
) -> Imported:
    return import_model(pcm.write(folder, front, **files), choices)


def system(found: Imported) -> dict[str, Any]:
    return tomllib.loads(found.files["system.toml"])


def workload(found: Imported) -> dict[str, Any]:
    return tomllib.loads(found.files["workload.toml"])


def ways(found: Imported) -> list[tuple[float, list[dict[str, Any]]]]:
    """(weight, steps) of each request."""
    steps = {one["request"]: one["steps"] for one in system(found)["behaviour"]}
    return [(one["weight"], steps[one["name"]]) for one in workload(found)["request"]]


def only(found: Imported) -> list[dict[str, Any]]:
    """The steps of the only request."""
    [(weight, steps)] = ways(found)
    assert weight == 1.0
    return steps


def texts(found: Imported) -> str:
    return "\n".join(str(note) for note in found.notes)


# ---- demands


def test_a_demand_on_a_processor_is_a_use_of_a_machine(tmp_path: Path) -> None:
    found = made(tmp_path, cpu("0.5"))
    assert only(found) == [{"use": "one", "demand": "500ms"}]
    [machine] = system(found)["machine"]
    assert machine == {"name": "one", "cores": 1, "os": "processor-sharing"}
    assert found.notes == []


def test_demands_are_divided_by_the_processing_rate(tmp_path: Path) -> None:
    environment = pcm.environment(pcm.resource(CPU, "ProcessorSharing", "2 * 100.0", 4))
    found = made(tmp_path, cpu("Exp(0.05)"), resourceenvironment=environment)
    assert only(found) == [{"use": "one", "demand": "exp(100ms)"}]  # mean 20, at 200 a second
    assert system(found)["machine"][0]["cores"] == 4


def test_disks_are_stations_and_delays_are_delays(tmp_path: Path) -> None:
    resources = pcm.resource(HDD, "FCFS", "10") + pcm.resource(DELAY, "Delay") + pcm.ONE
    found = made(
        tmp_path,
        internal((HDD, "5"), (DELAY, "UniDouble(1, 3)"), (CPU, "1")),
        resourceenvironment=pcm.environment(resources),
    )
    assert only(found) == [
        {"use": "one hdd", "demand": "500ms"},
        {"delay": "uniform(1s, 3s)"},
        {"use": "one", "demand": "1s"},
    ]
    assert system(found)["station"] == [{"name": "one hdd", "servers": 1, "policy": "fcfs"}]


@pytest.mark.parametrize(
    ("policy", "os"),
    [
        ("linux26o1", "linux-2.6.22"),
        ("linux26cfs", "linux-cfs"),
        ("winserver2003", "windows-server-2003"),
        ("winxp", "windows-xp"),
        ("winvista", "windows-vista"),
        ("win7", "windows-7"),
    ],
)
def test_exact_schedulers_are_presets_and_count_in_milliseconds(
    tmp_path: Path, policy: str, os: str
) -> None:
    environment = pcm.environment(pcm.resource(CPU, pcm.EXACT + policy))
    found = made(tmp_path, cpu("3"), resourceenvironment=environment)
    assert only(found) == [{"use": "one", "demand": "3ms"}]
    assert system(found)["machine"][0]["os"] == os
    assert found.time_unit_s == 0.001


def test_the_unit_of_time_and_the_operating_system_can_be_chosen(tmp_path: Path) -> None:
    environment = pcm.environment(pcm.resource(CPU, "FCFS"))
    found = made(tmp_path, cpu("3"), resourceenvironment=environment)
    assert system(found)["station"] == [{"name": "one", "servers": 1, "policy": "fcfs"}]
    choices = Choices(os="windows-7", time_unit="us")
    found = import_model(tmp_path, choices)
    assert system(found)["machine"][0]["os"] == "windows-7"
    assert only(found) == [{"use": "one", "demand": "3us"}]


def test_components_can_be_services(tmp_path: Path) -> None:
    repository = pcm.repository([cpu("1"), call()], [cpu("2")])
    found = made(tmp_path, repository=repository, choices=Choices(services=True))
    assert only(found) == [{"use": "Front", "demand": "1s"}, {"use": "Back", "demand": "2s"}]
    assert system(found)["service"] == [
        {"name": "Front", "machine": "one"},
        {"name": "Back", "machine": "one"},
    ]


# ---- branches


def test_a_branch_splits_a_request_into_variants(tmp_path: Path) -> None:
    found = made(tmp_path, branch((0.25, [cpu("1")]), (0.75, [cpu("2"), cpu("3")])))
    assert [one["name"] for one in workload(found)["request"]] == ["order.1", "order.2"]
    assert [one["get"] for one in workload(found)["request"]] == ["/order.1", "/order.2"]
    assert ways(found) == [
        (0.25, [{"use": "one", "demand": "1s"}]),
        (0.75, [{"use": "one", "demand": "2s"}, {"use": "one", "demand": "3s"}]),
    ]


def test_ways_that_do_the_same_are_one_variant(tmp_path: Path) -> None:
    found = made(
        tmp_path, branch((0.5, [cpu("1")]), (0.5, [cpu("2")])), branch((0.1, []), (0.9, []))
    )
    assert [weight for weight, _ in ways(found)] == [0.5, 0.5]


def test_a_way_without_demands_is_kept(tmp_path: Path) -> None:
    found = made(tmp_path, branch((0.5, [cpu("1")]), (0.5, [cpu("0")])))
    assert ways(found)[1] == (0.5, [{"delay": "0s"}])


def test_guards_go_with_the_values_that_decide_on_them(tmp_path: Path) -> None:
    # size is 1, 2 or 3; small ones cost their size, large ones ten times as much.
    guarded = branch(
        ("size.VALUE < 3", [cpu("size.VALUE")]), ("size.VALUE >= 3", [cpu("size.VALUE * 10")])
    )
    size = {"size.VALUE": "IntPMF[(1;0.25)(2;0.25)(3;0.5)]"}
    usage = pcm.usagemodel(pcm.users(pcm.walk([pcm.enter(size)]), pcm.opened("1")))
    found = made(tmp_path, guarded, usagemodel=usage)
    assert ways(found) == [
        (0.5, [{"use": "one", "demand": "discrete(0.5: 1s, 0.5: 2s)"}]),
        (0.5, [{"use": "one", "demand": "30s"}]),
    ]


def test_the_first_guard_that_holds_decides(tmp_path: Path) -> None:
    guarded = branch(("b.VALUE", [cpu("1")]), ("true", [cpu("2")]))
    usage = pcm.users(pcm.walk([pcm.enter({"b.VALUE": "BoolPMF[(true;0.3)(false;0.7)]"})]),
                      pcm.opened("1"))  # fmt: skip
    found = made(tmp_path, guarded, usagemodel=pcm.usagemodel(usage))
    assert [weight for weight, _ in ways(found)] == [0.3, 0.7]


def test_two_guards_on_one_draw_agree(tmp_path: Path) -> None:
    kind = 'EnumPMF[("a";0.4)("b";0.6)]'
    guards = [
        branch(('k.VALUE == "a"', [cpu(first)]), ('k.VALUE <> "a"', [cpu(second)]))
        for first, second in (("1", "2"), ("3", "4"))
    ]
    usage = pcm.users(pcm.walk([pcm.enter({"k.VALUE": kind})]), pcm.opened("1"))
    found = made(tmp_path, *guards, usagemodel=pcm.usagemodel(usage))
    demands = [(w, [step["demand"] for step in steps]) for w, steps in ways(found)]
    assert demands == [(0.4, ["1s", "3s"]), (0.6, ["2s", "4s"])]


def test_a_condition_on_a_continuous_draw_is_a_probability(tmp_path: Path) -> None:
    guarded = branch(("x.VALUE < 2", [cpu("1")]), ("x.VALUE >= 2", [cpu("5")]))
    usage = pcm.users(pcm.walk([pcm.enter({"x.VALUE": "UniDouble(0, 8)"})]), pcm.opened("1"))
    found = made(tmp_path, guarded, usagemodel=pcm.usagemodel(usage))
    assert [weight for weight, _ in ways(found)] == [0.25, 0.75]
    assert "a condition on a continuous draw is carried as a probability" in texts(found)


def test_too_many_variants_keep_the_mean_demand(tmp_path: Path) -> None:
    # 2^10 ways; the mean is 10 times 0.5 x 1 + 0.5 x 3 with a factor that distinguishes them.
    branches = [branch((0.5, [cpu(f"{3**k}")]), (0.5, [cpu(f"{3 * 3**k}")])) for k in range(10)]
    found = made(tmp_path, *branches)
    assert 1 < len(ways(found)) <= 64
    total = sum(w * sum(mean(step) for step in steps) for w, steps in ways(found))
    assert total == pytest.approx(sum(2 * 3**k for k in range(10)))
    assert "more than 64 variants" in texts(found)


def mean(step: dict[str, Any]) -> float:
    return tt.Distribution(step["demand"]).mean


# ---- loops and forks


def test_a_loop_is_unrolled(tmp_path: Path) -> None:
    assert only(made(tmp_path, loop("3", cpu("1")))) == [{"use": "one", "demand": "1s"}] * 3


def test_a_random_count_splits_a_request(tmp_path: Path) -> None:
    found = made(tmp_path, loop("IntPMF[(0;0.2)(2;0.8)]", cpu("1")), cpu("5"))
    steps = [(w, [step["demand"] for step in steps]) for w, steps in ways(found)]
    assert steps == [(0.2, ["5s"]), (0.8, ["1s", "1s", "5s"])]


def test_each_turn_of_a_loop_takes_a_branch_of_its_own(tmp_path: Path) -> None:
    found = made(tmp_path, loop("2", branch((0.5, [cpu("1")]), (0.5, [cpu("2")]))))
    steps = [(w, [step["demand"] for step in steps]) for w, steps in ways(found)]
    assert steps == [
        (0.25, ["1s", "1s"]), (0.25, ["1s", "2s"]), (0.25, ["2s", "1s"]), (0.25, ["2s", "2s"]),
    ]  # fmt: skip


def test_a_long_loop_is_one_turn_of_the_whole_demand(tmp_path: Path) -> None:
    found = made(tmp_path, loop("1000", cpu("Exp(4)")))
    assert only(found) == [{"use": "one", "demand": "250s"}]
    assert "more than 100 turns" in texts(found)


def test_loops_within_loops_do_not_become_ever_longer(tmp_path: Path) -> None:
    found = made(tmp_path, loop("50", loop("60", cpu("2"))))
    assert only(found) == [{"use": "one", "demand": "6000s"}]
    assert "500 steps" in texts(found)


def test_items_of_a_collection_are_drawn_one_by_one(tmp_path: Path) -> None:
    items = {"items.NUMBER_OF_ELEMENTS": "2", "items.INNER.BYTESIZE": "IntPMF[(1;0.5)(5;0.5)]"}
    usage = pcm.users(pcm.walk([pcm.enter(items)]), pcm.opened("1"))
    found = made(tmp_path, pcm.each(cpu("items.INNER.BYTESIZE")), usagemodel=pcm.usagemodel(usage))
    assert only(found) == [{"use": "one", "demand": "discrete(0.5: 1s, 0.5: 5s)"}] * 2


def test_a_fork_runs_side_by_side(tmp_path: Path) -> None:
    found = made(tmp_path, fork([[cpu("1")], [cpu("2"), cpu("3")]]), cpu("4"))
    assert only(found) == [
        {"fork": [[{"use": "one", "demand": "1s"}],
                  [{"use": "one", "demand": "2s"}, {"use": "one", "demand": "3s"}]]},
        {"use": "one", "demand": "4s"},
    ]  # fmt: skip


def test_branches_within_a_fork_split_the_request(tmp_path: Path) -> None:
    found = made(tmp_path, fork([[branch((0.5, [cpu("1")]), (0.5, [cpu("2")]))], [cpu("3")]]))
    assert [(w, steps[0]["fork"][0][0]["demand"]) for w, steps in ways(found)] == [
        (0.5, "1s"), (0.5, "2s"),
    ]  # fmt: skip


def test_what_nobody_waits_for_runs_beside_the_rest(tmp_path: Path) -> None:
    found = made(tmp_path, fork([], [[cpu("9")]]), cpu("1"), cpu("2"))
    assert only(found) == [
        {"fork": [[{"use": "one", "demand": "9s"}],
                  [{"use": "one", "demand": "1s"}, {"use": "one", "demand": "2s"}]]},
    ]  # fmt: skip
    assert "in the end the request waits for them" in texts(found)


# ---- parameters


def test_parameters_go_through_calls_and_come_back(tmp_path: Path) -> None:
    repository = pcm.repository(
        [
            call({"n.VALUE": "size.BYTESIZE * 2"}, {"answer.VALUE": "RETURN.VALUE + 1"}),
            cpu("answer.VALUE"),
        ],
        [cpu("n.VALUE"), returning({"RETURN.VALUE": "n.VALUE * 10"})],
    )
    usage = pcm.users(pcm.walk([pcm.enter({"size.BYTESIZE": "3"})]), pcm.opened("1"))
    found = made(tmp_path, repository=repository, usagemodel=pcm.usagemodel(usage))
    assert [step["demand"] for step in only(found)] == ["6s", "61s"]


def test_a_draw_that_two_demands_share_is_told_apart(tmp_path: Path) -> None:
    usage = pcm.users(pcm.walk([pcm.enter({"x.VALUE": "IntPMF[(1;0.5)(2;0.5)]"})]), pcm.opened("1"))
    found = made(tmp_path, cpu("x.VALUE"), cpu("10 * x.VALUE"), usagemodel=pcm.usagemodel(usage))
    steps = [(w, [step["demand"] for step in steps]) for w, steps in ways(found)]
    assert steps == [(0.5, ["1s", "10s"]), (0.5, ["2s", "20s"])]


def test_parameters_of_components_and_of_their_contexts(tmp_path: Path) -> None:
    given = pcm.usage("componentParameterUsage_ImplementationComponentType",
                      {"a.VALUE": "1", "b.VALUE": "2"})  # fmt: skip
    config = pcm.usage("configParameterUsages__AssemblyContext", {"b.VALUE": "a.VALUE + 6"})
    repository = pcm.repository([cpu("a.VALUE"), cpu("b.VALUE")], more=given)
    context = 'entityName="front">\n'
    files = {"repository": repository, "system": pcm.system().replace(context, context + config)}
    assert [step["demand"] for step in only(made(tmp_path, **files))] == ["1s", "7s"]


# ---- pools


def test_a_passive_resource_is_a_pool(tmp_path: Path) -> None:
    actions = [pcm.acquire("lock"), cpu("1"), pcm.release("lock")]
    repository = pcm.repository(actions, more=pcm.pool("lock", "2 + 3"))
    found = made(tmp_path, repository=repository)
    assert only(found) == [{"acquire": "lock"}, {"use": "one", "demand": "1s"}, {"release": "lock"}]
    assert system(found)["pool"] == [{"name": "lock", "size": 5}]


def test_a_place_that_is_not_given_back_is_not_carried(tmp_path: Path) -> None:
    repository = pcm.repository([pcm.acquire("lock"), cpu("1")], more=pcm.pool("lock", "1"))
    found = made(tmp_path, repository=repository)
    assert only(found) == [{"use": "one", "demand": "1s"}]
    assert "AcquireAction" in texts(found)


# ---- networks and composition


LINK = """<linkingResources__ResourceEnvironment id="_lan" entityName="lan"
connectedResourceContainers_LinkingResource="_one _two">
<communicationLinkResourceSpecifications_LinkingResource>
<latency_CommunicationLinkResourceSpecification specification="0.25"/>
<throughput_CommunicationLinkResourceSpecification specification="1000"/>
</communicationLinkResourceSpecifications_LinkingResource>
</linkingResources__ResourceEnvironment>
"""


def test_calls_between_containers_go_over_the_link(tmp_path: Path) -> None:
    back = [cpu("1"), returning({"RETURN.BYTESIZE": "4000"})]
    files = {
        "repository": pcm.repository([call({"items.BYTESIZE": "500"})], back),
        "allocation": pcm.allocation("one", "two"),
        "resourceenvironment": pcm.environment(link=LINK),
    }
    found = made(tmp_path, **files)
    assert only(found) == [
        {"delay": "250ms"}, {"use": "lan", "demand": "500ms"}, {"use": "two", "demand": "1s"},
        {"delay": "250ms"}, {"use": "lan", "demand": "4s"},
    ]  # fmt: skip
    files["resourceenvironment"] = pcm.environment()
    found = made(tmp_path, **files)
    assert only(found) == [{"use": "two", "demand": "1s"}]
    assert "the network takes no time" in texts(found)


def test_composite_components_hand_calls_on(tmp_path: Path) -> None:
    repository = pcm.repository([cpu("1"), call()], [cpu("2")])
    role = 'xsi:type="repository:Operation{0}Role" id="_{1}" {2}Interface__Operation{0}Role="_i{3}"'
    tag = "connectors__ComposedStructure"
    composite = (
        '<components__Repository xsi:type="repository:CompositeComponent" id="_box" '
        'entityName="Box">\n'
        '<assemblyContexts__ComposedStructure id="_inside" entityName="inside" '
        'encapsulatedComponent__AssemblyContext="_frontend"/>\n'
        f'<{tag} xsi:type="composition:ProvidedDelegationConnector" id="_d1" '
        'innerProvidedRole_ProvidedDelegationConnector="_front-provides" '
        'outerProvidedRole_ProvidedDelegationConnector="_box-provides" '
        'assemblyContext_ProvidedDelegationConnector="_inside"/>\n'
        f'<{tag} xsi:type="composition:RequiredDelegationConnector" id="_d2" '
        'innerRequiredRole_RequiredDelegationConnector="_front-requires" '
        'outerRequiredRole_RequiredDelegationConnector="_box-requires" '
        'assemblyContext_RequiredDelegationConnector="_inside"/>\n'
        "<providedRoles_InterfaceProvidingEntity "
        f"{role.format('Provided', 'box-provides', 'provided', 'front')}/>\n"
        "<requiredRoles_InterfaceRequiringEntity "
        f"{role.format('Required', 'box-requires', 'required', 'back')}/>\n"
        "</components__Repository>\n"
    )
    outer = (
        pcm.system()
        .replace("#_front-provides", "#_box-provides")
        .replace("#_front-requires", "#_box-requires")
        .replace('#_frontend"', '#_box"')
    )
    end = "</repository:Repository>"
    found = made(tmp_path, repository=repository.replace(end, composite + end), system=outer)
    assert [step["demand"] for step in only(found)] == ["1s", "2s"]


def test_event_channels_are_left_out_and_listed(tmp_path: Path) -> None:
    channel = (
        '<allocationContexts_Allocation id="_channel" entityName="events" '
        'resourceContainer_AllocationContext="default.resourceenvironment#_one">\n'
        '<eventChannel__AllocationContext href="default.system#_events"/>\n'
        "</allocationContexts_Allocation>\n"
    )
    end = "</allocation:Allocation>"
    whole = pcm.allocation()
    assert end in whole
    found = made(tmp_path, allocation=whole.replace(end, channel + end))
    assert any("event channels are left out" in str(note) for note in found.notes)
