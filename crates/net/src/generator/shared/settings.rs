//! The state before a run begins: the server's addresses, and whether it can be used.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};
use thinktime_core::error::Invalid;
use thinktime_core::time::Nanos;
use thinktime_core::workload::{SharedServer, Workload};

use super::commands::SCRIPT;
use super::member::MemberSettings;
use super::{Greeting, Reply, resp};
use crate::generator::credentials::common_fields::secret_of_key;
use crate::generator::plan::RunError;

/// A server of shared variables that was reached. It has no `Debug`: it knows the password.
#[derive(Clone)]
pub(crate) struct Settings {
    server: SharedServer,
    password: Option<String>,
    addresses: Vec<SocketAddr>,
    /// The name of the run, common to all its generators.
    run: String,
}

/// The longest time to reach the server before the run.
const REACH_MAX: Duration = Duration::from_secs(5);

impl Settings {
    /// Checks whether the server that a workload names can be used. `run` names the run to it.
    ///
    /// # Errors
    /// If it cannot be reached, refuses access, or is something else.
    pub(crate) fn of(workload: &Workload, run: Option<&str>) -> Result<Option<Settings>, RunError> {
        let Some(server) = &workload.shared else { return Ok(None) };
        let key = format!("{}.password", server.at);
        let password = server.password.as_ref();
        let password = password.map(|secret| secret_of_key(secret, &key)).transpose()?;
        let unreachable = |error| RunError::Unreachable { url: server.url.clone(), error };
        let addresses: Vec<SocketAddr> =
            server.authority.to_socket_addrs().map_err(unreachable)?.collect();
        let run = format!("thinktime:{{{}}}", run.map_or_else(random, |run| Ok(run.to_owned()))?);
        let mut settings = Settings { server: server.clone(), password, addresses, run };
        let reached = settings.reach().map_err(unreachable)?;
        settings.addresses.retain(|address| address.is_ipv4() == reached.is_ipv4());
        Ok(Some(settings))
    }

    pub(super) fn url(&self) -> &str {
        &self.server.url
    }

    pub(super) fn wait(&self) -> Nanos {
        self.server.wait
    }

    pub(super) fn address(&self, number: usize) -> SocketAddr {
        self.addresses[number % self.addresses.len()]
    }

    /// The terms for one more member.
    pub(super) fn settings(&self) -> MemberSettings {
        let SharedServer { url, wait, lease, .. } = &self.server;
        MemberSettings {
            run: self.run.clone(),
            // Without a source of randomness, which is always present, an address would suffice.
            member: random().unwrap_or_else(|_| format!("{:p}-{}", self, std::process::id())),
            wait: *wait,
            lease: *lease,
            silent: format!("{url} gave no answer within {} s", wait.as_secs_f64()),
            refuses: format!("{url} refused"),
        }
    }

    /// Appends the commands at the beginning of a connection, and gives the purposes of their
    /// answers.
    pub(super) fn greet(
        &self,
        settings: &MemberSettings,
        join: Option<&[Vec<u8>]>,
        out: &mut Vec<u8>,
    ) -> Vec<Greeting> {
        let mut say = |parts: &[&[u8]]| resp::write(out, parts);
        let user = self.server.user.as_deref().unwrap_or("default");
        match &self.password {
            None => say(&[b"HELLO", b"3"]),
            Some(password) => {
                say(&[b"HELLO", b"3", b"AUTH", user.as_bytes(), password.as_bytes()]);
            }
        }
        let mut expected = vec![Greeting::Plain];
        if self.server.database > 0 {
            say(&[b"SELECT", self.server.database.to_string().as_bytes()]);
            expected.push(Greeting::Plain);
        }
        say(&[b"SCRIPT", b"LOAD", SCRIPT.as_bytes()]);
        expected.push(Greeting::Script);
        if let Some(join) = join {
            let channel = format!("{}:{}", settings.run, settings.member);
            say(&[b"SUBSCRIBE", channel.as_bytes()]);
            say(&join.iter().map(Vec::as_slice).collect::<Vec<_>>());
            expected.push(Greeting::Join);
        }
        expected
    }

    /// The first address at which the server answers as it should.
    fn reach(&self) -> io::Result<SocketAddr> {
        let mut first = None;
        for address in &self.addresses {
            match self.try_address(address) {
                Ok(()) => return Ok(*address),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
    }

    fn try_address(&self, address: &SocketAddr) -> io::Result<()> {
        let mut socket = TcpStream::connect_timeout(address, REACH_MAX)?;
        socket.set_read_timeout(Some(REACH_MAX))?;
        let mut out = Vec::new();
        let mut left = self.greet(&self.settings(), None, &mut out).len();
        socket.write_all(&out)?;
        let (mut input, mut buffer) = (Vec::new(), [0; 4096]);
        while left > 0 {
            let no_redis = || io::Error::other("the server is neither Redis nor Valkey");
            match resp::read(&input).map_err(|_| no_redis())? {
                Some((Reply::Error(why), _)) => return Err(io::Error::other(refusal(&why))),
                Some((_, length)) => {
                    input.drain(..length);
                    left -= 1;
                }
                None => match socket.read(&mut buffer) {
                    Ok(0) => return Err(io::ErrorKind::ConnectionReset.into()),
                    Ok(count) => input.extend_from_slice(&buffer[..count]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    Err(error) => return Err(error),
                },
            }
        }
        Ok(())
    }
}

/// Why a server refused access, in its words and ours.
fn refusal(why: &str) -> String {
    let advice = match why.split(' ').next() {
        Some("NOAUTH" | "WRONGPASS") => ": `shared.password` says where the right one is kept",
        Some("NOPROTO") => ": Redis 6 or newer, or Valkey, is needed",
        _ if why.contains("unknown command") => ": Redis 6 or newer, or Valkey, is needed",
        _ => "",
    };
    format!("{why}{advice}")
}

/// A unique name.
fn random() -> Result<String, Invalid> {
    let mut bytes = [0; 8];
    let nothing = |_| Invalid::new("the system gives no random bytes");
    SystemRandom::new().fill(&mut bytes).map_err(nothing)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
