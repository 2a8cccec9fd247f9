//! Checking journeys and pages: the order of a session's requests, and its end.

use thinktime_file::schema::SchemaError;
use thinktime_file::units::Dimension;
use thinktime_file::workload::{Model, PopulationTable};

use super::super::check::Check;
use super::course::Course;
use crate::journey::{Choice, ChoiceKind, END, Journey};
use crate::request::{Objects, RequestKind};

const ONE_REQUEST: &str =
    "an open session has one request: use model = \"partly-open\" or \"closed\"";
const PROGRAM: &str = "a script or a log says what a session does";

impl Check<'_> {
    /// The pages of a population, whose bases are its kinds. An object without a weight of its own
    /// comes as an object only.
    pub(crate) fn objects(
        &self,
        table: &PopulationTable,
        kinds: &mut [RequestKind],
    ) -> Result<(), SchemaError> {
        let names: Vec<String> = kinds.iter().map(|kind| kind.name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut only_objects = vec![false; kinds.len()];
        for (at, request) in table.request.iter().enumerate() {
            let Some(objects) = &request.objects else { continue };
            let objects = Objects::from_table(objects, &names, self.files)
                .map_err(|(key, error)| self.error(&format!("request.{at}.{key}"), &error))?;
            for (place, _) in objects.of.shares() {
                // A choice of objects has no end: it always gives one.
                let place = place.unwrap_or_default() as usize;
                let its = &table.request[place];
                if its.objects.is_some() {
                    let why = format!("`{}` is itself a page: objects have none", its.name);
                    return self.fail(&format!("request.{at}.objects.of"), &why);
                }
                only_objects[place] |= its.weight.is_none();
            }
            kinds[at].objects = Some(objects);
        }
        for (kind, only) in kinds.iter_mut().zip(&only_objects) {
            if *only {
                kind.weight = 0.0;
            }
        }
        if kinds.iter().all(|kind| kind.weight == 0.0) {
            return self.fail("request", "all of them are objects of pages: none begins a session");
        }
        Ok(())
    }

    /// How sessions continue and end.
    pub(crate) fn course(
        &self,
        table: &PopulationTable,
        kinds: &[RequestKind],
    ) -> Result<Course, SchemaError> {
        let session = &table.session;
        let programmed = session.script.is_some() || self.is_replayed(table);
        let open = table.arrivals.model == Model::Open;
        if programmed || open {
            self.nothing_to_browse(table, if programmed { PROGRAM } else { ONE_REQUEST })?;
        }
        if programmed {
            for (at, one) in table.request.iter().enumerate() {
                self.absent(&format!("request.{at}.objects"), &one.objects, PROGRAM)?;
                self.absent(&format!("request.{at}.size"), &one.size, PROGRAM)?;
            }
        }
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        let journey = self.journey(table, kinds, &names)?;
        let lasts = session.lasts.as_ref();
        let lasts = lasts.map(|law| self.distribution("session.lasts", law, Dimension::Time));
        let ends_at = self.ends_at(table, &names, journey.as_ref())?;
        let cache = session.cache.unwrap_or(false);
        if cache && kinds.iter().all(|kind| kind.objects.is_none()) {
            return self.fail("session.cache", "is for objects of pages, and there are none");
        }
        Ok(Course { journey, lasts: lasts.transpose()?, ends_at, cache })
    }

    /// Refuses the keys of journeys.
    fn nothing_to_browse(&self, table: &PopulationTable, why: &str) -> Result<(), SchemaError> {
        let session = &table.session;
        self.absent("session.first", &session.first, why)?;
        self.absent("session.lasts", &session.lasts, why)?;
        self.absent("session.ends_at", &session.ends_at, why)?;
        for (at, one) in table.request.iter().enumerate() {
            self.absent(&format!("request.{at}.next"), &one.next, why)?;
            self.absent(&format!("request.{at}.think"), &one.think, why)?;
        }
        Ok(())
    }

    fn journey(
        &self,
        table: &PopulationTable,
        kinds: &[RequestKind],
        names: &[&str],
    ) -> Result<Option<Journey>, SchemaError> {
        let Some(some) = table.request.iter().position(|one| one.next.is_some()) else {
            let why = "goes with requests that have a `next`; no request has one";
            return match &table.session.first {
                Some(_) => self.fail("session.first", why),
                None => Ok(None),
            };
        };
        // This comes first: errors of other checks about `end` would mislead.
        if let Some(at) = table.request.iter().position(|one| one.name == END) {
            let why = "is what ends a session in `next`: give the request another name";
            return self.fail(&format!("request.{at}.name"), why);
        }
        let mut next = Vec::new();
        for (at, one) in table.request.iter().enumerate() {
            let key = format!("request.{at}.next");
            if let Some(weight) = one.weight {
                let why =
                    format!("does not go with `next`, which says how often: leave {weight} out");
                return self.fail(&format!("request.{at}.weight"), &why);
            }
            let choice =
                one.next.as_ref().map(|table| Choice::parse(table, names, ChoiceKind::Next));
            next.push(choice.transpose().map_err(|error| self.error(&key, &error))?);
        }
        let first = match &table.session.first {
            Some(first) => Choice::parse(first, names, ChoiceKind::First)
                .map_err(|error| self.error("session.first", &error))?,
            None => Choice::only(0),
        };
        let journey = Journey { first, next };
        self.complete(table, &journey, kinds, &table.request[some].name)?;
        Ok(Some(journey))
    }

    /// Every kind is a step or an object, and every journey ends that should.
    fn complete(
        &self,
        table: &PopulationTable,
        journey: &Journey,
        kinds: &[RequestKind],
        example: &str,
    ) -> Result<(), SchemaError> {
        self.all_reached(journey, kinds, example)?;
        let (session, closed) = (&table.session, table.arrivals.model == Model::Closed);
        let ends = session.requests.is_some() || session.lasts.is_some();
        let must_end = !ends && (!closed || journey.may_end());
        match journey.caught_in(None).filter(|_| must_end) {
            Some(at) => self.fail(
                &format!("request.{at}.next"),
                &format!(
                    "from `{}` the journey never comes to an end: give `end` a share on its way, \
                     or [session] `requests` or `lasts`",
                    kinds[at].name
                ),
            ),
            None => Ok(()),
        }
    }

    /// Every kind is a step or an object.
    fn all_reached(
        &self,
        journey: &Journey,
        kinds: &[RequestKind],
        example: &str,
    ) -> Result<(), SchemaError> {
        let reached = journey.reached();
        let object = |place: usize| {
            let pages = kinds.iter().filter_map(|kind| kind.objects.as_ref());
            pages.into_iter().any(|one| one.of.shares().any(|(at, _)| at == Some(place as u32)))
        };
        for (at, kind) in kinds.iter().enumerate() {
            if reached[at] && journey.next[at].is_none() {
                let why = format!(
                    "`{}` is a step of the journey and needs a `next`, as `{example}` has: its \
                     next requests, or {{ end = 1 }}",
                    kind.name
                );
                return self.fail(&format!("request.{at}"), &why);
            }
            if !reached[at] && !object(at) {
                let why = format!(
                    "`{}` is never reached: no `first`, `next` or `objects` leads to it",
                    kind.name
                );
                return self.fail(&format!("request.{at}"), &why);
            }
        }
        Ok(())
    }

    fn ends_at(
        &self,
        table: &PopulationTable,
        names: &[&str],
        journey: Option<&Journey>,
    ) -> Result<Option<u32>, SchemaError> {
        let Some(name) = &table.session.ends_at else { return Ok(None) };
        if table.session.lasts.is_none() {
            return self.fail("session.ends_at", "goes with `lasts` only");
        }
        let place = names.iter().position(|other| other == name);
        let Some(place) = place else {
            let error = thinktime_file::error::unknown("request", name, names.iter().copied());
            return Err(self.error("session.ends_at", &error));
        };
        if journey.is_some_and(|journey| !journey.reached()[place]) {
            return self.fail("session.ends_at", "is never reached");
        }
        if let Some(caught) = journey.and_then(|journey| journey.caught_in(Some(place))) {
            let why =
                format!("never comes again after `{}`: no session there would end", names[caught]);
            return self.fail("session.ends_at", &why);
        }
        Ok(Some(place as u32))
    }
}
