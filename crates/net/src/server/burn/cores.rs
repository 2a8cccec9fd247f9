//! Cores that threads are confined to.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use thinktime_core::error::Invalid;

/// The requested cores, if this process may use them.
///
/// # Errors
/// If one is not available, or is repeated.
pub(super) fn checked(wanted: &[usize]) -> Result<Vec<usize>, Invalid> {
    check_against(wanted, &allowed_cores()?)?;
    Ok(wanted.to_vec())
}

/// The first cores that this process may use, this many.
///
/// # Errors
/// If there are fewer.
pub(super) fn first(wanted: u32) -> Result<Vec<usize>, Invalid> {
    let mut cores = allowed_cores()?;
    if cores.len() < wanted as usize {
        return Err(Invalid::new(format!(
            "the machine of the system has {wanted} cores, and this process may use {}: say which \
             by --cores",
            cores.len()
        )));
    }
    cores.truncate(wanted as usize);
    Ok(cores)
}

fn allowed_cores() -> Result<Vec<usize>, Invalid> {
    allowed().map_err(|error| {
        Invalid::new(format!("cannot learn which cores this process may use: {error}"))
    })
}

fn check_against(wanted: &[usize], allowed: &[usize]) -> Result<(), Invalid> {
    for (at, core) in wanted.iter().enumerate() {
        if !allowed.contains(core) {
            let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
            return Err(Invalid::new(format!(
                "there is no core {core} that this process may use; there are {}",
                allowed.join(", ")
            )));
        }
        if wanted[..at].contains(core) {
            return Err(Invalid::new(format!("core {core} is named twice")));
        }
    }
    Ok(())
}

/// Confines the calling thread, and those that it starts from then on, to these cores; without
/// effect if there are none.
///
/// # Errors
/// If the kernel refuses.
pub(super) fn confine(cores: &[usize]) -> io::Result<()> {
    if cores.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for core in cores {
        set.set(*core);
    }
    sched_setaffinity(None, &set)
        .map_err(|error| io::Error::other(format!("cannot confine threads to cores: {error}")))
}

fn allowed() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_cores_are_refused_with_those_that_there_are() {
        assert_eq!(check_against(&[3, 0], &[0, 2, 3]), Ok(()));
        let message = |wanted| check_against(wanted, &[0, 2, 3]).unwrap_err().to_string();
        assert_eq!(
            message(&[0, 1]),
            "there is no core 1 that this process may use; there are 0, 2, 3"
        );
        assert_eq!(message(&[2, 0, 2]), "core 2 is named twice");
        assert!(checked(&[usize::MAX]).is_err());
    }

    #[test]
    fn a_confined_thread_stays_on_its_core() {
        let core = allowed().unwrap()[0];
        let confined = std::thread::spawn(move || {
            confine(&[core]).unwrap();
            allowed().unwrap()
        });
        assert_eq!(confined.join().unwrap(), [core]);
    }
}
