//! The generator's connections, and the free ones among them.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;

use thinktime_core::attempt::{Attempt, Ticket};

use super::connection::Connection;
use super::connector::Connector;
use crate::generator::plan::ConnectionCounts;
use crate::poller::Poller;

/// Connections by their index, which is also their number at the poller.
#[derive(Default)]
pub(crate) struct Pool {
    connections: Vec<Option<Connection>>,
    /// Indices without a connection.
    vacant: Vec<u32>,
    /// Connections with room for an exchange; the last used one goes first.
    with_room: Vec<u32>,
    /// Sessions' slots to the places of their connections, for timeouts.
    slot_of: Vec<u32>,
    /// If the target has several addresses: by address, the connections that were tried.
    pub(crate) tries: BTreeMap<SocketAddr, ConnectionCounts>,
}

/// No place.
const NOWHERE: u32 = u32::MAX;

impl Pool {
    /// Begins to open a connection and gives its index; it carries one exchange only if it is used
    /// `once`.
    pub(crate) fn open(
        &mut self,
        connector: &mut Connector,
        poller: &Poller,
        once: bool,
    ) -> io::Result<u32> {
        let connection = Connection::open(connector, once)?;
        let place = match self.vacant.pop() {
            Some(place) => place,
            None => {
                self.connections.push(None);
                (self.connections.len() - 1) as u32
            }
        };
        let added = poller.add(&connection, place.into());
        let timer = connection.timer().map_or(Ok(()), |timer| poller.add(timer, place.into()));
        if let Err(error) = added.and(timer) {
            self.vacant.push(place);
            return Err(error);
        }
        self.connections[place as usize] = Some(connection);
        Ok(place)
    }

    /// The number of connections.
    pub(crate) fn open_now(&self) -> usize {
        self.connections.len() - self.vacant.len()
    }

    pub(crate) fn get(&mut self, place: u32) -> Option<&mut Connection> {
        self.connections.get_mut(place as usize)?.as_mut()
    }

    /// A connection with room for an exchange, if any; a `fresh` one has not yet received any
    /// response.
    pub(crate) fn take_with_room(&mut self, fresh: bool) -> Option<u32> {
        while let Some(place) = self.with_room.pop() {
            let Some(connection) = self.get(place) else { continue };
            if fresh && connection.reused {
                self.with_room.push(place);
                return None;
            }
            connection.listed = false;
            if connection.has_room() {
                return Some(place);
            }
        }
        None
    }

    /// The connection of this session, if it has room. One that another session left behind in the
    /// same slot is closed.
    pub(crate) fn take_own(&mut self, attempt: &Attempt, fresh: bool) -> Option<u32> {
        let place = self.slot_of(attempt.ticket);
        let connection = self.get(place)?;
        // The index may belong to another session by now.
        let (slot, session) = connection.owner?;
        let own = session == attempt.session;
        if own && connection.has_room() && !(fresh && connection.reused) {
            return Some(place);
        }
        if !own && slot == attempt.ticket.slot() {
            self.drop(place);
        }
        None
    }

    /// Closes the connection of a session that has left.
    pub(crate) fn close_of_session(&mut self, slot: usize, session: u64) {
        let place = self.slot_of.get(slot).copied().unwrap_or(NOWHERE);
        if self.get(place).is_some_and(|connection| connection.owner == Some((slot, session))) {
            self.drop(place);
        }
    }

    /// Updates a connection after an exchange began or ended on it: it can take another one, or is
    /// finished.
    pub(crate) fn list_or_close(&mut self, place: u32) {
        let Some(connection) = self.get(place) else { return };
        if connection.is_finished() {
            self.drop(place);
        } else if connection.owner.is_none() && connection.has_room() && !connection.listed {
            connection.listed = true;
            self.with_room.push(place);
        }
    }

    /// Closes a finished connection.
    pub(crate) fn drop(&mut self, place: u32) {
        if let Some(connection) = self.take(place) {
            connection.close();
        }
    }

    /// Closes the connections that must announce their end; the kernel does it for others.
    pub(crate) fn close_all(&mut self) {
        for place in 0..self.connections.len() as u32 {
            if self.get(place).is_some_and(|connection| connection.timer().is_some()) {
                self.drop(place);
            }
        }
    }

    /// Removes a connection.
    pub(crate) fn take(&mut self, place: u32) -> Option<Connection> {
        let connection = self.connections.get_mut(place as usize)?.take()?;
        if connection.listed {
            self.with_room.retain(|other| *other != place);
        }
        self.vacant.push(place);
        Some(connection)
    }

    /// Notes that the attempt of this ticket uses the connection.
    pub(crate) fn assign(&mut self, place: u32, ticket: Ticket) {
        let slot = ticket.slot();
        if slot >= self.slot_of.len() {
            self.slot_of.resize(slot + 1, NOWHERE);
        }
        self.slot_of[slot] = place;
    }

    /// The connection of the session's last attempt; it may carry another by now.
    pub(crate) fn slot_of(&self, ticket: Ticket) -> u32 {
        self.slot_of.get(ticket.slot()).copied().unwrap_or(NOWHERE)
    }
}
