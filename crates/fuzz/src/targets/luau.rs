//! Scripts: any text is compiled, and compiled scripts run for a while. A session ends or waits,
//! and a script's requests are bounded.

use std::sync::Arc;

use thinktime_core::data::DataTable;
use thinktime_core::program::{Action, Event, ProgramSource, Reply};
use thinktime_core::time::Nanos;
use thinktime_script::Script;

use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "luau",
    examples: Some(("examples", ".luau")),
    words: &[
        "client:get('/')\n",
        "client:think(1)\n",
        "client:check('a', true)\n",
        "client:together({})\n",
        "client:sql('select $1', { 1 })\n",
        "client:transaction(function()\n",
        "end)\n",
        "while true do ",
        " end\n",
        "local a = {}\n",
        "string.rep('x', 1e9)",
        "return function(client)\n",
        "error('x')\n",
        "..",
    ],
    bytes_max: 8_000,
    tried: 400,
    read,
};

/// The most turns of a session.
const TURNS: u64 = 30;

fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(script) = Script::compile("fuzz.luau", &text, &["item", "search"]) else { return };
    let data: Arc<[DataTable]> = Arc::new([]);
    let mut machine = script.programs(1, &data);
    let mut action = machine.begin(Nanos(1), 0, 0, 0);
    for at in 2..TURNS {
        let (head, body) = (&b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"[..], &b"{\"a\": [1, 2]}"[..]);
        action = match action {
            Action::End => break,
            Action::Request(_) => {
                let reply = Reply { status: 200, head, body, ..Reply::default() };
                machine.resume(Nanos(at), 0, Event::Answered(reply))
            }
            // Nobody else exists who could end its wait.
            Action::Wait => break,
            Action::Think(_) => machine.resume(Nanos(at), 0, Event::Waited),
        };
    }
    assert!(machine.report().errors().keys().all(|message| !message.is_empty()));
}
