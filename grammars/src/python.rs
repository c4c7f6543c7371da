//! What Python says about its files before they are parsed: the encoding cookie of PEP 263.

/// The label in the encoding cookie: a comment in line 1, or in line 2 after a line without code.
pub(crate) fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|&byte| byte == b'\n' || byte == b'\r');
    let first = lines.next()?;
    if let Some(label) = cookie(first) {
        return Some(label);
    }
    let follows_code = comment_text(first).is_none() && !first.iter().all(|&byte| is_blank(byte));
    // A CRLF leaves an empty piece between the two line ends.
    let second = match lines.next()? {
        [] if bytes.get(first.len()..first.len() + 2) == Some(b"\r\n") => lines.next()?,
        line => line,
    };
    if follows_code { None } else { cookie(second) }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0c')
}

fn comment_text(line: &[u8]) -> Option<&[u8]> {
    let start = line.iter().position(|&byte| !is_blank(byte))?;
    line.get(start..)?.strip_prefix(b"#")
}

/// `# …coding[:=] *LABEL`
fn cookie(line: &[u8]) -> Option<String> {
    let comment = comment_text(line)?;
    (0..comment.len()).find_map(|at| label_after_keyword(comment.get(at..)?))
}

fn label_after_keyword(text: &[u8]) -> Option<String> {
    let rest = text.strip_prefix(b"coding")?;
    let rest = rest
        .strip_prefix(b":")
        .or_else(|| rest.strip_prefix(b"="))?;
    let label: String = rest
        .iter()
        .skip_while(|&&byte| byte == b' ' || byte == b'\t')
        .take_while(|&&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        .map(|&byte| char::from(byte))
        .collect();
    (!label.is_empty()).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], label: Option<&str>) {
        assert_eq!(declared_encoding(text).as_deref(), label);
    }

    #[test]
    fn the_cookie_may_stand_in_the_first_two_lines() {
        check(b"# -*- coding: latin-1 -*-\n", Some("latin-1"));
        check(
            b"#!/usr/bin/python\r\n# vim: set fileencoding=cp1252 :\r\n",
            Some("cp1252"),
        );
        check(b"\n# coding=koi8-r", Some("koi8-r"));
        check(b"\n\n# coding=koi8-r", None);
    }

    #[test]
    fn a_second_line_after_code_is_no_cookie() {
        check(b"import a\n# coding: latin-1\n", None);
        check(b"x = 'coding: latin-1'\n", None);
    }
}
