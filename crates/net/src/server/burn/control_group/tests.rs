//! Folders as the kernel has them: which group is the process's, and what is written where.

use super::*;

const MOUNTS: &str = "\
25 1 0:22 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs rw,mode=755
26 25 0:23 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset
27 25 0:24 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
28 25 0:25 /pod /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate";

#[test]
fn the_group_of_the_process_is_found() {
    let one = "5:cpuset:/\n4:cpu,cpuacct:/user/shop\n0::/pod/a\n";
    let found = |groups: &str| Home::find(groups, MOUNTS);
    let home = |folder: &str, version| Some(Home { folder: folder.into(), version });
    assert_eq!(found(one), home("/sys/fs/cgroup/cpu,cpuacct/user/shop", Version::One));
    assert_eq!(found("0::/pod/a\n"), home("/sys/fs/cgroup/unified/a", Version::Two));
    // The group lies outside what is mounted: the mounted root stands for it.
    assert_eq!(found("0::/other\n"), home("/sys/fs/cgroup/unified", Version::Two));
    assert_eq!(found("5:cpuset:/\n"), None);
    assert_eq!(Home::find("0::/\n", MOUNTS.lines().next().unwrap()), None);
}

#[test]
fn figures_are_those_of_cpu_stat() {
    let two = "usage_usec 77\nnr_periods 12\nnr_throttled 3\nthrottled_usec 45001\nnr_bursts 1\n";
    let expected = CpuStat { periods: 12, throttled_periods: 3, throttled: Nanos(45_001_000) };
    assert_eq!(CpuStat::parse(two), expected);
    let one = "nr_periods 12\nnr_throttled 3\nthrottled_time 45001000\nwait_sum 8\n";
    assert_eq!(CpuStat::parse(one), expected);
    assert_eq!(CpuStat::parse("usage_usec 77\n"), CpuStat::default());
}

/// A folder that is removed with all its files.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("group-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn limit(quota_ms: u64, period_ms: u64, burst_ms: u64) -> Limit {
    let [quota, period, burst] = [quota_ms, period_ms, burst_ms].map(|ms| Nanos(ms * 1_000_000));
    Limit { quota, period, burst }
}

#[test]
fn limits_are_written_as_each_version_has_them() {
    for (version, limit, files) in [
        (
            Version::One,
            limit(70, 100, 0),
            vec![("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "70000"), ("tasks", "0")],
        ),
        (Version::One, limit(5, 10, 2), vec![("cpu.cfs_burst_us", "2000")]),
        (
            Version::Two,
            limit(15, 10, 3),
            vec![
                ("cgroup.type", "threaded"),
                ("cpu.max", "15000 10000"),
                ("cpu.max.burst", "3000"),
                ("cgroup.threads", "0"),
            ],
        ),
    ] {
        let folder = Folder::new("written");
        let home = Home { folder: folder.0.clone(), version };
        let group = ControlGroup::below(home, limit).unwrap();
        group.enter().unwrap();
        for (name, text) in files {
            assert_eq!(fs::read_to_string(group.folder.join(name)).unwrap(), text, "{name}");
        }
        if version == Version::Two {
            let parent = fs::read_to_string(folder.0.join("cgroup.subtree_control")).unwrap();
            assert_eq!(parent, "+cpu");
        }
    }
}

#[test]
fn a_refusal_says_what_would_be_right() {
    for (version, right) in [(Version::One, "as root"), (Version::Two, "Delegate=yes")] {
        let home = Home { folder: "/nowhere/at/all".into(), version };
        let message = ControlGroup::below(home, limit(10, 100, 0)).unwrap_err().to_string();
        assert!(message.contains("/nowhere/at/all/thinktime-"), "{message}");
        assert!(message.contains("cannot be written") && message.contains(right), "{message}");
    }
}

#[test]
fn groups_of_servers_that_are_gone_are_removed() {
    let folder = Folder::new("left");
    let home = Home { folder: folder.0.clone(), version: Version::Two };
    let own = format!("{PREFIX}{}-9", process::id());
    // No process has this number: it is beyond the kernel's greatest.
    for name in ["thinktime-99999999-1", &own, "thinktime-other", "shop"] {
        fs::create_dir(folder.0.join(name)).unwrap();
    }
    home.remove_left();
    let mut names: Vec<String> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected = [own, "thinktime-other".into(), "shop".into()];
    expected.sort();
    assert_eq!(names, expected);
}
