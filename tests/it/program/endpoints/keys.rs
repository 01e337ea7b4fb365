//! The key goes into one header and shows nowhere; what is no secret changes no note.

use serde_json::json;

use super::loopback::{KEY, NOTE, ask, asking, chat, endpoint, http, ok, outcome, world};
use crate::support::world::Ran;

#[test]
fn a_key_that_an_endpoint_names_shows_nowhere_wherever_its_words_are_cut() {
    for status in ["401 Unauthorized", "200 OK"] {
        for before in (400 - KEY.len() - 1)..=401 {
            let echo = format!("{}{KEY} is no key", "-".repeat(before));
            let (url, _requests) = endpoint(vec![http(status, "", &echo)]);
            let ran = ask(&world(), &(url + "/chat/completions"), &[]).ends(1);
            assert_eq!(outcome(&ran)["outcome"], "call_failed", "{ran}");
            assert!(!format!("{ran}").contains(&KEY[..4]), "{status}, {before}: {ran}");
        }
    }
}

#[test]
fn an_endpoint_that_says_the_key_is_not_believed_to_mean_it() {
    let (url, _requests) = endpoint(vec![ok(&chat(&json!(format!("{NOTE}; {KEY}"))))]);
    let world = world();
    outcome(&ask(&world, &(url + "/chat/completions"), &[]).ends(0));
    let stored = world.run(&["show", "s1"]).quietly();
    assert_eq!(stored.stdout(), format!("{NOTE}; (the key)"));
}

#[test]
fn a_key_is_the_same_with_white_space_round_it() {
    let (url, requests) = endpoint(vec![ok(&chat(&json!(format!("{NOTE}; {KEY}"))))]);
    let (world, url) = (world(), url + "/chat/completions");
    let ran = Ran::of(&mut asking(&world, &url, &format!("  {KEY}\n"), &[])).ends(0);
    assert_eq!(outcome(&ran)["outcome"], "stored", "{ran}");
    let (head, _) = requests.recv().expect("a request");
    assert!(head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{head}");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), format!("{NOTE}; (the key)"));
}

#[test]
fn a_word_that_a_local_server_takes_for_a_key_stays_in_the_note() {
    let fifteen = "not-needed-here";
    for key in ["none", "test", "EMPTY", fifteen] {
        let note = format!("{NOTE}: {key} of the tests failed");
        let (url, _requests) = endpoint(vec![ok(&chat(&json!(note))), ok(&chat(&json!(key)))]);
        let (one, other, url) = (world(), world(), url + "/chat/completions");
        Ran::of(&mut asking(&one, &url, key, &[])).ends(0);
        assert_eq!(one.run(&["show", "s1"]).quietly().stdout(), note);
        let ran = Ran::of(&mut asking(&other, &url, key, &[]));
        let expected = if key == "none" { "opted_out" } else { "too_short" };
        assert_eq!(outcome(&ran)["outcome"], expected, "{ran}");
    }
}

/// In JSON a slash may be escaped, as PHP does.
#[test]
fn a_key_that_is_named_with_escapes_shows_nowhere_either() {
    let key = "sk/secret/0123456789";
    let echo = format!("{{\"error\":\"no such key: {}\"}}", key.replace('/', "\\/"));
    let (url, _requests) = endpoint(vec![http("401 Unauthorized", "", &echo)]);
    let ran = Ran::of(&mut asking(&world(), &(url + "/chat/completions"), key, &[])).ends(1);
    assert!(ran.stdout().contains("no such key: (the key)"), "{ran}");
}

#[test]
fn a_key_of_16_bytes_is_a_secret() {
    let sixteen = "sk-0123456789abc";
    let (url, _requests) = endpoint(vec![ok(&chat(&json!(format!("{NOTE}; {sixteen}"))))]);
    let (world, url) = (world(), url + "/chat/completions");
    Ran::of(&mut asking(&world, &url, sixteen, &[])).ends(0);
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), format!("{NOTE}; (the key)"));
}

#[test]
fn a_short_key_goes_where_it_stands_by_itself_and_garbles_no_other_word() {
    let echo = "the key no is not known; (no): nothing else is no key";
    let (url, _requests) = endpoint(vec![http("401 Unauthorized", "", echo)]);
    let ran = Ran::of(&mut asking(&world(), &(url + "/chat/completions"), "no", &[])).ends(1);
    let said = "the key (the key) is not known; ((the key)): nothing else is (the key) key";
    assert!(ran.stdout().contains(said), "{ran}");
}
