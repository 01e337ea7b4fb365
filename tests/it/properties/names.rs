//! A session's name leads to a file of its own, in the store's folder.

use graff_notes::session::SessionName;

/// The longest suffix that a file beside the log carries, in bytes, with room for a temporary name.
const SUFFIX_BYTES_MAX: usize = 35;

/// What a name is made into is a plain name of a file, and leads back to it.
#[track_caller]
pub(crate) fn assert_safe(name: &SessionName) {
    let stem = name.stem();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-%".contains(&b);
    assert!(stem.bytes().all(plain), "{name:?} has a sign outside the alphabet");
    assert!(!stem.starts_with('.') && !stem.ends_with('.'), "{name:?} is hidden or loses a dot");
    assert!(stem.len() + SUFFIX_BYTES_MAX <= 255, "{name:?} is too long for a file");
    assert_eq!(SessionName::from_stem(stem).as_ref(), Some(name));
}

/// Any two texts are names of two files, or of one where they are one, or refused; and any text
/// is a stem of one name or of none.
pub(crate) fn two_names_never_share_a_stem(input: &[u8]) {
    let (a, b) = super::halves(input);
    let [a, b] = [a, b].map(|name| SessionName::parse(&String::from_utf8_lossy(name)).ok());
    for name in [&a, &b].into_iter().flatten() {
        assert_safe(name);
    }
    if let (Some(a), Some(b)) = (a, b) {
        assert_eq!(a == b, a.stem() == b.stem(), "{a:?} and {b:?}");
    }
    let stem = String::from_utf8_lossy(input);
    if let Some(name) = SessionName::from_stem(&stem) {
        assert_eq!(name.stem(), stem);
    }
}
