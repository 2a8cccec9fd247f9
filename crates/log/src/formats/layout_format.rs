//! Formats of one layout, perhaps with extra fields at the end.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::extras::Extras;
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
}

impl LayoutFormat {
    /// For a format that is a layout alone.
    pub(super) fn new(layout: Layout) -> LayoutFormat {
        LayoutFormat { layout, extras: Extras::default(), unused_fields: Vec::new() }
    }

    /// For a layout from the user; its unknown fields are reported.
    pub(super) fn of_user(layout: Layout) -> LayoutFormat {
        let unused_fields = layout.unused_fields();
        LayoutFormat { layout, extras: Extras::default(), unused_fields }
    }

    /// For a layout with possible extra fields, as the first lines show.
    fn with_extras(layout: Layout, head: &Head<'_>) -> LayoutFormat {
        let mut clock = Clock::default();
        let rests = head
            .lines()
            .filter_map(|line| layout.read(line, &mut clock, &mut Draft::default()).ok());
        let extras = Extras::find(rests);
        // Only nginx, which stamps the end, writes a duration there.
        let layout = if extras.has_seconds() { layout.of_ends() } else { layout };
        LayoutFormat { layout, unused_fields: extras.unused_fields(), extras }
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
}

/// The reader of the first of these templates that fits most of the first lines; else of the last
/// one.
pub(super) fn first_fitting(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let layout = choose(templates, ends, head, wanted)?;
    Ok(layout.map(|layout| Arc::new(LayoutFormat::new(layout)) as Arc<dyn Format>))
}

/// As [`first_fitting`], for formats with possible extra fields at the end.
pub(super) fn first_fitting_with_extras(
    templates: &[&str],
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let layout = choose(templates, false, head, wanted)?;
    Ok(layout.map(|layout| Arc::new(LayoutFormat::with_extras(layout, head)) as Arc<dyn Format>))
}

fn choose(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Layout>, Invalid> {
    let mut found = None;
    for template in templates {
        let layout = Layout::template(template, ends)?.with_user(wanted.user)?;
        let laid: Arc<dyn Format> = Arc::new(LayoutFormat::new(layout.clone()));
        found = Some(layout);
        if head.fits(&laid) {
            break;
        }
    }
    Ok(found)
}
