//! Builds, links, runs and reads back real programs.
