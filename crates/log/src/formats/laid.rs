//! Formats that are a layout and nothing else.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::{Format, Head, Take, Wanted};
use crate::field::Draft;
use crate::layout::Layout;
use crate::reason::Reason;
use crate::time::Clock;

/// Lines of one layout.
#[derive(Debug)]
pub(super) struct Laid(pub(super) Layout);

impl Format for Laid {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        self.0.read(line, clock, &mut draft)?;
        take(draft.finish(self.0.ends())?);
        Ok(())
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
    let mut found: Option<Arc<dyn Format>> = None;
    for template in templates {
        let laid: Arc<dyn Format> =
            Arc::new(Laid(Layout::template(template, ends)?.with_user(wanted.user)?));
        let fits = head.fits(&laid);
        found = Some(laid);
        if fits {
            break;
        }
    }
    Ok(found)
}
