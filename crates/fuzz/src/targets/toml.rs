//! Workload and system files: any text is read as both, and its errors are reported.

use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;
use thinktime_core::system::SystemModel;
use thinktime_core::workload::Workload;

use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "toml",
    examples: Some(("examples", ".toml")),
    words: &[
        "[arrivals]\n",
        "[[request]]\n",
        "[[station]]\n",
        "model = 'closed'\n",
        "'exp(1ms)'",
        "'mix(0.5: exp(1ms), 0.5: const(1s))'",
        "'truncated(exp(1ms), lo=1ms, hi=2ms)'",
        "timeout = '1ns'\n",
        "{ attempts = 'unlimited' }",
        "= ",
        "ms",
        "/s",
    ],
    bytes_max: 20_000,
    tried: 8_000,
    read,
};

fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let source = || Source { file: "fuzz.toml", text: &text };
    let wrong = [
        Workload::parse(source(), &NoFiles).err().map(|error| error.to_string()),
        SystemModel::parse(source(), &NoFiles).err().map(|error| error.to_string()),
    ];
    for message in wrong.into_iter().flatten() {
        assert!(message.contains("fuzz.toml") && message.len() > 12, "{message}");
    }
}
