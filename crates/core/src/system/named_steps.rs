//! Steps that name a pool, a limiter or a link.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::system::StepTable;
use thinktime_file::units::{Dimension, Quantity};

use super::behaviour::{Context, Step, find};
use super::ids::NodeId;
use super::nodes::AnyNodeModel;
use super::read::ReadResult;

impl Context<'_> {
    /// The step that takes a place of a pool or gives it back, if it is one.
    pub(super) fn pool_step(
        &self,
        table: &StepTable,
        path: &str,
        held: &mut Vec<NodeId>,
    ) -> ReadResult<Option<Step>> {
        let fail = |key: &str, what: &str, name: &str| {
            Err((format!("{path}.{key}"), Invalid::new(format!("`{name}` {what}"))))
        };
        if let Some(name) = &table.acquire {
            let pool = self.pool(name, path, "acquire")?;
            if held.contains(&pool) {
                return fail("acquire", "is held already", name);
            }
            held.push(pool);
            return Ok(Some(Step::Acquire(pool)));
        }
        if let Some(name) = &table.release {
            let pool = self.pool(name, path, "release")?;
            let Some(at) = held.iter().position(|one| *one == pool) else {
                return fail("release", "is not held here", name);
            };
            held.remove(at);
            return Ok(Some(Step::Release(pool)));
        }
        Ok(None)
    }

    /// The step that passes a limiter or goes over a link, if it is one.
    pub(super) fn passing_step(&self, table: &StepTable, path: &str) -> ReadResult<Option<Step>> {
        if let Some(name) = &table.pass {
            let is_limiter = |one: &AnyNodeModel| matches!(one, AnyNodeModel::Limiter(_));
            let found = self.node_named("limiter", name, is_limiter);
            return found
                .map(|node| Some(Step::Pass(node)))
                .map_err(|error| (format!("{path}.pass"), error));
        }
        let bytes = || table.size.as_ref().map(|size| step_size(size, path)).transpose();
        if let Some(name) = &table.send {
            return Ok(Some(Step::Send(self.link(name, path, "send")?, bytes()?)));
        }
        if let Some(name) = &table.receive {
            return Ok(Some(Step::Receive(self.link(name, path, "receive")?, bytes()?)));
        }
        Ok(None)
    }

    fn pool(&self, name: &str, path: &str, key: &str) -> ReadResult<NodeId> {
        let found = self.node_named("pool", name, |one| one.model().is_acquired());
        found.map_err(|error| (format!("{path}.{key}"), error))
    }

    fn link(&self, name: &str, path: &str, key: &str) -> ReadResult<NodeId> {
        let found = self.node_named("link", name, |one| matches!(one, AnyNodeModel::Link(_)));
        found.map_err(|error| (format!("{path}.{key}"), error))
    }

    /// The node of this name, among those for which this holds.
    fn node_named(
        &self,
        what: &str,
        name: &str,
        so: impl Fn(&AnyNodeModel) -> bool,
    ) -> Result<NodeId, Invalid> {
        let nodes = self.nodes.iter().zip((0..).map(NodeId)).filter(|(one, _)| so(one));
        let nodes: Vec<(&str, NodeId)> = nodes.map(|(one, id)| (one.name(), id)).collect();
        let found = find(what, name, nodes.iter().map(|(name, _)| *name))?;
        Ok(nodes[found].1)
    }
}

/// The bytes that a step carries by its table.
fn step_size(size: &Scalar, path: &str) -> ReadResult<u32> {
    let bytes = Quantity::parse(&size.text()).and_then(|size| size.expect(Dimension::Size));
    let placed = |error| (format!("{path}.size"), error);
    let bytes = bytes.map_err(placed)?;
    if (0.0..f64::from(u32::MAX)).contains(&bytes) {
        return Ok(bytes as u32);
    }
    Err(placed(Invalid::new("must be from 0 to 4294MB")))
}
