//! Moments as text, as logs have them.

use std::time::{SystemTime, UNIX_EPOCH};

/// The first second of the year 0 and the last one of the year 9999, which is all that the text can say.
const RANGE: (i64, i64) = (-62_167_219_200, 253_402_300_799);
const SECONDS_A_DAY: i64 = 24 * 60 * 60;
/// 400 years, after which days and years begin to repeat.
const DAYS_AN_ERA: i64 = 146_097;

/// A moment by the Coordinated Universal Time, as in `2026-01-02T03:04:05.678Z`, with this many decimals of
/// the seconds (at most 9). Any clock will do: boards without a battery begin in 1970 or long before. What
/// is beyond the years 0 to 9999 is the end of that.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let moment = UNIX_EPOCH + Duration::from_millis(1_767_323_045_678);
/// assert_eq!(protocol::timestamp(moment, 3), "2026-01-02T03:04:05.678Z");
/// let before = UNIX_EPOCH - Duration::from_millis(1);
/// assert_eq!(protocol::timestamp(before, 3), "1969-12-31T23:59:59.999Z");
/// ```
pub fn timestamp(moment: SystemTime, decimals: usize) -> String {
    let (seconds, nanos) = since_1970(moment);
    let (day, second) = (
        seconds.div_euclid(SECONDS_A_DAY),
        seconds.rem_euclid(SECONDS_A_DAY),
    );
    let (year, month, day) = date(day);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if decimals > 0 {
        let fraction = format!("{nanos:09}");
        text.push('.');
        text.push_str(&fraction[..decimals.min(9)]);
    }
    text.push('Z');
    text
}

/// Seconds and nanoseconds since 1970; the seconds are negative before that, the nanoseconds never.
fn since_1970(moment: SystemTime) -> (i64, u32) {
    let whole = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX);
    let (seconds, nanos) = match moment.duration_since(UNIX_EPOCH) {
        Ok(after) => (whole(after.as_secs()), after.subsec_nanos()),
        Err(error) => {
            let before = error.duration();
            match before.subsec_nanos() {
                0 => (-whole(before.as_secs()), 0),
                nanos => (-whole(before.as_secs()) - 1, 1_000_000_000 - nanos),
            }
        }
    };
    (seconds.clamp(RANGE.0, RANGE.1), nanos)
}

/// Year, month and day of a day, counted from 1970. Years begin in March here, so that a leap day is the
/// last one of a year.
fn date(day: i64) -> (i64, i64, i64) {
    // Days since 0000-03-01.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(DAYS_AN_ERA), day.rem_euclid(DAYS_AN_ERA));
    let leap_days = day / 1460 - day / 36_524 + day / 146_096;
    let year = (day - leap_days) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let month_of_year = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + i64::from(month_of_year <= 2);
    (year, month_of_year, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(seconds: i64) -> String {
        let distance = Duration::from_secs(seconds.unsigned_abs());
        timestamp(
            if seconds < 0 {
                UNIX_EPOCH - distance
            } else {
                UNIX_EPOCH + distance
            },
            0,
        )
    }

    #[test]
    fn moments_have_their_dates_before_1970_as_well() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (-315_619_200, "1960-01-01T00:00:00Z"),
            (-2_208_988_800, "1900-01-01T00:00:00Z"),
            (RANGE.0, "0000-01-01T00:00:00Z"),
            (RANGE.1, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(at(seconds), text);
        }
        let far = UNIX_EPOCH + Duration::from_secs(1 << 50);
        assert_eq!(timestamp(far, 3), "9999-12-31T23:59:59.000Z");
        let long_ago = UNIX_EPOCH - Duration::from_secs(1 << 50);
        assert_eq!(timestamp(long_ago, 0), "0000-01-01T00:00:00Z");
    }

    #[test]
    fn days_follow_each_other() {
        let mut before = date(-800_000);
        for day in -799_999..800_000 {
            let now = date(day);
            let (year, month, of_month) = before;
            let follows = [
                (year, month, of_month + 1),
                (year, month + 1, 1),
                (year + 1, 1, 1),
            ];
            assert!(follows.contains(&now) && now > before, "{before:?} {now:?}");
            before = now;
        }
    }

    #[test]
    fn decimals_are_cut() {
        let moment = UNIX_EPOCH + Duration::from_nanos(1_999_999_999);
        assert_eq!(timestamp(moment, 3), "1970-01-01T00:00:01.999Z");
        assert_eq!(timestamp(moment, 6), "1970-01-01T00:00:01.999999Z");
        assert_eq!(timestamp(moment, 0), "1970-01-01T00:00:01Z");
    }
}
