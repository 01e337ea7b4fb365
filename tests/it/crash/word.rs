//! The promise: of the words that hooks leave one is there after a kill, the old one or the new;
//! and whatever a loss of power takes of it, it takes no note, and the next word can be left.

use super::two_notes;
use crate::support::{
    faulty::{FaultyMedium, Image, images},
    notes::{LOG, records, s1, store_on},
};

const WORD: &str = "s1.hooks.json";
const OLD: &[u8] = b"the one before";

fn leave(medium: &FaultyMedium, word: &[u8]) -> bool {
    store_on(medium.clone()).leave_word(&s1(), |_| Some(word.to_vec())).is_ok()
}

fn word(medium: &FaultyMedium) -> Option<Vec<u8>> {
    store_on(medium.clone()).word(&s1()).expect("it can be read")
}

/// A disk with two notes and, if one is given, a word, of which another was left up to the `k`th
/// operation; and whether that came to its end.
fn left_up_to(k: usize, before: Option<&[u8]>) -> (FaultyMedium, bool) {
    let mut files = Image::from([(LOG.to_owned(), two_notes())]);
    files.extend(before.map(|word| (WORD.to_owned(), word.to_vec())));
    let medium = FaultyMedium::holding(&files);
    medium.freeze_at(k);
    let is_left = leave(&medium, b"new");
    (medium, is_left)
}

#[test]
fn the_old_one_or_the_new_one_is_there_after_a_kill_at_any_moment() {
    for before in [None, Some(OLD)] {
        let mut new = 0;
        for k in 0.. {
            let (medium, is_left) = left_up_to(k, before);
            let medium = medium.after_kill();
            let found = word(&medium);
            let is_new = found.as_deref() == Some(b"new");
            assert!(is_new || !is_left && found.as_deref() == before, "{k}: {found:?}");
            assert_eq!(records(&store_on(medium.clone())), ["one", "two"], "{k}");
            assert!(leave(&medium, b"next"), "{k}: nothing is in the way");
            assert_eq!(word(&medium).as_deref(), Some(&b"next"[..]), "{k}");
            new += usize::from(is_new);
            if new > 2 {
                break; // it was there before the end, and after it
            }
        }
    }
}

#[test]
fn a_loss_of_power_costs_the_word_at_most() {
    let mut found = [0; 3];
    for k in 0.. {
        let (medium, is_left) = left_up_to(k, Some(OLD));
        images(&medium.disk(), WORD, &mut |image| {
            let medium = FaultyMedium::holding(image);
            assert_eq!(records(&store_on(medium.clone())), ["one", "two"], "{k}: {image:?}");
            let which = match word(&medium).as_deref() {
                Some(OLD) => 0,
                Some(b"new") => 1,
                _ => 2, // none, or a part, which is no JSON
            };
            found[which] += 1;
            assert!(leave(&medium, b"next"), "{k}: nothing is in the way");
            assert_eq!(word(&medium).as_deref(), Some(&b"next"[..]), "{k}");
        });
        if is_left {
            break;
        }
    }
    assert!(found.iter().all(|images| *images > 0), "{found:?}");
}
