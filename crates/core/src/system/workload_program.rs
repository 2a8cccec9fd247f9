//! The program of a workload's requests: with their targets, their connections and the sizes of
//! responses.

use super::link::connections;
use super::model::SystemModel;
use super::program::Program;
use crate::workload::Workload;

impl SystemModel {
    /// The behaviour of a workload's requests, as a program.
    #[must_use]
    pub fn program_for(&self, workload: &Workload) -> Program {
        let kinds = &workload.requests;
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        let mut program = Program::new(self, &names);
        program.sizes = kinds.iter().map(|kind| kind.size.clone()).collect();
        program.targets = kinds.iter().map(|kind| kind.targets(workload.seed)).collect();
        program.connections = connections(workload);
        program
    }
}
