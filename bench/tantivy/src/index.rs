//! The index as it is asked: each segment with its columns, and what is known of it before any question.

use crate::calendar::DAY;
use crate::schema::{Fields, fields, register_tokenizer};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tantivy::columnar::{Column, ColumnValues};
use tantivy::{DocId, Index, ReloadPolicy, Searcher, SegmentReader};

pub struct OpenIndex {
    pub searcher: Searcher,
    pub fields: Fields,
    pub segments: Vec<Segment>,
    pub communities: Names,
    pub domains: Names,
    /// Days since 1970: that of the first record, and how many there are to the last.
    pub first_day: i64,
    pub days: usize,
}

pub struct Segment {
    pub docs: DocId,
    pub created: Arc<dyn ColumnValues<u64>>,
    pub score: Arc<dyn ColumnValues<i64>>,
    pub id: Arc<dyn ColumnValues<u64>>,
    /// Numbers of the segment.
    pub community: Arc<dyn ColumnValues<u64>>,
    pub domain: Option<Column<u64>>,
    /// The day of its first document, which is its newest.
    pub last_day: i64,
    /// By days down from that: the first document that is not of the day, nor of a later one.
    pub day_ends: Vec<DocId>,
}

/// Names of one column, over all segments, in their order.
pub struct Names {
    pub all: Vec<String>,
    /// Of each segment: from its own numbers.
    pub of_segment: Vec<Vec<u32>>,
    /// How many documents have each.
    pub totals: Vec<u32>,
}

impl OpenIndex {
    pub fn open(folder: &Path) -> tantivy::Result<OpenIndex> {
        let index = Index::open_in_dir(folder)?;
        register_tokenizer(&index);
        let fields = fields(&index.schema())?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher: Searcher = reader.searcher();
        let readers = searcher.segment_readers();
        let segments = readers.iter().map(Segment::open).collect::<tantivy::Result<Vec<_>>>()?;
        let first_day = segments.iter().map(|segment| segment.first_day()).min().unwrap_or(0);
        let last_day = segments.iter().map(|segment| segment.last_day).max().unwrap_or(0);
        Ok(OpenIndex {
            communities: Names::of(&searcher, "community")?,
            domains: Names::of(&searcher, "domain")?,
            segments,
            fields,
            first_day,
            days: (last_day - first_day + 1) as usize,
            searcher,
        })
    }

    pub fn reader(&self, segment: usize) -> &SegmentReader {
        self.searcher.segment_reader(segment as u32)
    }

    pub fn records(&self) -> u64 {
        self.searcher.num_docs()
    }
}

impl Segment {
    fn open(reader: &SegmentReader) -> tantivy::Result<Segment> {
        let columns = reader.fast_fields();
        let community = columns.str("community")?;
        let missing = || tantivy::TantivyError::SchemaError("expected a column of communities".into());
        let created = columns.u64("created")?.values;
        let docs = reader.max_doc();
        let day_of = |doc: DocId| created.get_val(doc) as i64 / DAY;
        let (last_day, first_day) = (day_of(0), day_of(docs - 1));
        let day_ends = (0..=last_day - first_day)
            .map(|down| first_before(&*created, docs, (last_day - down) * DAY))
            .collect();
        Ok(Segment {
            docs,
            score: columns.i64("score")?.values,
            id: columns.u64("id")?.values,
            community: community.ok_or_else(missing)?.ords().clone().values,
            domain: columns.str("domain")?.map(|column| column.ords().clone()),
            created,
            last_day,
            day_ends,
        })
    }

    fn first_day(&self) -> i64 {
        self.last_day + 1 - self.day_ends.len() as i64
    }

    /// The documents of `from <= created < to`.
    pub fn between(&self, from: Option<u64>, to: Option<u64>) -> (DocId, DocId) {
        let first = to.map_or(0, |time| first_before(&*self.created, self.docs, time as i64));
        let end = from.map_or(self.docs, |time| first_before(&*self.created, self.docs, time as i64));
        (first, end.max(first))
    }
}

/// The first document that was created before the time; documents go back in time.
fn first_before(created: &dyn ColumnValues<u64>, docs: DocId, time: i64) -> DocId {
    let (mut low, mut high) = (0, docs);
    while low < high {
        let middle = low + (high - low) / 2;
        if (created.get_val(middle) as i64) < time { high = middle } else { low = middle + 1 }
    }
    low
}

impl Names {
    fn of(searcher: &Searcher, field: &str) -> tantivy::Result<Names> {
        let id = searcher.schema().get_field(field)?;
        let mut totals: BTreeMap<String, u32> = BTreeMap::new();
        let mut by_segment: Vec<Vec<String>> = vec![];
        for reader in searcher.segment_readers() {
            let mut names = vec![];
            let inverted = reader.inverted_index(id)?;
            let mut terms = inverted.terms().stream()?;
            while terms.advance() {
                let name = String::from_utf8_lossy(terms.key()).into_owned();
                *totals.entry(name.clone()).or_insert(0) += terms.value().doc_freq;
                names.push(name);
            }
            by_segment.push(names);
        }
        let numbers: BTreeMap<&String, u32> = totals.keys().zip(0..).collect();
        let of_segment =
            by_segment.iter().map(|names| names.iter().map(|name| numbers[name]).collect()).collect();
        Ok(Names {
            of_segment,
            totals: totals.values().copied().collect(),
            all: totals.into_keys().collect(),
        })
    }
}
