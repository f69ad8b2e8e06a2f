//! PTX text: the kernels that it defines with their parameters, and its variables.

use cuda_sys::CUresult;

use super::{BadImage, Image, KernelSpec, Parameter, Variable};

/// Reads a text.
pub(super) fn parse(text: &str) -> Result<Image, BadImage> {
    let tokens = tokens(text);
    if !tokens.contains(&".version") {
        return Err(CUresult::INVALID_PTX.into());
    }
    let mut image = Image::default();
    let mut statement: Vec<&str> = Vec::new();
    let mut depth = 0_u32;
    for token in tokens {
        match token {
            "{" => {
                if depth == 0 {
                    take_in(&mut image, &statement);
                    statement.clear();
                }
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ";" => {
                take_in(&mut image, &statement);
                statement.clear();
            }
            _ => statement.push(token),
        }
    }
    Ok(image)
}

/// Words and single signs, without comments and quoted names.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let token = &rest[..length];
        if is_word(first) || (length == 1 && !first.is_whitespace()) {
            tokens.push(token);
        }
        rest = &rest[length..];
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.')
}

/// Takes in what a statement of the outermost level defines. Directives such as `.version` end without a sign, so they
/// may come before it.
fn take_in(image: &mut Image, statement: &[&str]) {
    let after = |word: &str| statement.iter().position(|token| *token == word).map(|at| &statement[at + 1..]);
    if let Some([name, rest @ ..]) = after(".entry") {
        let parameters = parameters(rest);
        image.kernels.push(KernelSpec { parameters: Some(parameters), ..KernelSpec::named(name) });
    } else if after(".extern").is_some() && statement.contains(&".func") && statement.contains(&"malloc") {
        image.needs_heap = true;
    } else if after(".func").is_none()
        && after(".extern").is_none()
        && let Some(rest) = after(".global").or_else(|| after(".const"))
        && let Some((name, bytes, _)) = declared(rest)
    {
        image.variables.push(Variable { name: name.to_owned(), bytes, contents: Vec::new() });
    }
}

/// The parameters in the first parentheses.
fn parameters(tokens: &[&str]) -> Vec<Parameter> {
    let end = tokens.iter().position(|token| *token == ")").unwrap_or(0);
    let inside = if tokens.first() == Some(&"(") { &tokens[1..end.max(1)] } else { &[] };
    let declared = inside.split(|token| *token == ",").filter_map(declared);
    Parameter::in_order(declared.map(|(_, size, alignment)| (size, alignment)))
}

/// Name, size and alignment of what `.align 8 .b8 name[24]` and the like declare.
fn declared<'a>(tokens: &[&'a str]) -> Option<(&'a str, usize, usize)> {
    let (at, element) = tokens.iter().enumerate().find_map(|(at, token)| Some((at, size_of(token)?)))?;
    let before = &tokens[..at];
    let aligned =
        before.iter().position(|token| *token == ".align").and_then(|at| before.get(at + 1)?.parse().ok());
    let is_name =
        |token: &&&str| token.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%'));
    let name = tokens[at + 1..].iter().find(is_name)?;
    let rest = &tokens[at + 1..];
    let value = rest.iter().position(|token| *token == "=").unwrap_or(rest.len());
    let counts = rest[..value].windows(3).filter(|three| three[0] == "[" && three[2] == "]");
    let count = counts.map(|three| three[1].parse().unwrap_or(1)).product::<usize>();
    Some((name, element.checked_mul(count)?.max(1), aligned.unwrap_or(element)))
}

/// Bytes of a fundamental type.
fn size_of(token: &str) -> Option<usize> {
    match token {
        ".pred" => Some(1),
        ".f16x2" | ".bf16x2" => Some(4),
        _ => {
            let bits =
                token.strip_prefix('.')?.trim_start_matches("bf").trim_start_matches(['b', 'u', 's', 'f']);
            bits.parse::<usize>()
                .ok()
                .filter(|bits| matches!(bits, 8 | 16 | 32 | 64 | 128))
                .map(|bits| bits / 8)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
// .entry not_this()
.version 8.4
.target sm_90, debug
.address_size 64
/* .visible .entry nor_this() {} */
.file 1 "a.cu;{"
.extern .global .u32 elsewhere;
.visible .global .align 4 .b8 table[12] = {1, 2, 3, 4};
.const .u64 limit = 5;
.visible .func (.param .b32 r) helper(.param .b64 p) { .reg .b32 %r<2>; ret; }
.visible .entry _Z3addPfi(
	.param .u64 .ptr .global .align 16 _Z3addPfi_param_0,
	.param .u32 _Z3addPfi_param_1,
	.param .align 8 .b8 _Z3addPfi_param_2[24]
)
.maxntid 256, 1, 1
{
	.local .align 8 .b8 depot[8];
	{ bra L; }
L:	ret;
}
.entry plain { ret; }
"#;

    #[test]
    fn kernels_are_those_that_the_text_defines() {
        let image = parse(TEXT).unwrap();
        let names: Vec<_> = image.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["_Z3addPfi", "plain"]);
        let placed = |offset, size| Parameter { offset, size };
        assert_eq!(image.kernels[0].parameters, Some(vec![placed(0, 8), placed(8, 4), placed(16, 24)]));
        assert_eq!(image.kernels[1].parameters, Some(vec![]));
    }

    #[test]
    fn variables_are_those_that_have_memory_here() {
        let image = parse(TEXT).unwrap();
        let found: Vec<_> = image.variables.iter().map(|one| (one.name.as_str(), one.bytes)).collect();
        assert_eq!(found, [("table", 12), ("limit", 8)]);
    }

    #[test]
    fn a_text_without_a_version_is_no_ptx() {
        assert_eq!(parse("hello").unwrap_err().code, CUresult::INVALID_PTX);
        assert_eq!(parse("").unwrap_err().code, CUresult::INVALID_PTX);
    }
}
