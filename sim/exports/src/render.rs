//! Source code of the exports of one shared object.

use std::fmt::Write;

use cuda_sys::Row;

use crate::Names;

/// The exports of one shared object.
#[derive(Clone, Copy, Debug)]
pub struct Exports<'a> {
    /// The names the driver branch exports.
    pub branch: &'a Names,
    /// The table of entry points.
    pub rows: &'a [Row],
    /// Rows without a function.
    pub not_simulated: &'a Names,
    /// Names with a function that the table has no row for: it only describes functions that return a code.
    pub beside_the_table: &'a [&'a str],
    /// Path of the module with one function a simulated row, called like the row's symbol.
    pub module: &'a str,
    /// Path of the function every other name jumps to.
    pub fallback: &'a str,
}

/// What comes before an export's name in the name of its hidden twin.
///
/// An exported name may be taken over by a library in front of this one, also for references from within; the twin is
/// the same address and always this library's own. `unsafe extern "C" { fn vgpu_export_NAME(); }` declares it.
pub const TWIN_PREFIX: &str = "vgpu_export_";

/// The hidden twin of an export, then the instruction that leaves for another function with every argument in place.
const TAIL_JUMP: &str = r#"
macro_rules! export {
    ($name:literal, $($instruction:literal),*; $target:path) => {
        core::arch::naked_asm!(
            concat!(".globl vgpu_export_", $name),
            concat!(".hidden vgpu_export_", $name),
            concat!("vgpu_export_", $name, ":"),
            $($instruction,)*
            sym $target
        )
    };
}
#[cfg(target_arch = "x86_64")]
macro_rules! tail_jump { ($name:literal, $target:path) => { export!($name, "endbr64", "jmp {}"; $target) }; }
#[cfg(target_arch = "aarch64")]
macro_rules! tail_jump { ($name:literal, $target:path) => { export!($name, "bti c", "b {}"; $target) }; }
"#;

/// What a library that a C compiler has linked does first, as the real driver does: it calls `__gmon_start__`, if anybody
/// has defined it.
const ANNOUNCEMENT: &str = r#"
#[used]
#[unsafe(link_section = ".init_array")]
static ANNOUNCEMENT: extern "C" fn() = announce;

/// Calls `__gmon_start__`, if there is one.
#[unsafe(naked)]
extern "C" fn announce() {
    #[cfg(target_arch = "x86_64")]
    core::arch::naked_asm!(
        ".weak __gmon_start__",
        "endbr64",
        "mov rax, qword ptr [rip + __gmon_start__@GOTPCREL]",
        "test rax, rax",
        "jz 2f",
        "sub rsp, 8",
        "call rax",
        "add rsp, 8",
        "2: ret",
    );
    #[cfg(target_arch = "aarch64")]
    core::arch::naked_asm!(
        ".weak __gmon_start__",
        "bti c",
        "adrp x9, :got:__gmon_start__",
        "ldr x9, [x9, :got_lo12:__gmon_start__]",
        "cbz x9, 2f",
        "stp x29, x30, [sp, #-16]!",
        "blr x9",
        "ldp x29, x30, [sp], #16",
        "2: ret",
    )
}
"#;

impl Exports<'_> {
    /// Rust source that defines and exports every name of the branch.
    pub fn render(&self) -> String {
        let mut source = [TAIL_JUMP, ANNOUNCEMENT].concat();
        for name in self.branch.iter() {
            let target = if self.is_simulated(name) {
                format!("{}::{name}", self.module)
            } else {
                self.fallback.to_owned()
            };
            let _ = write!(
                source,
                "\n/// Jumps to `{target}`.\n\
                 #[unsafe(no_mangle)]\n#[unsafe(naked)]\n\
                 pub extern \"C\" fn {name}() {{\n    tail_jump!(\"{name}\", {target})\n}}\n"
            );
        }
        source
    }

    fn is_simulated(&self, name: &str) -> bool {
        let in_table = self.rows.iter().any(|row| row.symbol == name);
        (in_table && !self.not_simulated.contains(name)) || self.beside_the_table.contains(&name)
    }
}

/// Source of the macro `if_simulated!(symbol { items })`: nothing for a row listed in `not_simulated`, else the items.
/// With it a table callback defines a function for the simulated rows only.
///
/// # Panics
/// When a listed name is no table row: the list would hide a misspelling.
pub fn rows_not_simulated(rows: &[Row], not_simulated: &Names) -> String {
    let mut source = String::from("macro_rules! if_simulated {\n");
    for name in not_simulated.iter() {
        assert!(
            rows.iter().any(|row| row.symbol == name),
            "`{name}` is listed as not simulated but is no table row"
        );
        let _ = writeln!(source, "    ({name} {{ $($items:tt)* }}) => {{}};");
    }
    source.push_str("    ($symbol:ident { $($items:tt)* }) => { $($items)* };\n}\n");
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exports(branch: &str, not_simulated: &str) -> String {
        Exports {
            branch: &Names::parse(branch).unwrap(),
            rows: cuda_sys::NVML,
            not_simulated: &Names::parse(not_simulated).unwrap(),
            beside_the_table: &["nvmlErrorString"],
            module: "entry",
            fallback: "refuse",
        }
        .render()
    }

    #[test]
    fn a_simulated_row_is_reached_and_any_other_name_refused() {
        let source = exports("nvmlInit_v2\nnvmlUnheardOf\nnvmlShutdown", "nvmlShutdown");
        assert!(source.contains(r#"tail_jump!("nvmlInit_v2", entry::nvmlInit_v2)"#));
        assert!(source.contains(r#"tail_jump!("nvmlUnheardOf", refuse)"#));
        assert!(source.contains(r#"tail_jump!("nvmlShutdown", refuse)"#));
    }

    #[test]
    fn the_prefix_of_twins_is_the_one_that_is_rendered() {
        assert!(TAIL_JUMP.contains(&format!("concat!(\"{TWIN_PREFIX}\", $name, \":\")")));
    }

    #[test]
    fn a_function_beside_the_table_is_reached() {
        assert!(
            exports("nvmlErrorString", "")
                .contains(r#"tail_jump!("nvmlErrorString", entry::nvmlErrorString)"#)
        );
    }

    #[test]
    fn a_row_outside_the_branch_is_not_exported() {
        assert!(!exports("nvmlInit", "").contains("nvmlInit_v2"));
    }

    #[test]
    fn listed_rows_expand_to_nothing() {
        let source = rows_not_simulated(cuda_sys::NVML, &Names::parse("nvmlShutdown").unwrap());
        assert!(source.contains("(nvmlShutdown { $($items:tt)* }) => {};"));
    }

    #[test]
    #[should_panic(expected = "`nvmlTypo` is listed as not simulated but is no table row")]
    fn a_listed_name_must_be_a_row() {
        rows_not_simulated(cuda_sys::NVML, &Names::parse("nvmlTypo").unwrap());
    }
}
