//! Formats that are a layout, perhaps with more behind it.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::extras::Extras;
use super::{Format, Head, Take, Wanted};
use crate::field::Draft;
use crate::layout::Layout;
use crate::reason::Reason;
use crate::time::Clock;

/// Lines of one layout.
#[derive(Debug)]
pub(super) struct Laid {
    layout: Layout,
    extras: Extras,
    left_over: Vec<String>,
}

impl Laid {
    /// Of a format that is a layout alone.
    pub(super) fn new(layout: Layout) -> Laid {
        Laid { layout, extras: Extras::default(), left_over: Vec::new() }
    }

    /// Of a layout that the user has written: what it has beside what is known is named.
    pub(super) fn of_user(layout: Layout) -> Laid {
        let left_over = layout.left_over();
        Laid { layout, extras: Extras::default(), left_over }
    }

    /// Of a layout behind which there may be more, as the first lines show.
    fn with_extras(layout: Layout, head: &Head<'_>) -> Laid {
        let mut clock = Clock::default();
        let rests = head
            .lines()
            .filter_map(|line| layout.read(line, &mut clock, &mut Draft::default()).ok());
        let extras = Extras::find(rests);
        // Only nginx, which stamps the end, writes a duration there.
        let layout = if extras.has_seconds() { layout.of_ends() } else { layout };
        Laid { layout, left_over: extras.left_over(), extras }
    }
}

impl Format for Laid {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        let rest = self.layout.read(line, clock, &mut draft)?;
        self.extras.read(rest, clock, &mut draft)?;
        take(draft.finish(self.layout.ends())?);
        Ok(())
    }

    fn left_over(&self) -> Vec<String> {
        self.left_over.clone()
    }
}

/// The reader of the first of these templates that most of the first lines obey; else of the
/// last one.
pub(super) fn first_fitting(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &Wanted<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let layout = choose(templates, ends, head, wanted)?;
    Ok(layout.map(|layout| Arc::new(Laid::new(layout)) as Arc<dyn Format>))
}

/// As [`first_fitting`], for formats to which people add fields at the end.
pub(super) fn first_fitting_with_extras(
    templates: &[&str],
    head: &Head<'_>,
    wanted: &Wanted<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let layout = choose(templates, false, head, wanted)?;
    Ok(layout.map(|layout| Arc::new(Laid::with_extras(layout, head)) as Arc<dyn Format>))
}

fn choose(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &Wanted<'_>,
) -> Result<Option<Layout>, Invalid> {
    let mut found = None;
    for template in templates {
        let layout = Layout::template(template, ends)?.with_user(wanted.user)?;
        let laid: Arc<dyn Format> = Arc::new(Laid::new(layout.clone()));
        found = Some(layout);
        if head.fits(&laid) {
            break;
        }
    }
    Ok(found)
}
