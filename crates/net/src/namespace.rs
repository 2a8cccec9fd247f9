//! Network namespaces. Every thread has one, in which its sockets are created and stay; its child
//! threads begin with the same.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Lets the calling thread, and no other one, create its sockets in the namespace at this path,
/// such as `/run/netns/NAME`.
///
/// # Errors
/// If no such namespace exists, or this user may not enter it.
pub fn enter(path: &Path) -> io::Result<()> {
    let namespace = File::open(path)?;
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_namespace_is_not_entered() {
        assert_eq!(enter(Path::new("/no/such")).unwrap_err().kind(), io::ErrorKind::NotFound);
        // A file that is no namespace is refused for every user.
        assert!(enter(Path::new("/proc/self/stat")).is_err());
    }
}
