//! The language server: the same knowledge as the command line, served to editors.
