//! The whole answer, in one pass: how many match, the newest, by community, by domain, by time.

use crate::calendar::{DAY, buckets};
use crate::index::{Names, OpenIndex, Segment};
use crate::matching::Matching;
use crate::pages::{Firsts, newest_page, place};
use crate::protocol::{Answer, Breakdown, Timeline};
use crate::tally::Tally;
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocId};

/// What is counted in, kept from question to question, and empty between them.
#[derive(Default)]
pub struct Counters {
    communities: FieldCounter,
    domains: FieldCounter,
    docs: Vec<DocId>,
    rows: Vec<u32>,
    values: Vec<u64>,
}

#[derive(Default)]
struct FieldCounter {
    in_segment: Tally,
    all: Tally,
}

impl FieldCounter {
    fn reserve(&mut self, names: &Names) {
        self.in_segment.reserve(names.all.len());
        self.all.reserve(names.all.len());
    }

    /// Adds what was counted in a segment.
    fn fold(&mut self, names: &Names, segment: usize) {
        let numbers = &names.of_segment[segment];
        let all = &mut self.all;
        self.in_segment.drain(|number, count| all.add(numbers[number as usize], count));
    }

    fn add_totals(&mut self, names: &Names) {
        for (number, &count) in (0..).zip(&names.totals) {
            self.all.add(number, count);
        }
    }

    /// Empties it.
    fn breakdown(&mut self, names: &Names, size: usize, with_distinct: bool) -> Breakdown {
        let distinct = self.all.distinct();
        let most = self.all.most(size);
        self.all.drain(|_, _| ());
        Breakdown {
            rows: most.iter().map(|&(number, count)| (names.all[number as usize].clone(), count)).collect(),
            distinct: with_distinct.then_some(distinct),
        }
    }
}

impl Counters {
    /// The commonest communities alone.
    pub fn breakdown(
        &mut self,
        index: &OpenIndex,
        matching: &Matching,
        size: usize,
    ) -> tantivy::Result<Answer> {
        let counter = &mut self.communities;
        counter.reserve(&index.communities);
        let mut total = 0;
        if matching.is_everything() {
            total = index.records();
            counter.add_totals(&index.communities);
        } else {
            for (number, segment) in index.segments.iter().enumerate() {
                matching.each_block(index, number, |block| {
                    total += block.len() as u64;
                    count_communities(segment, block, &mut counter.in_segment);
                })?;
                counter.fold(&index.communities, number);
            }
        }
        let breakdowns = vec![counter.breakdown(&index.communities, size, false)];
        Ok(Answer { total, breakdowns, ..Default::default() })
    }

    pub fn whole(
        &mut self,
        index: &OpenIndex,
        matching: &Matching,
        limit: usize,
        size: usize,
    ) -> tantivy::Result<Answer> {
        self.communities.reserve(&index.communities);
        self.domains.reserve(&index.domains);
        let mut total = 0;
        let mut placed = vec![];
        let mut days = Days::of(index);
        for (number, segment) in index.segments.iter().enumerate() {
            let mut firsts = Firsts::new(segment, limit);
            let mut day = days.in_segment(segment);
            if matching.is_everything() {
                total += u64::from(segment.docs);
                day.add_all();
                (0..segment.docs).step_by(COLLECT_BLOCK_BUFFER_LEN).all(|from| {
                    let block: Vec<DocId> =
                        (from..segment.docs.min(from + COLLECT_BLOCK_BUFFER_LEN as u32)).collect();
                    firsts.add(&block)
                });
            } else {
                matching.each_block(index, number, |block| {
                    if block.is_empty() {
                        return;
                    }
                    total += block.len() as u64;
                    firsts.add(block);
                    day.add(block);
                    count_communities(segment, block, &mut self.communities.in_segment);
                    let Some(column) = &segment.domain else { return };
                    self.docs.clear();
                    self.rows.clear();
                    column.row_ids_for_docs(block, &mut self.docs, &mut self.rows);
                    self.values.resize(self.rows.len(), 0);
                    column.values.get_vals(&self.rows, &mut self.values);
                    for &domain in &self.values {
                        self.domains.in_segment.add(domain as u32, 1);
                    }
                })?;
                self.communities.fold(&index.communities, number);
                self.domains.fold(&index.domains, number);
            }
            day.finish();
            place(index, number, &firsts.docs, &mut placed);
        }
        if matching.is_everything() {
            self.communities.add_totals(&index.communities);
            self.domains.add_totals(&index.domains);
        }
        Ok(Answer {
            total,
            page: Some(newest_page(index, placed, limit)?),
            breakdowns: vec![
                self.communities.breakdown(&index.communities, size, true),
                self.domains.breakdown(&index.domains, size, true),
            ],
            timeline: days.timeline(matching.bounds()),
        })
    }
}

