//! Reads with the kernel's arrival times, so that bytes may stay in a socket for a while without
//! their response seeming slow.

use std::io::{self, IoSliceMut};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::sockopt::ReceiveTimestampns;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt};
use nix::sys::time::TimeSpec;

use super::failure::{Failure, failure, would_block};
use super::input::Input;

/// Asks the kernel to keep the arrival times of bytes.
pub(crate) fn enable(socket: &TcpStream) -> io::Result<()> {
    setsockopt(socket, ReceiveTimestampns, &true).map_err(io::Error::from)
}

/// Reads, and gives the arrival time of the last bytes, as a time since the beginning of 1970;
/// nothing if the kernel does not report it.
pub(crate) fn read(
    socket: &TcpStream,
    buffer: &mut [u8],
) -> Result<(Input, Option<Duration>), Failure> {
    let mut control = nix::cmsg_space!(TimeSpec);
    loop {
        let mut parts = [IoSliceMut::new(buffer)];
        let (descriptor, flags) = (socket.as_raw_fd(), MsgFlags::empty());
        match recvmsg::<()>(descriptor, &mut parts, Some(&mut control), flags) {
            Ok(message) if message.bytes == 0 => return Ok((Input::End, None)),
            Ok(message) => {
                let stamp = message.cmsgs().ok().and_then(|mut all| all.find_map(date_of));
                return Ok((Input::Bytes(message.bytes), stamp));
            }
            Err(Errno::EINTR) => {}
            Err(error) => {
                let error = io::Error::from(error);
                let blocked = would_block(&error);
                return if blocked { Ok((Input::Blocked, None)) } else { Err(failure(&error)) };
            }
        }
    }
}

fn date_of(message: ControlMessageOwned) -> Option<Duration> {
    match message {
        ControlMessageOwned::ScmTimestampns(date) => Some(date.into()),
        _ => None,
    }
}
