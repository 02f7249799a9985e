//! Buckets of a timeline, in UTC, as src/model/timeline.ts makes them.

pub const DAY: i64 = 86_400;
/// The finest step with at most this many buckets is taken.
const MAX_BUCKETS: usize = 60;

#[derive(Clone, Copy, PartialEq)]
enum Step {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

const STEPS: [(Step, &str); 5] = [
    (Step::Day, "day"),
    (Step::Week, "week"),
    (Step::Month, "month"),
    (Step::Quarter, "quarter"),
    (Step::Year, "year"),
];

/// The step, and where its buckets start, from the one with the first second to the one with the last.
pub fn buckets(bounds: (i64, i64), matches: (i64, i64)) -> (&'static str, Vec<i64>) {
    for (first, last) in [bounds, matches] {
        for (step, name) in STEPS {
            if let Some(starts) = starts_within(step, first, last, MAX_BUCKETS) {
                return (name, starts);
            }
        }
    }
    ("year", starts_within(Step::Year, matches.0, matches.1, usize::MAX).unwrap_or_default())
}

fn starts_within(step: Step, first: i64, last: i64, most: usize) -> Option<Vec<i64>> {
    let mut starts = vec![];
    let mut start = bucket_start(step, first);
    while start <= last {
        if starts.len() == most {
            return None;
        }
        starts.push(start);
        start = next_bucket(step, start);
    }
    Some(starts)
}

fn bucket_start(step: Step, time: i64) -> i64 {
    let day = time.div_euclid(DAY);
    match step {
        Step::Day => day * DAY,
        // 1970-01-01 was a Thursday.
        Step::Week => ((day + 3).div_euclid(7) * 7 - 3) * DAY,
        _ => {
            let month = month_of(day);
            first_of_month(month - month.rem_euclid(months_of(step))) * DAY
        }
    }
}

fn next_bucket(step: Step, start: i64) -> i64 {
    match step {
        Step::Day => start + DAY,
        Step::Week => start + 7 * DAY,
        _ => first_of_month(month_of(start / DAY) + months_of(step)) * DAY,
    }
}

fn months_of(step: Step) -> i64 {
    match step {
        Step::Quarter => 3,
        Step::Year => 12,
        _ => 1,
    }
}

/// Months since year 0, of a day since 1970. Hinnant, chrono-compatible low-level date algorithms, civil_from_days.
fn month_of(day: i64) -> i64 {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on.
    (era * 400 + year_of_era) * 12 + (5 * day_of_year + 2) / 153 + 2
}

/// Day since 1970 of the first of a month since year 0; the same source, days_from_civil.
fn first_of_month(month: i64) -> i64 {
    let since_march = month - 2;
    let year = since_march.div_euclid(12);
    let day_of_year = (153 * since_march.rem_euclid(12) + 2) / 5;
    let year_of_era = year.rem_euclid(400);
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    year.div_euclid(400) * 146_097 + day_of_era - 719_468
}
