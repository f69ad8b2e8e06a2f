//! A kernel for real cards that lasts for a stated time.

/// One thread that looks at the device's clock until `microseconds` are over, as `k`. Text for the oldest target that today's
/// drivers still compile runs on every later card.
pub(super) fn ptx(microseconds: u64) -> String {
    let nanoseconds = microseconds.saturating_mul(1000);
    // The clock is volatile, so the compiler leaves it in the loop.
    format!(
        ".version 6.0\n.target sm_50\n.address_size 64\n\
         .visible .entry k()\n{{\n\
         .reg .pred %again;\n.reg .u64 %start, %now;\n\
         mov.u64 %start, %globaltimer;\n\
         LOOP:\nmov.u64 %now, %globaltimer;\nsub.u64 %now, %now, %start;\n\
         setp.lt.u64 %again, %now, {nanoseconds};\n@%again bra LOOP;\nret;\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_in_the_text() {
        assert!(ptx(20).contains("%again, %now, 20000;"));
    }
}
