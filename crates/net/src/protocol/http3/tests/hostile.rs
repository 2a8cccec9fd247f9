//! Forbidden actions of servers.

use proptest::prelude::*;

use super::*;

/// The end of a stream of a client with two requests, for all cuts.
fn result(stream: u64, bytes: &[u8], ends: bool) -> Result<Option<Stop>, Http3Error> {
    let whole = feed(&mut client(2), stream, bytes, usize::MAX, ends);
    assert_eq!(feed(&mut client(2), stream, bytes, 1, ends), whole);
    whole.1
}

#[test]
fn broken_rules_of_responses_are_named() {
    let ok = || script().head(&[(":status", "200")]);
    let trailed = || ok().head(&[("a", "b")]);
    let cases = [
        (Http3Error::FrameUnexpected, script().data(1)),
        (Http3Error::FrameUnexpected, script().head(&[(":status", "103")]).data(1)),
        (Http3Error::FrameUnexpected, trailed().data(1)),
        (Http3Error::FrameUnexpected, trailed().head(&[("a", "b")])),
        (Http3Error::FrameUnexpected, script().frame(kind::SETTINGS, &[])),
        (Http3Error::FrameUnexpected, ok().frame(kind::GOAWAY, &[0])),
        (Http3Error::FrameUnexpected, ok().frame(kind::CANCEL_PUSH, &[0])),
        (Http3Error::FrameUnexpected, ok().frame(kind::MAX_PUSH_ID, &[0])),
        (Http3Error::FrameUnexpected, ok().frame(0x2, &[])),
        (Http3Error::FrameUnexpected, ok().frame(0x9, &[])),
        (Http3Error::Id, ok().frame(kind::PUSH_PROMISE, &[0, 0, 0])),
        (Http3Error::Decompression, script().frame(kind::HEADERS, &[])),
        (Http3Error::Decompression, script().frame(kind::HEADERS, &[2, 0x80, 0x10])),
        (Http3Error::HeadTooLarge, script().frame(kind::HEADERS, &[0; BLOCK_BYTES_MAX + 1])),
        (Http3Error::HeadTooLarge, script().frame(kind::HEADERS, &[0xd9; 3000])),
        (Http3Error::Frame, Script([&ok().0[..], &[0]].concat())),
        (Http3Error::Frame, Script([&ok().0[..], &[0, 2, 7]].concat())),
    ];
    for (place, (error, mut script)) in cases.into_iter().enumerate() {
        if place == 14 {
            // A long list in a short block, after a valid prefix.
            let start = script.0.len() - 3000;
            script.0[start..start + 2].fill(0);
        }
        assert_eq!(result(0, &script.0, true), Err(error), "case {place}");
    }
}

#[test]
fn broken_rules_of_the_servers_own_streams_are_named() {
    let first = |kind, payload: &[u8]| Script(vec![0]).frame(kind, payload).0;
    let more = |kind, payload: &[u8]| control().frame(kind, payload).0;
    let cases = [
        (Http3Error::MissingSettings, first(kind::GOAWAY, &[0])),
        (Http3Error::MissingSettings, first(0x21, &[])),
        (Http3Error::FrameUnexpected, more(kind::SETTINGS, &[])),
        (Http3Error::FrameUnexpected, more(kind::DATA, &[])),
        (Http3Error::FrameUnexpected, more(kind::HEADERS, &[])),
        (Http3Error::FrameUnexpected, more(kind::MAX_PUSH_ID, &[0])),
        (Http3Error::FrameUnexpected, more(0x8, &[])),
        (Http3Error::Id, more(kind::CANCEL_PUSH, &[0])),
        (Http3Error::Id, more(kind::GOAWAY, &[1])),
        (Http3Error::Frame, more(kind::GOAWAY, &[])),
        (Http3Error::Frame, more(kind::GOAWAY, &[0, 0])),
        (Http3Error::Frame, first(kind::SETTINGS, &[6])),
        (Http3Error::Frame, first(kind::SETTINGS, &[6, 0x40])),
        (Http3Error::Settings, first(kind::SETTINGS, &[2, 0])),
        (Http3Error::Settings, first(kind::SETTINGS, &[5, 0])),
        (Http3Error::Flood, first(kind::SETTINGS, &[6; SETTINGS_BYTES_MAX + 1])),
        (Http3Error::Id, vec![1, 0]),
        (Http3Error::EncoderStream, vec![2, 0x3f]),
        (Http3Error::EncoderStream, vec![2, 0xc0]),
        (Http3Error::DecoderStream, vec![3, 0x80]),
        (Http3Error::DecoderStream, vec![3, 0x01]),
        (Http3Error::DecoderStream, [&[3, 0x7f][..], &[0x80; 10]].concat()),
    ];
    for (place, (error, bytes)) in cases.into_iter().enumerate() {
        assert_eq!(result(CONTROL, &bytes, false), Err(error), "case {place}");
    }
}

