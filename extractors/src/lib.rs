//! Extractors: pure functions from a snapshot and options to artefacts.
