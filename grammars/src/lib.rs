//! Languages: from the bytes of a source file to a syntax tree and typed captures.
