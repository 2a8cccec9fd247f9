//! The generator's own limits: its use of its core, its descriptors and its network interface.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};

use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};
use thinktime_core::record::GeneratorFigures;
use thinktime_core::time::Nanos;

use crate::poller::Clock;

/// Watches the use of the calling thread.
pub(crate) struct ResourceUsage {
    begun: UsageSample,
    /// The network interface to the target; none for this machine itself.
    interface: Option<String>,
    /// The most concurrent connections.
    pub(crate) connections: usize,
}

/// Counters of the kernel at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct UsageSample {
    cpu: Nanos,
    /// How long the thread was ready to run and had no core.
    without_core: Nanos,
    /// Bytes that the interface received and sent.
    interface_bytes: u64,
}

impl ResourceUsage {
    /// Begins to watch. Call it in the thread that runs the event loop.
    pub(crate) fn new(target: Option<IpAddr>) -> ResourceUsage {
        let interface = target.and_then(interface_to);
        ResourceUsage { begun: UsageSample::now(interface.as_deref()), interface, connections: 0 }
    }

    /// The watch begins again, as at the begin of the run, when its clock starts.
    pub(crate) fn restart(&mut self) {
        self.begun = UsageSample::now(self.interface.as_deref());
    }

    /// The use since then, as shares of the time since the clock's start. That is read after the
    /// counters: a thread that waits for a core meanwhile has not waited for longer than the time.
    pub(crate) fn figures(&self, clock: Clock) -> GeneratorFigures {
        let interface = self.interface.as_deref();
        let used = UsageSample::now(interface);
        let seconds = clock.now().as_secs_f64();
        let share = |before: Nanos, after: Nanos| match seconds {
            0.0 => 0.0,
            _ => after.since(before).as_secs_f64() / seconds,
        };
        let bits = (used.interface_bytes - self.begun.interface_bytes) as f64 * 8.0;
        let capacity = interface.and_then(bits_per_second);
        GeneratorFigures {
            loops: 1,
            cpu_share: share(self.begun.cpu, used.cpu),
            without_core_share: share(self.begun.without_core, used.without_core),
            connections_max: self.connections as u64,
            descriptors_allowed: getrlimit(Resource::Nofile).current,
            interface_share: capacity.map(|capacity| bits / seconds / capacity),
        }
    }
}

impl UsageSample {
    fn now(interface: Option<&str>) -> UsageSample {
        let cpu = clock_gettime(ClockId::ThreadCPUTime);
        UsageSample {
            cpu: Nanos(cpu.tv_sec.unsigned_abs() * 1_000_000_000 + cpu.tv_nsec.unsigned_abs()),
            without_core: without_core().unwrap_or_default(),
            interface_bytes: interface.map_or(0, bytes_over),
        }
    }
}

/// How long this thread has waited for a core, by the kernel's statistics; nothing if they are
/// switched off.
fn without_core() -> Option<Nanos> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok().map(Nanos)
}

/// The interface for an address in the kernel's routing table: that of the most specific entry.
/// Only version 4 of the protocol is looked up.
fn interface_to(target: IpAddr) -> Option<String> {
    let IpAddr::V4(target) = target else { return None };
    if target.is_loopback() {
        return None;
    }
    interface_in(&fs::read_to_string("/proc/net/route").ok()?, target)
}

fn interface_in(table: &str, target: Ipv4Addr) -> Option<String> {
    // The table writes addresses as numbers in the machine's own order of bytes.
    let target = u32::from_ne_bytes(target.octets());
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| u32::from_str_radix(fields.get(at)?, 16).ok();
        let (network, mask) = (number(1)?, number(7)?);
        (target & mask == network).then(|| (mask.count_ones(), fields[0].to_owned()))
    };
    table.lines().skip(1).filter_map(entry).max_by_key(|(bits, _)| *bits).map(|(_, name)| name)
}

fn bytes_over(interface: &str) -> u64 {
    let count = |name: &str| -> u64 {
        let path = format!("/sys/class/net/{interface}/statistics/{name}");
        fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    };
    // An interface has the same capacity in each direction: the busier one counts.
    count("tx_bytes").max(count("rx_bytes"))
}

/// The interface's capacity in each direction; many virtual ones report none.
fn bits_per_second(interface: &str) -> Option<f64> {
    let text = fs::read_to_string(format!("/sys/class/net/{interface}/speed")).ok()?;
    let megabits: f64 = text.trim().parse().ok()?;
    (megabits > 0.0).then_some(megabits * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth1\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
";

    #[test]
    #[cfg(target_endian = "little")]
    fn the_most_particular_route_is_taken() {
        let to = |a, b, c, d| interface_in(TABLE, Ipv4Addr::new(a, b, c, d));
        assert_eq!(to(192, 168, 2, 9).as_deref(), Some("eth1"));
        assert_eq!(to(10, 0, 0, 1).as_deref(), Some("eth0"));
        assert_eq!(interface_in("Iface\nbroken line", Ipv4Addr::LOCALHOST), None);
    }

    #[test]
    fn work_is_seen_as_work() {
        let mut usage = ResourceUsage::new(Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        let clock = Clock::start();
        usage.restart();
        let mut sum = 0_u64;
        while UsageSample::now(None).cpu.since(usage.begun.cpu) < Nanos(20_000_000) {
            sum = sum.wrapping_mul(31).wrapping_add(1);
        }
        std::hint::black_box(sum);
        let figures = usage.figures(clock);
        let least = 0.02 / clock.now().as_secs_f64();
        assert!((least..=1.0).contains(&figures.cpu_share), "{figures:?}, {least}");
        assert!((0.0..=1.0).contains(&figures.without_core_share), "{figures:?}");
        assert_eq!(figures.interface_share, None);
    }
}
