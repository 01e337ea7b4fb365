//! Marks of which no two are the same.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Returns a mark that nobody can have written down before: every hasher begins with random keys.
pub(super) fn nonce() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
