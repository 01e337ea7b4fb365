//! Builders of worlds for the tests.
