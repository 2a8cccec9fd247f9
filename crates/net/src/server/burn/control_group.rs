//! A control group of Linux of the server's own, with a CPU limit
//! (`Documentation/admin-guide/cgroup-v2.rst`, `Documentation/scheduler/sched-bwc.rst`).
//!
//! It lies below the process's own group, and has the server's threads alone: under version 2 it is
//! a threaded group, under version 1 those of the `cpu` controller have threads anyway.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{fs, process, thread};

use thinktime_core::system::machine::Limit;
use thinktime_core::time::Nanos;

/// The figures of a control group since it was made, as its `cpu.stat` has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuStat {
    /// Periods in which its threads were at work (`nr_periods`).
    pub periods: u64,
    /// Those at whose end it was throttled on at least one core (`nr_throttled`).
    pub throttled_periods: u64,
    /// The time for which it was throttled, summed over cores (`throttled_usec`, `throttled_time`).
    pub throttled: Nanos,
}

/// A group, which is removed when it is dropped.
#[derive(Debug)]
pub struct ControlGroup {
    folder: PathBuf,
    home: Home,
}

/// The group in which the process began.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Home {
    folder: PathBuf,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The names of groups begin so; the number of the process follows.
const PREFIX: &str = "thinktime-";
/// How often a group's end is tried: its last thread may leave it a little after it was joined.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

impl ControlGroup {
    /// Makes a group with this limit. Groups that a killed server left are removed.
    ///
    /// # Errors
    /// If the kernel has no control groups for CPU time, or this process may not make one.
    pub fn new(limit: Limit) -> io::Result<ControlGroup> {
        // A system without these files has no control groups, which is said below.
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let home = Home::find(&groups, &mounts).ok_or_else(|| {
            let words = "no control groups with the cpu controller are mounted here: a CPU limit \
                         needs /sys/fs/cgroup";
            io::Error::new(ErrorKind::NotFound, words)
        })?;
        home.remove_left();
        let group = ControlGroup::below(home, limit)?;
        // Whether threads may enter it is known now, and not when the first request comes.
        let entry = thread::scope(|scope| scope.spawn(|| group.enter()).join());
        entry.unwrap_or_else(|_| Err(io::Error::other("the trial of the group panicked")))?;
        Ok(group)
    }

    fn below(home: Home, limit: Limit) -> io::Result<ControlGroup> {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = home.folder.join(format!("{PREFIX}{}-{number}", process::id()));
        fs::create_dir(&folder).map_err(|error| home.refusal(&folder, &error))?;
        let group = ControlGroup { folder, home };
        group.set(limit)?;
        Ok(group)
    }

    fn set(&self, limit: Limit) -> io::Result<()> {
        let [quota, period, burst] =
            [limit.quota, limit.period, limit.burst].map(|time| (time.0 / 1_000).to_string());
        match self.home.version {
            Version::One => {
                self.write("cpu.cfs_period_us", &period)?;
                self.write("cpu.cfs_quota_us", &quota)?;
                self.write_burst("cpu.cfs_burst_us", limit, &burst)
            }
            Version::Two => {
                self.write("cgroup.type", "threaded")?;
                self.home.write("cgroup.subtree_control", "+cpu")?;
                self.write("cpu.max", &format!("{quota} {period}"))?;
                self.write_burst("cpu.max.burst", limit, &burst)
            }
        }
    }

    /// Kernels before 5.14 have no such file.
    fn write_burst(&self, name: &str, limit: Limit, burst: &str) -> io::Result<()> {
        if limit.burst == Nanos::ZERO { Ok(()) } else { self.write(name, burst) }
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let file = self.folder.join(name);
        fs::write(&file, text).map_err(|error| self.home.refusal(&file, &error))
    }

