//! The harness: everything that runs foreign code or writes task directories.
