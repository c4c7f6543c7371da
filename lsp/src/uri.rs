//! File URIs and paths. Compared are paths, never URIs: clients write the same file in several ways.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use gen_lsp_types::Uri;

/// The path that a `file` URI names; `None` for any other scheme.
pub fn to_path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix("file://")?;
    // What stands before the first slash is a host: only this one has files.
    let at = rest.find('/')?;
    let (host, path) = rest.split_at(at);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
    is_here.then(|| PathBuf::from(OsString::from_vec(decode(path.as_bytes()))))
}

/// The URI of an absolute path.
pub fn of_path(path: &Path) -> Uri {
    let mut uri = "file://".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    Uri(uri)
}

fn decode(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match (byte, digit(text.get(at + 1)), digit(text.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(16 * high + low).unwrap_or_default());
                at += 3;
            }
            _ => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_from_its_uri_however_it_is_written() {
        for path in ["/a/b.py", "/with space/ü+#?.py", "/100%/x"] {
            assert_eq!(to_path(&of_path(Path::new(path))).unwrap(), Path::new(path));
        }
        let read = |text: &str| to_path(&Uri(text.to_owned()));
        assert_eq!(read("file:///a%20b").unwrap(), Path::new("/a b"));
        assert_eq!(read("file://localhost/a").unwrap(), Path::new("/a"));
        assert_eq!(read("file:///a%2"), Some(PathBuf::from("/a%2")));
        assert_eq!(read("untitled:one"), None);
        assert_eq!(read("file://elsewhere/a"), None);
    }
}