    /// The calling thread, and those that it starts from then on, belong to the group.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.write(self.home.threads(), "0")
    }

    /// The group's figures so far.
    ///
    /// # Errors
    /// If the group is gone.
    pub fn stat(&self) -> io::Result<CpuStat> {
        Ok(CpuStat::parse(&fs::read_to_string(self.folder.join("cpu.stat"))?))
    }

    /// The calling thread, the last one of the group, leaves it. The group ends: gives its figures.
    pub(super) fn close(&self) -> io::Result<CpuStat> {
        self.home.write(self.home.threads(), "0")?;
        let stat = self.stat();
        self.remove();
        stat
    }

    fn remove(&self) {
        for _ in 0..TRIES {
            match fs::remove_dir(&self.folder) {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => thread::sleep(PAUSE),
                Ok(()) | Err(_) => return,
            }
        }
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        self.remove();
    }
}

impl Home {
    /// The group of a process, by its `/proc/self/cgroup` and `/proc/self/mountinfo`: that of
    /// version 1 if its `cpu` controller is mounted, else that of version 2.
    fn find(groups: &str, mounts: &str) -> Option<Home> {
        let group = |wanted: &dyn Fn(&str, &str) -> bool| {
            groups.lines().find_map(|line| {
                let mut parts = line.splitn(3, ':');
                let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
                wanted(number, controllers).then(|| path.to_owned())
            })
        };
        let one = group(&|_, controllers| controllers.split(',').any(|name| name == "cpu"));
        let two = || group(&|number, controllers| number == "0" && controllers.is_empty());
        let (version, path) = one
            .map(|path| (Version::One, path))
            .or_else(|| two().map(|path| (Version::Two, path)))?;
        let folder = mounts.lines().find_map(|line| version.folder(line, &path))?;
        Some(Home { folder, version })
    }

    /// The file that has a group's threads.
    fn threads(&self) -> &'static str {
        match self.version {
            Version::One => "tasks",
            Version::Two => "cgroup.threads",
        }
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let file = self.folder.join(name);
        fs::write(&file, text).map_err(|error| self.refusal(&file, &error))
    }

    /// Removes the groups of servers that are no longer there; one with threads stays.
    fn remove_left(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            let Some((process, _)) = rest.and_then(|rest| rest.split_once('-')) else { continue };
            if !Path::new("/proc").join(process).exists() {
                fs::remove_dir(entry.path()).ok();
            }
        }
    }

    fn refusal(&self, file: &Path, error: &io::Error) -> io::Error {
        let right = match self.version {
            Version::One => {
                "begin the server as root, or in a group of the cpu controller that its user may \
                 write to"
            }
            Version::Two => {
                "begin the server as root, or in a delegated group, as by `systemd-run --user \
                 --scope -p Delegate=yes thinktime serve`"
            }
        };
        io::Error::new(
            error.kind(),
            format!("`{}` cannot be written: {error}; {right}", file.display()),
        )
    }
}

impl Version {
    /// The folder of a group, if a line of mounts is of this version's hierarchy.
    fn folder(self, line: &str, path: &str) -> Option<PathBuf> {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, mount) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let (kind, options) = (kind.next()?, kind.next_back()?);
        let fits = match self {
            Version::One => kind == "cgroup" && options.split(',').any(|name| name == "cpu"),
            Version::Two => kind == "cgroup2",
        };
        let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
        fits.then(|| Path::new(mount).join(below))
    }
}

impl CpuStat {
    fn parse(text: &str) -> CpuStat {
        let number = |key: &str| -> Option<u64> {
            let value = |line: &str| line.strip_prefix(key)?.strip_prefix(' ')?.parse().ok();
            text.lines().find_map(value)
        };
        let microseconds = number("throttled_usec").map(|us| us.saturating_mul(1_000));
        // A group that was never at work may lack a line.
        CpuStat {
            periods: number("nr_periods").unwrap_or_default(),
            throttled_periods: number("nr_throttled").unwrap_or_default(),
            throttled: Nanos(microseconds.or(number("throttled_time")).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests;
