//! The program of a workload's requests: with their targets, their connections, their tokens and
//! the sizes of responses.

use super::demand::DemandLaw;
use super::ids::EntranceId;
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
        program.tokens = kinds.iter().map(|kind| kind.tokens.clone()).collect();
        for (laws, tokens) in program.laws.iter_mut().zip(&program.tokens) {
            for law in laws.iter_mut().flatten() {
                if let DemandLaw::Tokens(law) = law {
                    law.set_tokens(tokens.as_ref());
                }
            }
        }
        program
    }
}

impl Program {
    /// The number of visits to servers of tokens that a request of this kind makes.
    #[must_use]
    pub fn token_visits(&self, kind: usize) -> usize {
        self.visits(kind).filter(|(_, law)| matches!(law, DemandLaw::Tokens(_))).count()
    }

    /// The first entrance at which requests of this kind need tokens that are not known.
    #[must_use]
    pub fn lacks_tokens(&self, kind: usize) -> Option<EntranceId> {
        let lacks = |law: &DemandLaw| matches!(law, DemandLaw::Tokens(law) if !law.has_tokens());
        self.visits(kind).find(|(_, law)| lacks(law)).map(|(entrance, _)| entrance)
    }
}
