//! Every image that a disk may hold after a loss of power.
//!
//! What was not synced may be there or not, each thing by itself: an entry in a folder, a cut, a
//! write. Of a write there may be any first part; the file may have its full length with zeros in
//! place of any last part, or of any first part, or of a part in the middle.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::disk::{Change, Disk, File, Inode};

/// The files of an image, by name; empty where the folder itself is lost.
pub(crate) type Image = BTreeMap<String, Vec<u8>>;

/// The file that keeps a store out of version control.
pub(crate) const IGNORE: &str = ".gitignore";

/// How finely the writes to a file are taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grain {
    /// Every choice of the changes; of the last write every byte.
    Fine,
    /// Every first part of the changes; of the last one nothing, a half, zeros, all.
    Coarse,
    /// What programs saw last: nobody ever reads that file.
    Irrelevant,
}

/// Up to so many unsynced changes, every choice of them is an image; of more, every first part.
const CHOICES_MAX: usize = 6;

/// Hands every image of `disk` to `visit`, some more than once; `focus` is the name of the log,
/// whose writes are taken apart byte by byte.
pub(crate) fn images(disk: &Disk, focus: &str, visit: &mut dyn FnMut(&Image)) {
    let may_be_lost = [disk.graff, disk.notes].iter().any(|folder| !folder.is_durable);
    let is_there = disk.graff.is_there && disk.notes.is_there;
    if may_be_lost || !is_there {
        visit(&Image::new());
    }
    if !is_there {
        return;
    }
    for names in names(disk) {
        let mut contents = Vec::new();
        for (name, inode) in &names {
            let grain = match name {
                name if name == focus => Grain::Fine,
                name if name.ends_with(".rejected") || name == IGNORE => Grain::Coarse,
                _ => Grain::Irrelevant,
            };
            contents.push((name.as_str(), contents_of(&disk.files[*inode], grain)));
        }
        combine(&contents, &mut Image::new(), visit);
    }
}

/// The image that holds nothing but what is durable for certain.
pub(crate) fn least(disk: &Disk) -> Image {
    if !(disk.graff.is_durable && disk.notes.is_durable) {
        return Image::new();
    }
    let file = |inode: &Inode| {
        let file = &disk.files[*inode];
        let mut bytes = file.settled.clone();
        for range in &file.lost {
            zero(&mut bytes, range.start, range.end);
        }
        bytes
    };
    disk.durable_names.iter().map(|(name, inode)| (name.clone(), file(inode))).collect()
}

fn combine(
    contents: &[(&str, BTreeSet<Vec<u8>>)],
    image: &mut Image,
    visit: &mut dyn FnMut(&Image),
) {
    let Some(((name, choices), rest)) = contents.split_first() else { return visit(image) };
    for bytes in choices {
        image.insert((*name).to_owned(), bytes.clone());
        combine(rest, image, visit);
    }
}

/// What the folder may list.
fn names(disk: &Disk) -> BTreeSet<BTreeMap<String, Inode>> {
    let mut possible = BTreeSet::new();
    for choice in choices(disk.renamings.len()) {
        let mut names = disk.durable_names.clone();
        for (renaming, happened) in disk.renamings.iter().zip(choice) {
            if happened {
                renaming.apply(&mut names);
            }
        }
        possible.insert(names);
    }
    possible
}

/// What a file may hold.
fn contents_of(file: &File, grain: Grain) -> BTreeSet<Vec<u8>> {
    if grain == Grain::Irrelevant {
        return BTreeSet::from([file.live.clone()]);
    }
    let n = file.pending.len();
    let choices = if grain == Grain::Fine { choices(n) } else { first_parts(n) };
    let last_write = file.pending.iter().rposition(|c| matches!(c, Change::Write { .. }));
    let mut possible = BTreeSet::new();
    for settled in with_lost(file) {
        for choice in &choices {
            let mut so_far = BTreeSet::from([settled.clone()]);
            for (i, change) in file.pending.iter().enumerate().filter(|(i, _)| choice[*i]) {
                let grain = if Some(i) == last_write { grain } else { Grain::Coarse };
                so_far = so_far.iter().flat_map(|bytes| applied(bytes, change, grain)).collect();
            }
            possible.append(&mut so_far);
        }
    }
    possible
}

/// What was made durable, with each way in which a failed sync may have lost a part of it.
fn with_lost(file: &File) -> Vec<Vec<u8>> {
    let mut possible = vec![file.settled.clone()];
    for range in &file.lost {
        let middle = range.start.midpoint(range.end);
        for (from, to) in [(range.start, range.end), (range.start, middle), (middle, range.end)] {
            let mut bytes = file.settled.clone();
            zero(&mut bytes, from, to);
            possible.push(bytes);
        }
    }
    possible
}

/// Every choice of `n` things, or every first part where that would be too many.
fn choices(n: usize) -> Vec<Vec<bool>> {
    if n > CHOICES_MAX {
        return first_parts(n);
    }
    (0..1_usize << n).map(|bits| (0..n).map(|i| bits >> i & 1 == 1).collect()).collect()
}

fn first_parts(n: usize) -> Vec<Vec<bool>> {
    (0..=n).map(|happened| (0..n).map(|i| i < happened).collect()).collect()
}

fn applied(before: &[u8], change: &Change, grain: Grain) -> Vec<Vec<u8>> {
    match change {
        Change::Cut(len) => {
            let mut bytes = before.to_vec();
            bytes.resize(*len, 0);
            vec![bytes]
        }
        Change::Write { at, bytes } => written(before, *at, bytes, grain),
        Change::Rewrite { at, bytes, .. } => rewritten(before, *at, bytes),
    }
}

/// What a file may hold after a write of which only a part came to the disk.
fn written(before: &[u8], at: usize, bytes: &[u8], grain: Grain) -> Vec<Vec<u8>> {
    let n = bytes.len();
    let steps: Vec<usize> = match grain {
        Grain::Fine => (0..=n).collect(),
        Grain::Coarse | Grain::Irrelevant => vec![0, n / 2, n],
    };
    let mut whole = before.to_vec();
    whole.resize(at + n, 0);
    whole[at..].copy_from_slice(bytes);
    let holed = |from: usize, to: usize| {
        let mut bytes = whole.clone();
        zero(&mut bytes, at + from, at + to);
        bytes
    };
    let mut possible = Vec::new();
    for k in steps {
        possible.push(whole[..at + k].to_vec());
        possible.push(holed(k, n));
        possible.push(holed(0, k));
    }
    if grain == Grain::Fine {
        let ticks: Vec<usize> = (1..8).map(|i| i * n / 8).collect();
        for (i, from) in ticks.iter().enumerate() {
            possible.extend(ticks[i + 1..].iter().map(|to| holed(*from, *to)));
        }
    }
    possible
}

/// What a file may hold after a write in place of which only a part came to the disk.
fn rewritten(before: &[u8], at: usize, bytes: &[u8]) -> Vec<Vec<u8>> {
    let n = bytes.len();
    let mut old = before.to_vec();
    old.resize(old.len().max(at + n), 0);
    let parts = [0..0, 0..n / 2, n / 2..n, 0..n];
    let with = |part: Range<usize>| {
        let mut new = old.clone();
        new[at + part.start..at + part.end].copy_from_slice(&bytes[part]);
        new
    };
    parts.into_iter().map(with).collect()
}

fn zero(bytes: &mut [u8], from: usize, to: usize) {
    let to = to.min(bytes.len());
    if let Some(hole) = bytes.get_mut(from..to) {
        hole.fill(0);
    }
}
