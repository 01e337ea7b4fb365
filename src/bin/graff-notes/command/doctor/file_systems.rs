//! What the number says that the kernel gives a file system: whether its locks and syncs are those
//! of a disk in this machine. Whose number it is, is not known here.

/// What is known of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSystem {
    /// It is on a disk of this machine.
    Local {
        /// What it is called.
        name: &'static str,
    },
    /// It promises less than that.
    Weak {
        /// What it is called.
        name: &'static str,
        /// What it doesn't promise.
        why: &'static str,
    },
    /// Nothing.
    Unknown,
}

/// File systems that promise less than a disk in this machine: their numbers, names, and why.
const WEAK: [(i64, &str, &str); 7] = [
    (0x6969, "nfs", NETWORK),
    (0x517B, "smb", NETWORK),
    (0xFF53_4D42, "cifs", NETWORK),
    (0xFE53_4D42, "smb2", NETWORK),
    (0x0102_1997, "9p", NETWORK),
    (0x0102_1994, "tmpfs", "a restart of the machine empties it"),
    (0x6573_5546, "fuse", "whether it keeps what it was told to sync depends on its program"),
];

/// File systems on disks of this machine: their numbers and names.
///
/// Source: `linux/magic.h`.
const LOCAL: [(i64, &str); 10] = [
    (0xEF53, "ext2/ext3/ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683E, "btrfs"),
    (0x2FC1_2FC1, "zfs"),
    (0xCA45_1A4E, "bcachefs"),
    (0xF2F5_2010, "f2fs"),
    (0x3153_464A, "jfs"),
    (0x5265_4973, "reiserfs"),
    (0xF15F, "ecryptfs"),
    (0x794C_7630, "overlayfs"),
];

const NETWORK: &str = "its locks and syncs depend on a server";

impl FileSystem {
    /// Returns what is known of the file system with this number.
    pub(super) fn of(number: i64) -> Self {
        let weak = WEAK.iter().find(|(weak, ..)| *weak == number);
        let local = LOCAL.iter().find(|(local, _)| *local == number);
        match (weak, local) {
            (Some(&(_, name, why)), _) => Self::Weak { name, why },
            (None, Some(&(_, name))) => Self::Local { name },
            (None, None) => Self::Unknown,
        }
    }
}
