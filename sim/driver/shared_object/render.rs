//! Source of the part of a shared object that is not exported functions.

use std::fmt::Write;

use sim_exports::TWIN_PREFIX;

use super::profile::{Answer, Profile};

/// The exported variables, the branch as a constant, and the constructor that installs it.
pub(crate) fn profile(profile: &Profile, branch: &str) -> String {
    let mut source = String::from("\nunsafe extern \"C\" {\n");
    for name in profile.answers() {
        let _ = writeln!(source, "    fn {TWIN_PREFIX}{name}();");
    }
    source.push_str("}\n");
    for name in &profile.variables {
        // Read and written by debuggers only, none of which know this driver: all are zero.
        let _ = writeln!(
            source,
            "\n/// A variable of the debugger's.\n#[unsafe(no_mangle)]\n\
             pub static {name}: core::sync::atomic::AtomicU64 = core::sync::atomic::AtomicU64::new(0);"
        );
    }
    let _ = write!(
        source,
        "\nstatic PROFILE: sim_driver::Profile = sim_driver::Profile {{\n    \
         branch: \"{branch}\",\n    api_version: {},\n    bases: &[\n",
        profile.api_version
    );
    for base in &profile.bases {
        let (legacy, per_thread) = (answers(&base.legacy), answers(&base.per_thread));
        let _ = writeln!(
            source,
            "        sim_driver::Base {{ name: \"{}\", legacy: {legacy}, per_thread: {per_thread} }},",
            base.name
        );
    }
    source.push_str("    ],\n};\n");
    source + CONSTRUCTOR
}

/// The loader runs it before anybody can call an export.
const CONSTRUCTOR: &str = r#"
#[used]
#[unsafe(link_section = ".init_array")]
static INSTALL: extern "C" fn() = {
    extern "C" fn install() {
        PROFILE.install();
    }
    install
};
"#;

fn answers(answers: &[Answer]) -> String {
    let answers = answers.iter().map(|(since, symbol)| {
        format!(
            "sim_driver::Answer {{ since: {since}, symbol: \"{symbol}\", address: {TWIN_PREFIX}{symbol} }}"
        )
    });
    format!("&[{}]", answers.collect::<Vec<_>>().join(", "))
}
