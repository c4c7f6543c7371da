//! Enough of Rust's lexical structure to tell code, comments and texts apart.

/// One line of a source file, without comments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The code; a text or character literal is left out except for its quotes.
    pub code: String,
    /// The contents of the text literals that start here.
    texts: Vec<String>,
}

impl Code {
    /// The lines before the tests at the end of the file.
    pub fn product_lines(source: &str) -> Vec<Self> {
        let product = source
            .split("#[cfg(test)]\nmod ")
            .next()
            .unwrap_or_default();
        Lexer::new(product).lines()
    }

    /// The identifiers and keywords.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.code
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }
}

/// The parts of a `snake_case` or `CamelCase` word, in lower case.
pub fn segments(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut after_lower = false;
    for c in word.chars() {
        if c == '_' || (c.is_uppercase() && after_lower) {
            parts.push(String::new());
        }
        if let (Some(part), true) = (parts.last_mut(), c != '_') {
            part.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    parts
}

struct Lexer<'a> {
    rest: &'a str,
    lines: Vec<Code>,
}

impl<'a> Lexer<'a> {
    fn new(source: &'a str) -> Self {
        let lines = vec![Code::default()];
        Self {
            rest: source,
            lines,
        }
    }

    fn lines(mut self) -> Vec<Code> {
        while let Some(next) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.skip(self.rest.find("*/").map_or(self.rest.len(), |at| at + 2));
            } else if let Some((open, close)) = self.text_delimiters() {
                self.text(open, &close);
            } else if let Some(length) = self.character_length() {
                self.skip(length);
            } else {
                self.line().code.push(next);
                self.skip(next.len_utf8());
            }
        }
        self.lines
    }

    fn line(&mut self) -> &mut Code {
        self.lines.last_mut().expect("there is always a line")
    }

    /// Passes over some bytes; each line end in them starts a line.
    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length);
        let ends = skipped.matches('\n').count();
        self.lines.extend(vec![Code::default(); ends]);
        self.rest = rest;
    }

    /// The length of the opening and the text of the closing delimiter, if a text starts here.
    fn text_delimiters(&self) -> Option<(usize, String)> {
        if self.rest.starts_with('"') {
            return Some((1, "\"".to_owned()));
        }
        let hashes = self.rest.strip_prefix('r')?;
        let count = hashes.len() - hashes.trim_start_matches('#').len();
        let is_raw = hashes[count..].starts_with('"') && !self.line_ends_in_word();
        is_raw.then(|| (count + 2, format!("\"{}", "#".repeat(count))))
    }

    fn line_ends_in_word(&self) -> bool {
        let code = self.lines.last().map_or("", |line| &line.code);
        code.ends_with(|c: char| (c.is_alphanumeric() && c != 'b') || c == '_')
    }

    fn text(&mut self, open: usize, close: &str) {
        let body = &self.rest[open..];
        let is_raw = open > 1;
        let mut end = 0;
        while end < body.len() && !body[end..].starts_with(close) {
            let escaped = !is_raw && body[end..].starts_with('\\');
            end += usize::from(escaped);
            end += body[end..].chars().next().map_or(0, char::len_utf8);
        }
        let text = body[..end].to_owned();
        let line = self.line();
        line.texts.push(text);
        line.code.push_str("\"\"");
        self.skip((open + end + close.len()).min(self.rest.len()));
    }

    /// The length of a character literal that starts here; a lifetime is not one.
    fn character_length(&self) -> Option<usize> {
        let body = self.rest.strip_prefix('\'')?;
        let first = body.chars().next()?;
        let from = if first == '\\' { 2 } else { first.len_utf8() };
        let close = body.get(from..)?.find('\'')?;
        (first == '\\' || close == 0).then_some(1 + from + close + 1)
    }
}

#[test]
fn comments_are_left_out_and_texts_are_kept_apart() {
    let lines = Code::product_lines(concat!(
        "let a = \"x // \\\" y\"; // \"z\"\n",
        "/* one\ntwo */ let b: &'static str = r#\"p\"q\"#; let c = ['\"', '\\'', 'd'];\n",
        "#[cfg(test)]\nmod tests {}\n",
    ));
    let shown: Vec<_> = lines
        .iter()
        .map(|line| (line.code.trim(), line.texts().collect::<Vec<_>>()))
        .collect();
    let expected = [
        ("let a = \"\";", vec!["x // \\\" y"]),
        ("", vec![]),
        ("let b: &'static str = \"\"; let c = [, , ];", vec!["p\"q"]),
        ("", vec![]),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn words_are_cut_into_segments() {
    assert_eq!(segments("PythonRow"), ["python", "row"]);
    assert_eq!(segments("TREE_SITTER_GO"), ["tree", "sitter", "go"]);
    assert_eq!(segments("algorithm"), ["algorithm"]);
}
