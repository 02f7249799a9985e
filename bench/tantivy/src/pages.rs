//! Pages of whole records, with the exact number of matches: newest, oldest and top first.

use crate::index::{OpenIndex, Segment};
use crate::matching::Matching;
use crate::protocol::{Page, TopPosition};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tantivy::columnar::ColumnValues;
use tantivy::schema::Value;
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocAddress, DocId, DocSet, TERMINATED, TantivyDocument};

/// A record on its way to a page: when it was created, its id, where it is.
pub type Placed = (u64, u64, DocAddress);

/// The documents that windows from the end of a segment begin with; each is so many times as long as the one before.
const FIRST_WINDOW: u32 = 512;
const WINDOW_GROWTH: u32 = 16;

/// The first documents of a segment that match, and on to the end of the second in which the page is full.
pub struct Firsts<'a> {
    created: &'a dyn ColumnValues<u64>,
    limit: usize,
    pub docs: Vec<DocId>,
    is_full: bool,
}

impl<'a> Firsts<'a> {
    pub fn new(segment: &'a Segment, limit: usize) -> Firsts<'a> {
        Firsts { created: &*segment.created, limit, docs: vec![], is_full: false }
    }

    /// Whether more are wanted.
    #[inline]
    pub fn add(&mut self, block: &[DocId]) -> bool {
        if self.is_full {
            return false;
        }
        for &doc in block {
            if self.docs.len() >= self.limit {
                let last = self.created.get_val(self.docs[self.docs.len() - 1]);
                if self.created.get_val(doc) != last {
                    self.is_full = true;
                    return false;
                }
            }
            self.docs.push(doc);
        }
        true
    }
}

/// Adds documents of one segment to those of others.
pub fn place(index: &OpenIndex, number: usize, docs: &[DocId], placed: &mut Vec<Placed>) {
    let segment = &index.segments[number];
    placed.extend(docs.iter().map(|&doc| {
        let address = DocAddress::new(number as u32, doc);
        (segment.created.get_val(doc), segment.id.get_val(doc), address)
    }));
}

/// The whole records of the first of these, newest first.
pub fn newest_page(index: &OpenIndex, mut placed: Vec<Placed>, limit: usize) -> tantivy::Result<Page> {
    placed.sort_unstable_by_key(|&(created, id, _)| Reverse((created, id)));
    placed.truncate(limit);
    read(index, &placed)
}

pub fn newest(
    index: &OpenIndex,
    matching: &Matching,
    limit: usize,
    after: Option<u64>,
) -> tantivy::Result<(u64, Page)> {
    let mut total = 0;
    let mut placed = vec![];
    for (number, segment) in index.segments.iter().enumerate() {
        let behind = segment.between(None, after).0;
        let mut firsts = Firsts::new(segment, limit);
        if let Some(count) = matching.known_count(index, number)? {
            total += count;
            walk(index, matching, number, behind, |doc| firsts.add(&[doc]))?;
        } else {
            matching.each_block(index, number, |block| {
                total += block.len() as u64;
                firsts.add(&block[block.partition_point(|&doc| doc < behind)..]);
            })?;
        }
        place(index, number, &firsts.docs, &mut placed);
    }
    Ok((total, newest_page(index, placed, limit)?))
}

/// Matches from a document on, while they are wanted.
fn walk(
    index: &OpenIndex,
    matching: &Matching,
    number: usize,
    from: DocId,
    mut each: impl FnMut(DocId) -> bool,
) -> tantivy::Result<()> {
    let (first, end) = matching.docs(&index.segments[number]);
    let from = from.max(first);
    if from >= end {
        return Ok(());
    }
    let mut scorer = matching.weight.scorer(index.reader(number), 1.0)?;
    let mut doc = scorer.doc();
    if doc < from {
        doc = scorer.seek(from);
    }
    while doc < end && doc != TERMINATED && each(doc) {
        doc = scorer.advance();
    }
    Ok(())
}

pub fn oldest(
    index: &OpenIndex,
    matching: &Matching,
    limit: usize,
    after: Option<u64>,
) -> tantivy::Result<(u64, Page)> {
    let mut total = 0;
    let mut placed = vec![];
    for (number, segment) in index.segments.iter().enumerate() {
        // Behind every record of the second: what was created later.
        let end = after.map_or(segment.docs, |second| segment.between(Some(second + 1), None).1);
        let lasts = if let Some(count) = matching.known_count(index, number)? {
            total += count;
            lasts_in_windows(index, matching, number, limit, end)?
        } else {
            let mut lasts = Lasts { limit, docs: vec![] };
            matching.each_block(index, number, |block| {
                total += block.len() as u64;
                lasts.add(segment, &block[..block.partition_point(|&doc| doc < end)]);
            })?;
            lasts.docs
        };
        place(index, number, &lasts, &mut placed);
    }
    placed.sort_unstable_by_key(|&(created, id, _)| (created, id));
    placed.truncate(limit);
    Ok((total, read(index, &placed)?))
}

/// The last documents that came, and all of the second in which that many are reached.
struct Lasts {
    limit: usize,
    docs: Vec<DocId>,
}

impl Lasts {
    fn add(&mut self, segment: &Segment, block: &[DocId]) {
        self.docs.extend_from_slice(block);
        if self.docs.len() > self.limit.max(COLLECT_BLOCK_BUFFER_LEN) * 4 {
            self.cut(segment);
        }
    }

