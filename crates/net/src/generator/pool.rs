//! The generator's connections: those that carry an attempt, and those that are kept for the next.

use std::io;
use std::net::SocketAddr;

use thinktime_core::client::Ticket;

use super::connection::Connection;
use crate::poller::Poller;

/// Connections by their place, which is also their number at the poller.
#[derive(Default)]
pub(super) struct Pool {
    connections: Vec<Option<Connection>>,
    /// Places without a connection.
    vacant: Vec<u32>,
    /// Kept connections that carry nothing; the last one used goes first.
    idle: Vec<u32>,
    /// Sessions' slots to the places of their connections, for timeouts.
    place_of: Vec<u32>,
}

/// No place.
const NOWHERE: u32 = u32::MAX;

impl Pool {
    /// Begins to open a connection, and gives its place.
    pub(super) fn open(&mut self, address: SocketAddr, poller: &Poller) -> io::Result<u32> {
        let connection = Connection::open(address)?;
        let place = match self.vacant.pop() {
            Some(place) => place,
            None => {
                self.connections.push(None);
                (self.connections.len() - 1) as u32
            }
        };
        if let Err(error) = poller.add(&connection, place.into()) {
            self.vacant.push(place);
            return Err(error);
        }
        self.connections[place as usize] = Some(connection);
        Ok(place)
    }

    pub(super) fn get(&mut self, place: u32) -> Option<&mut Connection> {
        self.connections.get_mut(place as usize)?.as_mut()
    }

    /// A kept connection, if there is one.
    pub(super) fn take_idle(&mut self) -> Option<u32> {
        self.idle.pop()
    }

    /// Keeps a connection for the next request.
    pub(super) fn keep(&mut self, place: u32) {
        self.idle.push(place);
    }

    /// Closes a connection, whether it is kept or not.
    pub(super) fn drop(&mut self, place: u32) {
        let Some(connection) = self.connections[place as usize].take() else { return };
        if connection.exchange.is_none() {
            self.idle.retain(|idle| *idle != place);
        }
        self.vacant.push(place);
    }

    /// The attempt of this ticket goes over the connection.
    pub(super) fn carries(&mut self, place: u32, ticket: Ticket) {
        let slot = ticket.slot();
        if slot >= self.place_of.len() {
            self.place_of.resize(slot + 1, NOWHERE);
        }
        self.place_of[slot] = place;
    }

    /// Where the session's last attempt went; the connection may carry another by now.
    pub(super) fn place_of(&self, ticket: Ticket) -> u32 {
        self.place_of.get(ticket.slot()).copied().unwrap_or(NOWHERE)
    }
}
