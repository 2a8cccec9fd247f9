//! Servers that are machines: each a copy of one that the file describes.

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::system::ClusterTable;

use super::ClusterModel;
use super::model::part_of_label;
use crate::system::machine::MachineModel;
use crate::system::read::{ReadResult, Reading};

impl ClusterModel {
    /// The machine of which each server is a copy, with its services; it and they are named as
    /// parts of this cluster.
    pub(super) fn machine_of(
        &self,
        table: &ClusterTable,
        reading: &Reading<'_>,
    ) -> ReadResult<MachineModel> {
        let fail = |message: String| Err(("server".to_owned(), Invalid::new(message)));
        alone(table)?;
        let names = reading.file.machine.iter().map(|one| one.name.as_str());
        let text = table.server.as_deref().unwrap_or_default();
        let Some(name) = table.copied() else {
            return fail(format!("`{text}` is not of the form \"machine:NAME\""));
        };
        // Their errors have been reported: machines are read before clusters.
        let all = MachineModel::read_all(reading).unwrap_or_default();
        let Some(mut machine) = all.into_iter().find(|one| one.name == name) else {
            return Err(("server".to_owned(), unknown("machine", name, names)));
        };
        if machine.services.iter().all(|one| one.demand.is_none()) {
            return fail(format!(
                "the machine `{name}` has no demand, neither of its own nor in a [[service]]: in a \
                 cluster a request runs in the services that have one for it"
            ));
        }
        let services = machine.services.iter_mut().map(|one| &mut one.name);
        for name in services.chain([&mut machine.name]) {
            let own = part_of_label(name).map_err(|(_, error)| {
                let message = format!("the name `{name}` {error}");
                ("server".to_owned(), Invalid::new(message))
            })?;
            *name = format!("{}/{own}", self.name);
        }
        Ok(machine)
    }

    /// The name of a part of each server where it is described, if this names one.
    pub(in crate::system) fn has_on_servers(&self, name: &str) -> bool {
        let inside = self.machine.iter().flat_map(|machine| &machine.services);
        inside.map(|one| &one.name[self.name.len() + 1..]).any(|own| own == name)
    }
}

/// Whether the server that a cluster names fits its other keys.
fn alone(table: &ClusterTable) -> ReadResult<()> {
    let fail = |key: &str, message: &str| Err((key.to_owned(), Invalid::new(message)));
    if !table.station.is_empty() {
        let why = "goes without [[cluster.station]] tables: a server is a machine or has stations";
        return fail("server", why);
    }
    if table.cache.is_some() {
        let why = "goes with [[cluster.station]] tables, of which some have when = \"miss\": a \
                   machine has no such visits";
        return fail("cache", why);
    }
    Ok(())
}
