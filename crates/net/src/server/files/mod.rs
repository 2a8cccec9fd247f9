//! A server of static files that decides which response sends its bytes next.
//!
//! One thread, one event loop. Each response is sent piece by piece from its file, in the chosen
//! [`Order`]. With a rate, the server sends no faster. A thin link's queue then forms here, where
//! it can be ordered, and not in the link. If the link has classes of its own (`htb` of the kernel,
//! say), packets name theirs by the remaining size.

mod connection;
mod engine;
mod folder;
mod line;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::socket::{setsockopt, sockopt};
use thinktime_core::error::Invalid;

use super::ServeTotals;
use engine::Engine;
use folder::Folder;
pub use line::Order;

const IF_NONE_MATCH: &str = "If-None-Match";

const BACKLOG: i32 = 4096;

/// How files are sent.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// Which response sends next.
    pub order: Order,
    /// The highest rate in bytes a second, above 0.
    pub bytes_per_s: Option<f64>,
    /// The first of the link's classes.
    pub link_class: Option<LinkClass>,
}

/// The first of eight classes of a link, for the smallest remaining sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkClass(u32);

/// The most remaining bytes in each class but the last.
const BOUNDS: [u64; 7] = [2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000];

impl LinkClass {
    /// Reads a class as `tc` writes it, in hexadecimal, as in `1:10`.
    ///
    /// # Errors
    /// If the text is no class, or the last of the eight would have no number.
    pub fn parse(text: &str) -> Result<LinkClass, Invalid> {
        let number = |part: &str| u16::from_str_radix(part, 16).ok();
        let parts = text.split_once(':').and_then(|(major, minor)| {
            Some((number(major)?, number(minor).filter(|&minor| minor <= 0xfff8)?))
        });
        let (major, minor) = parts
            .filter(|&(major, _)| major > 0)
            .ok_or_else(|| Invalid::new(format!("`{text}` is no class of a link, such as 1:10")))?;
        Ok(LinkClass(u32::from(major) << 16 | u32::from(minor)))
    }

    /// The class of a response with this many remaining bytes, as the socket option `SO_PRIORITY`
    /// encodes it.
    fn of(self, left: u64) -> u32 {
        self.0 + BOUNDS.partition_point(|&bound| bound < left) as u32
    }
}

/// A server of files that is bound to its port and does not serve yet.
#[derive(Debug)]
pub struct FileServer {
    listener: TcpListener,
    folder: Folder,
    sending: Sending,
}

impl FileServer {
    /// Binds to an address; port 0 takes a free one.
    ///
    /// # Errors
    /// If the folder cannot be opened, if the address is taken or not this machine's, or if the
    /// process may not set the requested classes.
    pub fn bind(folder: &Path, sending: Sending, address: SocketAddr) -> io::Result<FileServer> {
        let opened = Folder::open(folder).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        })?;
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        // More clients than the customary 128 may come at once.
        rustix::net::listen(&listener, BACKLOG)?;
        if let Some(class) = sending.link_class {
            setsockopt(&listener, sockopt::Priority, &class.0.cast_signed()).map_err(|error| {
                let why = "setting the class of packets takes the capability CAP_NET_ADMIN";
                io::Error::new(io::Error::from(error).kind(), why)
            })?;
        }
        Ok(FileServer { listener, folder: opened, sending })
    }

    /// The address on which it listens.
    ///
    /// # Errors
    /// If the operating system does not report it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is set, which is checked twenty times a second.
    ///
    /// # Errors
    /// If the operating system refuses a necessary call. No client error ends the server.
    pub fn serve(self, stop: &AtomicBool) -> io::Result<ServeTotals> {
        // Without this, `sendfile` to a disconnected client would end the process.
        SigSet::from(Signal::SIGPIPE).thread_block()?;
        let mut engine = Engine::new(self.listener, self.folder, self.sending)?;
        while !stop.load(Ordering::Relaxed) {
            engine.turn()?;
        }
        Ok(engine.totals())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_go_by_what_is_left() {
        let class = LinkClass::parse("1:10").unwrap();
        let of = |left| format!("{:x}", class.of(left));
        assert_eq!(of(1), "10010");
        assert_eq!(of(2_000), "10010");
        assert_eq!(of(2_001), "10011");
        assert_eq!(of(200_000), "10016");
        assert_eq!(of(u64::MAX), "10017");
        for bad in ["", "1", ":10", "1:", "0:10", "1:fff9", "1:10000", "g:1", "-1:2", "1:2:3"] {
            assert!(LinkClass::parse(bad).is_err(), "{bad}");
        }
    }
}