fn count_communities(segment: &Segment, block: &[DocId], tally: &mut Tally) {
    let mut numbers = [0; COLLECT_BLOCK_BUFFER_LEN];
    segment.community.get_vals(block, &mut numbers[..block.len()]);
    for &number in &numbers[..block.len()] {
        tally.add(number as u32, 1);
    }
}

/// Matches by day.
struct Days {
    first_day: i64,
    counts: Vec<u32>,
    /// Seconds of the first and last match.
    span: Option<(i64, i64)>,
}

/// Where the matches of one segment are counted: documents go back in time.
struct SegmentDays<'a> {
    days: &'a mut Days,
    segment: &'a Segment,
    /// How many days before the segment's last.
    down: usize,
    newest: Option<DocId>,
    oldest: DocId,
}

impl Days {
    fn of(index: &OpenIndex) -> Days {
        Days { first_day: index.first_day, counts: vec![0; index.days], span: None }
    }

    fn in_segment<'a>(&'a mut self, segment: &'a Segment) -> SegmentDays<'a> {
        SegmentDays { days: self, segment, down: 0, newest: None, oldest: 0 }
    }

    /// `bounds`: `from` and `to` of the query.
    fn timeline(&self, (from, to): (Option<u64>, Option<u64>)) -> Option<Timeline> {
        let Some((first, last)) = self.span else { return Some(Timeline { step: "day", buckets: vec![] }) };
        let bounds = (from.map_or(first, |time| time as i64), to.map_or(last, |time| time as i64 - 1));
        let (step, starts) = buckets(bounds, (first, last));
        let mut buckets: Vec<(i64, u32)> = starts.into_iter().map(|start| (start, 0)).collect();
        let mut at = 0;
        for (day, &count) in (self.first_day..).zip(&self.counts) {
            if count == 0 {
                continue;
            }
            while buckets.get(at + 1).is_some_and(|&(start, _)| start <= day * DAY) {
                at += 1;
            }
            buckets[at].1 += count;
        }
        Some(Timeline { step, buckets })
    }
}

impl SegmentDays<'_> {
    /// When all were added.
    fn finish(self) {
        let Some(newest) = self.newest else { return };
        let first = self.segment.created.get_val(self.oldest) as i64;
        let last = self.segment.created.get_val(newest) as i64;
        let (least, most) = self.days.span.unwrap_or((first, last));
        self.days.span = Some((first.min(least), last.max(most)));
    }

    fn count(&mut self, down: usize, count: u32) {
        let day = self.segment.last_day - down as i64 - self.days.first_day;
        self.days.counts[day as usize] += count;
    }

    fn add_all(&mut self) {
        self.newest = Some(0);
        self.oldest = self.segment.docs - 1;
        let mut from = 0;
        for down in 0..self.segment.day_ends.len() {
            let end = self.segment.day_ends[down];
            self.count(down, end - from);
            from = end;
        }
    }

    #[inline]
    fn add(&mut self, block: &[DocId]) {
        let (first, last) = (block[0], block[block.len() - 1]);
        self.newest.get_or_insert(first);
        self.oldest = last;
        let ends = &self.segment.day_ends;
        let mut at = 0;
        while at < block.len() {
            self.down = gallop(ends, self.down, block[at]);
            let end = ends[self.down];
            let to =
                if last < end { block.len() } else { at + block[at..].partition_point(|&doc| doc < end) };
            self.count(self.down, (to - at) as u32);
            at = to;
        }
    }
}

/// The first of the ends from `at` on that lies behind the document.
#[inline]
fn gallop(ends: &[DocId], at: usize, doc: DocId) -> usize {
    let mut low = at;
    let mut step = 1;
    while low + step < ends.len() && ends[low + step - 1] <= doc {
        low += step;
        step *= 2;
    }
    let high = ends.len().min(low + step);
    low + ends[low..high].partition_point(|&end| end <= doc)
}
