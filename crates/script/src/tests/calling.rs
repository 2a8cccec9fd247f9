//! Calls of gRPC with messages of scripts, by the descriptors of gRPC's own health check.

use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::request::MessageOf;
use thinktime_core::schema::Source;
use thinktime_core::workload::{Workload, WorkloadFiles};

use super::*;

/// The files of a workload: this script, and the descriptors.
struct Given(String);

impl Files for Given {
    fn read(&self, _name: &str) -> std::result::Result<String, Invalid> {
        Ok(self.0.clone())
    }

    fn bytes(&self, _name: &str) -> std::result::Result<Vec<u8>, Invalid> {
        Ok(include_bytes!("../../../../examples/health.pb").to_vec())
    }
}

impl WorkloadFiles for Given {
    fn program(
        &self,
        name: &str,
        requests: &[RequestKind],
    ) -> std::result::Result<Arc<dyn ProgramSource>, Invalid> {
        let names: Vec<&str> = requests.iter().map(|kind| kind.name.as_str()).collect();
        let script = Script::compile(name, &self.0, &names)?;
        Ok(Arc::new(script.calling(requests.iter().map(|kind| kind.grpc.clone()))))
    }
}

fn calling(text: &str) -> Box<dyn Programs> {
    let workload = "name = 'w'\n[arrivals]\nmodel = 'partly-open'\nrate = 1\n[session]\n\
                    script = 's.luau'\n[[request]]\nname = 'page'\n[[request]]\nname = 'check'\n\
                    grpc = 'grpc.health.v1.Health/Check'\ndescriptors = 'health.pb'\n\
                    headers = { X-Tenant = 'north' }";
    let workload = Workload::parse(Source { file: "", text: workload }, &Given(body(text)));
    let population = workload.unwrap().populations[0].clone();
    population.programs.unwrap().programs(1, &no_data())
}

#[test]
fn a_table_is_encoded_and_the_answer_is_one() {
    let mut machine = calling(
        "local answer = client:call('check', { service = 'tea' }, { bearer = 'x' })\n\
         client:check('serves', answer.json.status == 'SERVING')\n\
         client:call('check', {})\n\
         client:call('check')",
    );
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(1));
    let call = machine.call(0).unwrap();
    // A prefix of five bytes; field 1, of three bytes.
    assert_eq!(call.body, b"\x00\x00\x00\x00\x05\x0a\x03tea");
    assert_eq!(call.grpc, Some(MessageOf::Program));
    assert_eq!(call.target, "/grpc.health.v1.Health/Check");
    let field = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let fields = [
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        ("X-Tenant", "north"),
        ("Authorization", "Bearer x"),
    ];
    assert_eq!(call.headers, fields.map(field));
    let reply = Reply { body: br#"{"status":"SERVING"}"#, ..Reply::default() };
    assert_eq!(answered(machine, 0, 2, reply), Action::Request(1));
    assert_eq!(machine.call(0).unwrap().body, [0; 5]);
    assert_eq!(answered(machine, 0, 3, Reply::default()), Action::Request(1));
    assert_eq!(machine.call(0), None, "what it is stands in the workload");
    assert_eq!(answered(machine, 0, 4, Reply::default()), Action::End);
    assert_eq!(machine.report().checks()["serves"].passed, 1);
    assert!(errors(machine).is_empty(), "{:?}", errors(machine));
}

#[test]
fn metadata_goes_with_the_message_of_the_workload() {
    let mut machine = calling("client:call('check', nil, { headers = { a = 'b' } })");
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(1));
    let call = machine.call(0).unwrap();
    assert_eq!((call.grpc, &call.body[..]), (Some(MessageOf::Workload), &[0; 5][..]));
    assert_eq!(call.headers.last(), Some(&("a".to_owned(), "b".to_owned())));
}

#[test]
fn wrong_messages_of_calls_name_their_line() {
    for (text, expected) in [
        ("client:call('check', { servce = 'a' })", "the message is no `grpc.health.v1.Health"),
        ("client:call('check', { service = 7 })", "the message is no `grpc.health.v1.Health"),
        ("client:call('check', { {}, {} })", "takes one message: a list is for methods"),
        ("client:call('check', 'tea')", "a message is a table of its fields, not string"),
        ("client:call('check', 7, { bearer = 'x' })", "a message is a table of its fields"),
        ("client:call('check', nil, { name = 'page' })", "options of a call are headers, basic"),
        ("client:call('check', {}, { name = 'page' })", "options of a call are headers, basic"),
        ("client:call('check', {}, { form = {} })", "options of a call are headers, basic"),
        ("client:call('check', {}, { headers = { TE = 'x' } })", "it is gRPC's own"),
        ("client:call('page', {})", "the request `page` has no `grpc`"),
        ("client:call('chek', {})", "the workload has no request `chek`"),
    ] {
        let mut machine = calling(text);
        assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::End, "{text}");
        let said = errors(machine.as_ref());
        assert!(said[0].starts_with("s.luau:2: ") && said[0].contains(expected), "{said:?}");
    }
}