    fn cut(&mut self, segment: &Segment) {
        let mut from = self.docs.len().saturating_sub(self.limit);
        let second = |place: usize| segment.created.get_val(self.docs[place]);
        while from > 0 && second(from - 1) == second(from) {
            from -= 1;
        }
        self.docs.drain(..from);
    }
}

/// From the end of the segment in windows that grow.
fn lasts_in_windows(
    index: &OpenIndex,
    matching: &Matching,
    number: usize,
    limit: usize,
    end: DocId,
) -> tantivy::Result<Vec<DocId>> {
    let segment = &index.segments[number];
    let (first, last) = matching.docs(segment);
    let end = end.min(last);
    let mut window = FIRST_WINDOW;
    loop {
        let from = end.saturating_sub(window).max(first);
        let mut lasts = Lasts { limit, docs: vec![] };
        walk(index, matching, number, from, |doc| {
            if doc < end {
                lasts.docs.push(doc);
            }
            doc < end
        })?;
        // The first of the window may have the second of documents before it.
        let is_enough = lasts.docs.len() > limit && {
            let second = |doc: DocId| segment.created.get_val(doc);
            second(lasts.docs[0]) != second(lasts.docs[lasts.docs.len() - limit])
        };
        if is_enough || from <= first {
            lasts.cut(segment);
            return Ok(lasts.docs);
        }
        window = window.saturating_mul(WINDOW_GROWTH);
    }
}

pub fn top(
    index: &OpenIndex,
    matching: &Matching,
    limit: usize,
    after: Option<TopPosition>,
) -> tantivy::Result<(u64, Page)> {
    let mut total = 0;
    let mut best: BinaryHeap<Reverse<(i64, Placed)>> = BinaryHeap::with_capacity(limit + 1);
    let below = after.map_or((i64::MAX, u64::MAX), |position| (position.score, position.second));
    for (number, segment) in index.segments.iter().enumerate() {
        let mut scores = [0; COLLECT_BLOCK_BUFFER_LEN];
        // Documents go back in time: once one of the least score on the page came too late, all others do.
        let mut floor = floor_of(&best, limit);
        matching.each_block(index, number, |block| {
            total += block.len() as u64;
            segment.score.get_vals(block, &mut scores[..block.len()]);
            for (&doc, &score) in block.iter().zip(&scores) {
                if score < floor || score > below.0 {
                    continue;
                }
                let created = segment.created.get_val(doc);
                if (score, created) >= below {
                    continue;
                }
                if best.len() == limit {
                    let Reverse((least, (second, _, _))) = best.peek().expect("a full page");
                    if (score, created) < (*least, *second) {
                        floor = *least + 1;
                        continue;
                    }
                }
                let address = DocAddress::new(number as u32, doc);
                best.push(Reverse((score, (created, segment.id.get_val(doc), address))));
                if best.len() > limit {
                    best.pop();
                    floor = floor_of(&best, limit);
                }
            }
        })?;
    }
    let placed: Vec<Placed> = best.into_sorted_vec().into_iter().map(|Reverse((_, placed))| placed).collect();
    Ok((total, read(index, &placed)?))
}

fn floor_of(best: &BinaryHeap<Reverse<(i64, Placed)>>, limit: usize) -> i64 {
    match best.peek() {
        Some(Reverse((least, _))) if best.len() == limit => *least,
        _ => i64::MIN,
    }
}

fn read(index: &OpenIndex, placed: &[Placed]) -> tantivy::Result<Page> {
    let mut bytes = 0;
    let mut ids = Vec::with_capacity(placed.len());
    for &(_, id, address) in placed {
        let document: TantivyDocument = index.searcher.doc(address)?;
        let record = document.get_first(index.fields.record).and_then(|value| value.as_str());
        bytes += record.map_or(0, str::len);
        ids.push(base_36(id));
    }
    Ok(Page { ids, bytes })
}

fn base_36(mut number: u64) -> String {
    let mut digits = vec![];
    loop {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize]);
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().map(|&digit| char::from(digit)).collect()
}
