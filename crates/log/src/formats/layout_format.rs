//! Formats of one layout, perhaps with extra fields at the end.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::extras::{Extras, LineEnd};
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
    /// The layouts of lines that the first one does not fit.
    others: Vec<Layout>,
    /// The layout of lines with nothing behind it, which the others do not fit.
    short: Option<Layout>,
    extras: Extras,
    unused_fields: Vec<String>,
    doubts: Vec<String>,
}

impl LayoutFormat {
    /// For a format that is a layout alone.
    pub(super) fn new(layout: Layout) -> LayoutFormat {
        LayoutFormat::of_several((layout, vec![]))
    }

    /// For a layout, and those of other lines.
    fn of_several((layout, others): Layouts) -> LayoutFormat {
        let extras = Extras::default();
        let (unused_fields, doubts) = (vec![], vec![]);
        LayoutFormat { layout, others, short: None, extras, unused_fields, doubts }
    }

    /// For a layout from the user; its unknown fields are reported.
    pub(super) fn of_user(layout: Layout) -> LayoutFormat {
        let unused_fields = layout.unused_fields();
        LayoutFormat { unused_fields, ..LayoutFormat::new(layout) }
    }

    /// For a layout with possible extra fields, as the first lines show.
    fn with_extras((layout, others): Layouts, head: &Head<'_>) -> LayoutFormat {
        let mut clock = Clock::default();
        let ends = head.lines().filter_map(|line| {
            let mut draft = Draft::default();
            let rest = layout.read(line, &mut clock, &mut draft).ok()?;
            let entry = draft.finish(layout.ends(), &clock);
            let time = entry.ok().map(|entry| (entry.time_ns, entry.resolution_ns));
            Some(LineEnd { client: draft.entry.address.into_owned(), time, rest })
        });
        let extras = Extras::find(ends);
        let ends = extras.stamps_end();
        let of = |layout: Layout| if ends { layout.of_ends() } else { layout };
        let (layout, others) = (of(layout), others.into_iter().map(of).collect());
        let (unused_fields, doubts) = (extras.unused_fields(), extras.doubts());
        LayoutFormat { layout, others, short: None, extras, unused_fields, doubts }
    }

    fn read_as(
        &self,
        layout: &Layout,
        line: &[u8],
        clock: &mut Clock,
        take: &mut Take<'_>,
    ) -> Result<(), Reason> {
        let mut draft = Draft::default();
        let rest = layout.read(line, clock, &mut draft)?;
        self.extras.read(rest, clock, &mut draft)?;
        take(draft.finish(layout.ends(), clock)?);
        Ok(())
    }
}

impl LayoutFormat {
    /// Reads a line that has nothing behind the layout of short ones.
    fn read_short(
        &self,
        line: &[u8],
        clock: &mut Clock,
        take: &mut Take<'_>,
    ) -> Result<(), Reason> {
        let short = self.short.as_ref().ok_or(Reason::NotThisFormat)?;
        let mut draft = Draft::default();
        if !short.read(line, clock, &mut draft)?.trim_ascii().is_empty() {
            return Err(Reason::NotThisFormat);
        }
        take(draft.finish(short.ends(), clock)?);
        Ok(())
    }
}

impl Format for LayoutFormat {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let read = self.read_as(&self.layout, line, clock, take);
        if read.is_ok() {
            return read;
        }
        let mut others = self.others.iter();
        let found = others.find_map(|other| self.read_as(other, line, clock, take).ok());
        let short = || self.read_short(line, clock, take).ok();
        found.or_else(short).map_or(read, Ok)
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
    }
}

/// A layout, and those of lines that it does not fit.
type Layouts = (Layout, Vec<Layout>);

/// The reader of the first of these templates that fits most of the first lines; else of the one
/// that reads most. The other templates are those of lines that it does not fit.
pub(super) fn first_fitting(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let (place, layout) = choose(templates, ends, head, wanted)?;
    let mut others = bare_dashes(templates[place], ends, wanted);
    for (_, other) in templates.iter().enumerate().filter(|(other, _)| *other != place) {
        others.extend(laid(other, ends, wanted).ok());
    }
    Ok(Some(Arc::new(LayoutFormat::of_several((layout, others)))))
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
    // aiohttp has neither of the words that nobody uses, and so no user.
    let short = format!("{{address}} [{{clf}}] {REST}{further}");
    let mut templates: Vec<String> = templates.collect();
    if wanted.user.is_none() {
        // Of lines that none fits the last one is taken, which has these words.
        templates.insert(templates.len() - 1, short);
    }
    let templates: Vec<&str> = templates.iter().map(|template| &template[..]).collect();
    let (place, layout) = choose(&templates, false, head, wanted)?;
    let others = bare_dashes(templates[place], false, wanted);
    let mut format = LayoutFormat::with_extras((layout, others), head);
    // Some virtual hosts of a server may have shorter lines, but most lines are whole.
    let mut clock = Clock::default();
    let mut is_whole = |line: &&[u8]| format.read(line, &mut clock, &mut |_| {}).is_ok();
    let lines = || head.lines().filter(|line| !line.is_empty()).take(LINES_JUDGED);
    let mostly = 2 * lines().filter(&mut is_whole).count() >= lines().count();
    let begin = templates[place].strip_suffix(further).filter(|_| mostly && !further.is_empty());
    format.short = begin.and_then(|begin| laid(begin, false, wanted).ok());
    format.doubts.extend(doubt);
    Ok(Some(Arc::new(format)))
}

const REST: &str = "\"{request}\" {status} {bytes_or_dash}";

/// The lines that decide whether there are shorter ones.
const LINES_JUDGED: usize = 500;

/// The layouts of a template for lines with a bare `-` where others have a text in quotes.
fn bare_dashes(template: &str, ends: bool, wanted: &FormatOptions<'_>) -> Vec<Layout> {
    let mut templates = vec![template.to_owned()];
    for quoted in ["\"{referrer}\"", "\"{agent}\""] {
        let bare = |template: &String| template.replace(quoted, "-");
        let having = templates.iter().filter(|template| template.contains(quoted));
        let bare: Vec<String> = having.map(bare).collect();
        templates.extend(bare);
    }
    // The user's field may be one that is missing.
    templates[1..].iter().filter_map(|template| laid(template, ends, wanted).ok()).collect()
}

fn laid(template: &str, ends: bool, wanted: &FormatOptions<'_>) -> Result<Layout, Invalid> {
    Layout::template(template, ends)?.with_user(wanted.user)
}

/// The place of the template that fits, and its layout.
fn choose(
    templates: &[&str],
    ends: bool,
    head: &Head<'_>,
    wanted: &FormatOptions<'_>,
) -> Result<(usize, Layout), Invalid> {
    let mut best: Option<(usize, (usize, Layout))> = None;
    for (place, template) in templates.iter().enumerate() {
        let layout = laid(template, ends, wanted)?;
        let format: Arc<dyn Format> = Arc::new(LayoutFormat::new(layout.clone()));
        let judged = head.judge(&format);
        if judged.fits {
            return Ok((place, layout));
        }
        if best.as_ref().is_none_or(|best| judged.good > best.0 || best.0 == 0) {
            best = Some((judged.good, (place, layout)));
        }
    }
    best.map(|best| best.1).ok_or_else(|| Invalid::new("the format has no layout"))
}
