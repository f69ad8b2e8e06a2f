//! Declarations in preprocessed C, as far as the vendor's headers use the language.
//!
//! Types are written as Rust writes them, so that a row of the table and a declaration compare as text.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;

/// A function, or a type of pointers to functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
}

/// What a header declares.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    /// `RESULT name(...);`
    pub(super) functions: Vec<Function>,
    /// `typedef RESULT (*name)(...);`
    pub(super) function_types: Vec<Function>,
    /// `typedef OLD NEW;` between two names: from the new one to the old one.
    pub(super) aliases: BTreeMap<String, String>,
}

impl Declarations {
    /// Reads everything that returns a `result`.
    ///
    /// # Errors
    /// A parameter whose type is written in a way no header has used so far.
    pub(super) fn parse(source: &str, result: &str) -> Result<Self> {
        let mut declarations = Self::default();
        for statement in tokens(source).split(|token| [";", "{", "}"].contains(token)) {
            let statement = without_attributes(statement);
            declarations.add(&statement, result).with_context(|| format!("in `{}`", statement.join(" ")))?;
        }
        Ok(declarations)
    }

    fn add(&mut self, statement: &[&str], result: &str) -> Result<()> {
        match statement {
            ["typedef", old, new] => {
                self.aliases.insert((*new).to_owned(), (*old).to_owned());
            }
            ["typedef", returned, "(", "*", name, ")", "(", parameters @ .., ")"] if *returned == result => {
                self.function_types.push(function(name, parameters)?);
            }
            [returned, name, "(", parameters @ .., ")"] if *returned == result => {
                self.functions.push(function(name, parameters)?);
            }
            _ => {}
        }
        Ok(())
    }
}

fn function(name: &str, parameters: &[&str]) -> Result<Function> {
    let parameters = match parameters {
        [] | ["void"] => Vec::new(),
        _ => parameters.split(|token| *token == ",").map(parameter).collect::<Result<_>>()?,
    };
    Ok(Function { name: name.to_owned(), parameters })
}

/// The type of a parameter such as `const unsigned int *values[]`.
fn parameter(tokens: &[&str]) -> Result<String> {
    if tokens.contains(&"(") {
        bail!("`{}` is a function pointer without a name of its own", tokens.join(" "));
    }
    let (tokens, array) = match tokens {
        [head @ .., "[", "]"] | [head @ .., "[", _, "]"] => (head, true),
        _ => (tokens, false),
    };
    let mut levels = tokens.split(|token| *token == "*");
    let base = levels.next().unwrap_or_default();
    let mut constant = base.contains(&"const");
    let mut words: Vec<&str> = base.iter().copied().filter(|word| !is_qualifier(word)).collect();
    if !tokens.contains(&"*") && words.len() > 1 {
        // The parameter's name.
        words.pop();
    }
    let mut written = scalar(&words.join(" "));
    for level in levels {
        written = pointer(constant, &written);
        constant = level.contains(&"const");
    }
    Ok(if array { pointer(constant, &written) } else { written })
}

fn is_qualifier(word: &str) -> bool {
    ["const", "struct", "enum", "union"].contains(&word)
}

fn pointer(constant: bool, to: &str) -> String {
    format!("*{} {to}", if constant { "const" } else { "mut" })
}

/// Rust's name for a type without pointers; the vendor's own types keep theirs.
fn scalar(name: &str) -> String {
    match name {
        "char" => "c_char",
        "unsigned char" => "c_uchar",
        "unsigned short" => "c_ushort",
        "int" => "c_int",
        "unsigned int" | "unsigned" => "c_uint",
        "long" => "c_long",
        "unsigned long" => "c_ulong",
        "long long" => "c_longlong",
        "unsigned long long" => "c_ulonglong",
        "size_t" => "usize",
        "float" => "f32",
        "double" => "f64",
        "void" => "c_void",
        vendor => vendor,
    }
    .to_owned()
}

/// Names and numbers whole, string literals whole, everything else one character at a time.
fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ if is_word(first) => rest.find(|next| !is_word(next)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The statement without `extern` and without `__attribute__((...))`.
fn without_attributes<'a>(statement: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut words = statement.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "extern" => {}
            "__attribute__" => {
                let mut depth = 0;
                for inner in words.by_ref() {
                    match inner {
                        "(" => depth += 1,
                        ")" => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            _ => kept.push(word),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(source: &str) -> Vec<String> {
        let declarations = Declarations::parse(source, "status").unwrap();
        declarations.functions.into_iter().flat_map(|function| function.parameters).collect()
    }

    #[test]
    fn pointers_arrays_and_constness_are_written_as_rust_does() {
        for (declared, expected) in [
            ("int n", "c_int"),
            ("unsigned int n", "c_uint"),
            ("unsigned long long n", "c_ulonglong"),
            ("device d", "device"),
            ("const char *name", "*const c_char"),
            ("void **out", "*mut *mut c_void"),
            ("const void **out", "*mut *const c_void"),
            ("const item * const *items", "*const *const item"),
            ("struct item_st* item", "*mut item_st"),
            ("const size_t sizes[]", "*const usize"),
            ("item *list[4]", "*mut *mut item"),
        ] {
            assert_eq!(parameters(&format!("status f({declared});")), [expected], "{declared}");
        }
    }

    #[test]
    fn no_parameters_is_void_or_nothing() {
        assert!(parameters("status f(void); status g();").is_empty());
    }

    #[test]
    fn only_declarations_of_the_result_type_count() {
        let source = r#"
            typedef enum { A = 0, B } mode;
            static inline status helper(int a) { return other(a); }
            int unrelated(int a);
            __attribute__((deprecated("use ; g"))) status f(int a, mode b);
            extern status g(int a);
        "#;
        let declarations = Declarations::parse(source, "status").unwrap();
        let names: Vec<_> = declarations.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["f", "g"]);
        assert_eq!(declarations.functions[0].parameters, ["c_int", "mode"]);
    }

    #[test]
    fn typedefs_are_aliases_and_function_types() {
        let source = "typedef thing_v2 thing; typedef status ( *PFN_f_v3020)(thing *a, int b); typedef int (*cb)(int);";
        let declarations = Declarations::parse(source, "status").unwrap();
        assert_eq!(declarations.aliases["thing"], "thing_v2");
        let expected =
            Function { name: "PFN_f_v3020".into(), parameters: vec!["*mut thing".into(), "c_int".into()] };
        assert_eq!(declarations.function_types, [expected]);
    }

    #[test]
    fn a_nameless_function_pointer_is_an_error_that_shows_it() {
        let error = Declarations::parse("status f(int (*callback)(int));", "status").unwrap_err();
        assert!(format!("{error:#}").contains("callback"), "{error:#}");
    }
}
