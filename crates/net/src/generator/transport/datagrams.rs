//! UDP sockets that never block.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use socket2::{Domain, Protocol, Socket, Type};

use super::failure::{Failure, failure, would_block};
use super::input::Input;

/// Opens a UDP socket that sends to one address and receives only from it.
pub(crate) fn open_datagrams(
    address: SocketAddr,
    source: Option<SocketAddr>,
) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    if let Some(source) = source {
        socket.bind(&source.into())?;
    }
    socket.connect(&address.into())?;
    Ok(socket.into())
}

/// Receives a datagram.
pub(crate) fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> Result<Input, Failure> {
    loop {
        match socket.recv(buffer) {
            Ok(count) => return Ok(Input::Bytes(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if would_block(&error) => return Ok(Input::Blocked),
            Err(error) => return Err(failure(&error)),
        }
    }
}

/// Sends a datagram: the number of bytes taken, 0 if the socket would block.
pub(crate) fn transmit(socket: &UdpSocket, datagram: &[u8]) -> Result<usize, Failure> {
    loop {
        match socket.send(datagram) {
            Ok(count) => return Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if would_block(&error) => return Ok(0),
            Err(error) => return Err(failure(&error)),
        }
    }
}