#[test]
fn some_streams_are_there_once_and_stay() {
    for kind in [0, 2, 3] {
        let mut events = VecDeque::new();
        let mut client = client(0);
        assert_eq!(client.read(CONTROL, &[kind], false, &mut events), Ok(None));
        let second = client.read(OTHER, &[kind], false, &mut events);
        assert_eq!(second, Err(Http3Error::StreamCreation));
        assert_eq!(result(CONTROL, &[kind], true), Err(Http3Error::ClosedCriticalStream));
        let mut client = super::client(0);
        client.read(CONTROL, &[kind], false, &mut events).unwrap();
        let reset = client.reset(CONTROL, 0, &mut events);
        assert_eq!(reset, Err(Http3Error::ClosedCriticalStream));
    }
    // A stream that ends before its type has no content.
    assert_eq!(result(CONTROL, &[0x40], true), Ok(None));
}

#[test]
fn later_farewells_are_no_larger() {
    let bytes = control().frame(kind::GOAWAY, &[4]).frame(kind::GOAWAY, &[8]).0;
    assert_eq!(result(CONTROL, &bytes, false), Err(Http3Error::Id));
}

#[test]
fn what_brings_nothing_cannot_go_on_for_ever() {
    let many = BARREN_FRAMES_MAX as usize + 1;
    let repeated = |script: Script, more: &[u8]| [script.0, more.repeat(many)].concat();
    let ok = || script().head(&[(":status", "200")]);
    let interim = script().head(&[(":status", "103")]).0;
    for (place, (stream, bytes)) in [
        (0, repeated(ok(), &[0, 0])),
        (0, repeated(ok(), &[0x21, 0])),
        (0, repeated(script(), &interim)),
        (CONTROL, repeated(control(), &[0x21, 0])),
        (CONTROL, repeated(control(), &[7, 1, 4])),
        (CONTROL, repeated(Script(vec![2]), &[0x20])),
        (CONTROL, repeated(Script(vec![3]), &[0x44])),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(result(stream, &bytes, false), Err(Http3Error::Flood), "case {place}");
    }
    let mut client = client(0);
    let streams = 0..=u64::from(BARREN_FRAMES_MAX);
    let mut events = VecDeque::new();
    let flood = streams.map(|number| client.read(4 * number + 3, &[0x21], false, &mut events));
    assert_eq!(flood.last(), Some(Err(Http3Error::Flood)));
}

proptest! {
    #[test]
    fn anything_is_read_alike_however_it_is_cut(
        stream in prop::sample::select(vec![0, 4, CONTROL]),
        begin in prop::sample::select(vec![
            vec![],
            vec![0, 4, 0],
            script().head(&[(":status", "200")]).0,
        ]),
        bytes in prop::collection::vec(prop_oneof![0_u8..16, any::<u8>()], 0..300),
        size in 1_usize..50,
    ) {
        let bytes = [begin, bytes].concat();
        let whole = feed(&mut client(2), stream, &bytes, usize::MAX, true);
        prop_assert_eq!(feed(&mut client(2), stream, &bytes, size, true), whole);
    }
}
