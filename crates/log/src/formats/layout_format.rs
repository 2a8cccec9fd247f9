//! Formats of one layout, perhaps with extra fields at the end.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::extras::Extras;
use super::host_first::host_first;
use super::{Format, FormatOptions, Head, Take};
use crate::field::Draft;
use crate::layout::Layout;
use crate::reason::Reason;
use crate::time::Clock;

/// Lines of one layout.
#[derive(Debug)]
pub(super) struct LayoutFormat {
    layout: Layout,
    extras: Extras,
    unused_fields: Vec<String>,
    doubts: Vec<String>,
}

impl LayoutFormat {
    /// For a format that is a layout alone.
    pub(super) fn new(layout: Layout) -> LayoutFormat {
        LayoutFormat { layout, extras: Extras::default(), unused_fields: vec![], doubts: vec![] }
    }

    /// For a layout from the user; its unknown fields are reported.
    pub(super) fn of_user(layout: Layout) -> LayoutFormat {
        let unused_fields = layout.unused_fields();
        LayoutFormat { unused_fields, ..LayoutFormat::new(layout) }
    }

    /// For a layout with possible extra fields, as the first lines show.
    fn with_extras(layout: Layout, head: &Head<'_>) -> LayoutFormat {
        let mut clock = Clock::default();
        let ends = head.lines().filter_map(|line| {
            let mut draft = Draft::default();
            let rest = layout.read(line, &mut clock, &mut draft).ok()?;
            Some((draft.entry.address.into_owned(), rest))
        });
        let extras = Extras::find(ends);
        // Only nginx, which stamps the end, writes a duration there.
        let layout = if extras.has_seconds() { layout.of_ends() } else { layout };
        let (unused_fields, doubts) = (extras.unused_fields(), extras.doubts());
        LayoutFormat { layout, extras, unused_fields, doubts }
    }
}

impl Format for LayoutFormat {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        let rest = self.layout.read(line, clock, &mut draft)?;
        self.extras.read(rest, clock, &mut draft)?;
        take(draft.finish(self.layout.ends())?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
    }
}

/// The reader of the first of these templates that fits most of the first lines; else of the one
/// that reads most.
pub(super) fn first_fitting(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let layout = choose(templates, ends, head, wanted)?;
    Ok(layout.map(|layout| Arc::new(LayoutFormat::new(layout)) as Arc<dyn Format>))
}

/// Lines of the Common Log Format with `further` fields, perhaps with the host before them, and
/// with possible extra fields at the end.
pub(super) fn common_begin(
    further: &str,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let (host_first, doubt) = host_first(head);
    let begins: &[&str] = match host_first {
        true => &["{host}:{port} {address}", "{host} {address}"],
        false => &["{host}:{port} {address}", "{address}"],
    };
    let templates = ["{clf}", "{any_time}"].into_iter().flat_map(|time| {
        begins
            .iter()
            .map(move |begin| format!("{begin} {{ident}} {{user}} [{time}] {REST}{further}"))
    });
    let templates: Vec<String> = templates.collect();
    let templates: Vec<&str> = templates.iter().map(|template| &template[..]).collect();
    let layout = choose(&templates, false, head, wanted)?;
    Ok(layout.map(|layout| {
        let mut format = LayoutFormat::with_extras(layout, head);
        format.doubts.extend(doubt);
        Arc::new(format) as Arc<dyn Format>
    }))
}

const REST: &str = "\"{request}\" {status} {bytes_or_dash}";

fn choose(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Layout>, Invalid> {
    let mut best: Option<(usize, Layout)> = None;
    for template in templates {
        let layout = Layout::template(template, ends)?.with_user(wanted.user)?;
        let laid: Arc<dyn Format> = Arc::new(LayoutFormat::new(layout.clone()));
        let judged = head.judge(&laid);
        if judged.fits {
            return Ok(Some(layout));
        }
        if best.as_ref().is_none_or(|best| judged.good > best.0 || best.0 == 0) {
            best = Some((judged.good, layout));
        }
    }
    Ok(best.map(|best| best.1))
}
