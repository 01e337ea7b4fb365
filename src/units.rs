//! The units that figures are kept in, each its own type, with arithmetic that cannot wrap.
//!
//! A bare number never crosses a public border here: tokens, bytes and calls do not mix by
//! accident, and addition and subtraction saturate instead of wrapping or panicking.

use std::{fmt, num::NonZeroU64};

use serde::{Deserialize, Serialize, Serializer};

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// The greatest value.
            pub const MAX: Self = Self(u64::MAX);

            /// Returns the value that stands for `n`.
            #[must_use]
            pub const fn new(n: u64) -> Self {
                Self(n)
            }

            /// Returns the bare number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }

            /// Returns the sum, or [`MAX`](Self::MAX) where it would not fit.
            #[must_use]
            pub const fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }

            /// Returns the difference, or zero where `other` is greater.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl From<u64> for $name {
            fn from(n: u64) -> Self {
                Self(n)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

unit! {
    /// Tokens, as the model's provider counts them.
    Tokens
}
unit! {
    /// Bytes of UTF-8 text or of a file.
    Bytes
}
unit! {
    /// Model calls.
    Calls
}
unit! {
    /// How many times a session's history has been rewritten.
    ///
    /// Every rollover and every emergency trim adds 1; a resumed session goes on from the greatest
    /// generation on record.
    Generation
}
unit! {
    /// The number of a record within its log, from 1, given under the lock.
    Seq
}
unit! {
    /// Milliseconds since the Unix epoch.
    Timestamp
}

impl Calls {
    /// Writes how many calls are left: null where there is [no limit](Self::MAX).
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
    pub(crate) fn serialize_left<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Some(*self).filter(|left| *left < Self::MAX).serialize(to)
    }
}

impl Bytes {
    /// Returns the length of `text` in bytes.
    #[must_use]
    pub const fn of(text: &str) -> Self {
        Self(text.len() as u64)
    }
}

/// How many bytes of text stand for one token where the provider reported no usage: at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BytesPerToken(NonZeroU64);

impl BytesPerToken {
    /// One byte a token: the ratio that never takes a history for smaller than it is.
    pub const ONE: Self = Self(NonZeroU64::MIN);

    /// Returns the ratio of `bytes` to one token, or `None` for 0.
    #[must_use]
    pub const fn new(bytes: u64) -> Option<Self> {
        match NonZeroU64::new(bytes) {
            Some(bytes) => Some(Self(bytes)),
            None => None,
        }
    }

    /// Returns the bare number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

impl Default for BytesPerToken {
    fn default() -> Self {
        Self::ONE
    }
}

impl Tokens {
    /// Returns the bytes that stand for these tokens, or [`Bytes::MAX`] where they would not fit.
    #[must_use]
    pub const fn to_bytes(self, ratio: BytesPerToken) -> Bytes {
        Bytes(self.0.saturating_mul(ratio.get()))
    }
}

impl Bytes {
    /// Returns the tokens that these bytes stand for, a part of one counted whole.
    #[must_use]
    pub const fn to_tokens(self, ratio: BytesPerToken) -> Tokens {
        Tokens(self.0.div_ceil(ratio.get()))
    }
}

impl Calls {
    /// Returns how many of these calls may be spent where the last `reserve` of them are held back:
    /// [`MAX`](Self::MAX), which stands for no limit, has no last ones.
    pub(crate) const fn above(self, reserve: Self) -> Self {
        if self.0 == u64::MAX { self } else { self.saturating_sub(reserve) }
    }

    /// Returns whether `cost` calls can be had of these on top of the `reserve` that is held back.
    ///
    /// It is the one place where that line is drawn: whoever asks on which side of it a note
    /// stands, or where it is, asks here.
    pub(crate) const fn cover(self, cost: Self, reserve: Self) -> bool {
        self.above(reserve).0 >= cost.0
    }

    /// Returns the least number of calls, up to these, for which `is_enough` holds; `None` where
    /// not even these are.
    ///
    /// What is enough once must be enough with more: it is found by halving.
    pub(crate) fn least(self, is_enough: impl Fn(Self) -> bool) -> Option<Self> {
        let (mut least, mut enough) = (0, self.0);
        while least < enough {
            let middle = least.midpoint(enough);
            if is_enough(Self(middle)) {
                enough = middle;
            } else {
                least = middle + 1;
            }
        }
        Some(Self(least)).filter(|least| is_enough(*least))
    }
}

/// Calls that are not [covered](Calls::cover), in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uncovered {
    pub(crate) remaining: Calls,
    pub(crate) reserve: Calls,
    pub(crate) cost: Calls,
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { remaining, reserve, cost } = self;
        let one = Calls::new(1);
        let left = if *remaining == one { "call is" } else { "calls are" };
        let held = if *reserve == one { "is" } else { "are" };
        let fit = if *cost == one { "does" } else { "do" };
        write!(f, "{remaining} {left} left and {reserve} {held} held back: {cost} {fit} not fit")
    }
}

impl Generation {
    /// Returns the generation after this one; the last one has no successor but itself.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl Seq {
    /// Returns the number after this one; the last one has no successor but itself.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl Timestamp {
    /// Returns the time in UTC, to the second; it prints as RFC 3339 has it.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::units::Timestamp;
    ///
    /// assert_eq!(Timestamp::new(951_782_399_999).utc().to_string(), "2000-02-28T23:59:59Z");
    /// ```
    #[must_use]
    pub const fn utc(self) -> Utc {
        Utc(self)
    }
}

/// A time that prints as a date and a time of day in UTC, to the second.
///
/// It follows RFC 3339 up to the year 9999, and has more digits for the year after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utc(Timestamp);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.get() / 1_000;
        let (year, month, day) = civil_date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        if year > 9_999 {
            return write!(f, "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
        }
        let digit = |value: u64| b'0' + (value % 10) as u8;
        let tens = |value: u64| digit(value / 10);
        // A listing shows thousands, and this takes a tenth of what widths in a format do.
        #[rustfmt::skip]
        let text = [
            digit(year / 1_000), digit(year / 100), tens(year), digit(year), b'-',
            tens(month), digit(month), b'-', tens(day), digit(day), b'T',
            tens(hour), digit(hour), b':', tens(minute), digit(minute), b':',
            tens(second), digit(second), b'Z',
        ];
        f.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

/// Returns year, month and day of the Gregorian calendar, `days` after 1970-01-01.
///
/// It counts in years that begin on 1 March, so that the leap day is a year's last, and in eras of
/// 400 years, which all have the same number of days.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
const fn civil_date(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_EPOCH: u64 = 719_468; // from 0000-03-01
    const DAYS_OF_ERA: u64 = 146_097;
    let days = days + DAYS_TO_EPOCH;
    let (era, of_era) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let (month, next_year) =
        if month_from_march < 10 { (month_from_march + 3, 0) } else { (month_from_march - 9, 1) };
    (era * 400 + year_of_era + next_year, month, day)
}
