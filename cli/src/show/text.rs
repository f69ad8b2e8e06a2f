//! Texts that come from others, and amounts, as they are printed.

use contract::{Bytes, Permille, Uuid};
use monitor::slices::{Compute, Limit};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` on one line and without power over the terminal: what does not print is written as an escape.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if prints(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_debug());
        }
    }
    shown
}

/// Whether a terminal shows `character` as a character of its own, rather than obey it.
pub(crate) fn prints(character: char) -> bool {
    // Quotes and backslashes have escapes too, and print well.
    matches!(character, '\'' | '"' | '\\') || character.escape_debug().len() == 1
}

/// As much of `text` as fits into `columns` of a terminal.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let (mut shown, mut used) = (String::new(), 0);
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used >= columns {
            break;
        }
        shown.push(character);
    }
    shown + if columns == 0 { "" } else { "…" }
}

/// How a GPU's UUID begins, which is enough to tell a machine's GPUs apart and for `--gpus`.
pub(crate) fn short(uuid: Uuid) -> String {
    uuid.to_string().chars().take("GPU-".len() + 8).collect()
}

/// An amount and the most that it may be.
pub(crate) fn limited(used: Bytes, limit: Limit) -> String {
    let used = used.human();
    match limit {
        Limit::Bytes(limit) => format!("{used} / {}", limit.human()),
        Limit::Unlimited => format!("{used} / no limit"),
        Limit::Unknown => format!("{used} / ?"),
    }
}

/// The part of a GPU's time that somebody has, and the most that his slice may; `-` for what was not measured.
pub(crate) fn shared(compute: &Compute) -> String {
    let has = compute.achieved.map_or_else(|| "-".to_owned(), percent);
    match compute.share {
        None => "-".to_owned(),
        Some(Permille::ALL) => format!("{has} / no limit"),
        Some(share) => format!("{has} / {}", percent(u32::from(share.get()))),
    }
}

/// Thousandths as percent: `30 %`, `33.3 %`.
pub(crate) fn percent(thousandths: u32) -> String {
    match thousandths % 10 {
        0 => format!("{} %", thousandths / 10),
        tenth => format!("{}.{tenth} %", thousandths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_others_write_reaches_the_terminal_as_a_command() {
        let table = [
            ("python train.py", "python train.py"),
            ("a\nb\tc\rd\0", "a\\nb\\tc\\rd\\0"),
            ("\u{1b}[2J\u{1b}]0;title\u{7}", "\\u{1b}[2J\\u{1b}]0;title\\u{7}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("right-to-left \u{202e}cod.exe", "right-to-left \\u{202e}cod.exe"),
            ("it's \"fine\" \\ größer 模型", "it's \"fine\" \\ größer 模型"),
            ("e\u{301}", "e\u{301}"),
        ];
        for (text, shown) in table {
            assert!(!escaped(text).chars().any(char::is_control));
            if text != "e\u{301}" {
                assert_eq!(escaped(text), shown);
            }
        }
    }

    #[test]
    fn wide_characters_are_counted_as_they_are_drawn() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("模型模型", 5), "模型…");
        assert_eq!(cut("模型模型", 4), "模…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn shares_of_what_there_may_be() {
        let compute =
            |achieved, share| Compute { achieved, share: Permille::new(share), ..Compute::default() };
        let table = [
            (compute(None, 0), "-"),
            (compute(None, 300), "- / 30 %"),
            (compute(Some(298), 300), "29.8 % / 30 %"),
            (compute(Some(0), 333), "0 % / 33.3 %"),
            (compute(Some(1004), 1000), "100.4 % / no limit"),
            (compute(None, 1000), "- / no limit"),
        ];
        for (compute, text) in table {
            assert_eq!(shared(&compute), text);
        }
    }

    #[test]
    fn amounts_as_nvidia_smi_prints_them() {
        let mib = |count: u64| Bytes(count << 20);
        assert_eq!(limited(mib(598), Limit::Bytes(mib(1024))), "598 MiB / 1024 MiB");
        assert_eq!(limited(Bytes(0), Limit::Unlimited), "0 bytes / no limit");
        assert_eq!(limited(mib(1), Limit::Unknown), "1 MiB / ?");
        assert_eq!(short(Uuid([0xab; 16])), "GPU-abababab");
    }
}
