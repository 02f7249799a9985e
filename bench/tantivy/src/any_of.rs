//! Any of some terms and prefixes. Many lists are united at once: into a set of bits, or sorted where they are short.

use tantivy::postings::TermInfo;
use tantivy::query::{BitSetDocSet, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{
    BitSet, COLLECT_BLOCK_BUFFER_LEN, DocId, DocSet, InvertedIndexReader, Score, SegmentReader, TERMINATED,
    TantivyError, Term,
};

/// Lists with fewer documents than one in so many of the segment's are sorted.
const SORTED_SHARE: u64 = 128;

#[derive(Clone, Debug)]
pub struct AnyOf {
    pub field: Field,
    pub tokens: Vec<String>,
    pub prefixes: Vec<String>,
}

impl Query for AnyOf {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for AnyOf {
    fn scorer(&self, reader: &SegmentReader, _: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let inverted = reader.inverted_index(self.field)?;
        let lists = self.lists(&inverted)?;
        let documents: u64 = lists.iter().map(|list| u64::from(list.doc_freq)).sum();
        if documents == 0 {
            return Ok(Box::new(EmptyScorer));
        }
        if documents < u64::from(reader.max_doc()) / SORTED_SHARE {
            let mut docs = Vec::with_capacity(documents as usize);
            each_block(&inverted, &lists, |block| docs.extend_from_slice(block))?;
            docs.sort_unstable();
            docs.dedup();
            return Ok(Box::new(Unscored(Sorted { docs, at: 0 })));
        }
        let mut bits = BitSet::with_max_value(reader.max_doc());
        each_block(&inverted, &lists, |block| {
            for &doc in block {
                bits.insert(doc);
            }
        })?;
        let count = bits.len() as u32;
        Ok(Box::new(Unscored(Counted { docs: BitSetDocSet::from(bits), count })))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Err(TantivyError::InvalidArgument("expected nobody to ask for an explanation".into()))
    }
}

impl AnyOf {
    fn lists(&self, inverted: &InvertedIndexReader) -> tantivy::Result<Vec<TermInfo>> {
        let mut lists = vec![];
        for token in &self.tokens {
            lists.extend(inverted.get_term_info(&Term::from_field_text(self.field, token))?);
        }
        for prefix in &self.prefixes {
            let mut range = inverted.terms().range().ge(prefix.as_bytes());
            if let Some(end) = end_of(prefix) {
                range = range.lt(end);
            }
            let mut terms = range.into_stream()?;
            while terms.advance() {
                lists.push(terms.value().clone());
            }
        }
        Ok(lists)
    }
}

/// The first key behind all that start with the prefix.
fn end_of(prefix: &str) -> Option<Vec<u8>> {
    let mut end = prefix.as_bytes().to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            return Some(end);
        }
    }
    None
}

fn each_block(
    inverted: &InvertedIndexReader,
    lists: &[TermInfo],
    mut each: impl FnMut(&[DocId]),
) -> tantivy::Result<()> {
    let Some(first) = lists.first() else { return Ok(()) };
    let mut postings = inverted.read_block_postings_from_terminfo(first, IndexRecordOption::Basic)?;
    for (i, list) in lists.iter().enumerate() {
        if i > 0 {
            inverted.reset_block_postings_from_terminfo(list, &mut postings)?;
        }
        while !postings.docs().is_empty() {
            each(postings.docs());
            postings.advance();
        }
    }
    Ok(())
}

/// A set of bits that knows how many there are.
struct Counted {
    docs: BitSetDocSet,
    count: u32,
}

impl DocSet for Counted {
    #[inline]
    fn advance(&mut self) -> DocId {
        self.docs.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.docs.seek(target)
    }

    #[inline]
    fn doc(&self) -> DocId {
        self.docs.doc()
    }

    fn size_hint(&self) -> u32 {
        self.count
    }

    /// Asked of a set that nobody has walked in.
    fn count_including_deleted(&mut self) -> u32 {
        self.count
    }
}

/// Different documents, up.
struct Sorted {
    docs: Vec<DocId>,
    at: usize,
}

impl DocSet for Sorted {
    #[inline]
    fn advance(&mut self) -> DocId {
        self.at += 1;
        self.doc()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc() < target {
            self.at += self.docs[self.at..].partition_point(|&doc| doc < target);
        }
        self.doc()
    }

    #[inline]
    fn doc(&self) -> DocId {
        self.docs.get(self.at).copied().unwrap_or(TERMINATED)
    }

    fn size_hint(&self) -> u32 {
        self.docs.len() as u32
    }

    /// Asked of a set that nobody has walked in.
    fn count_including_deleted(&mut self) -> u32 {
        self.docs.len() as u32
    }
}

struct Unscored<T>(T);

impl<T: DocSet> DocSet for Unscored<T> {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn fill_buffer(&mut self, buffer: &mut [DocId; COLLECT_BLOCK_BUFFER_LEN]) -> usize {
        let mut doc = self.0.doc();
        for (filled, place) in buffer.iter_mut().enumerate() {
            if doc == TERMINATED {
                return filled;
            }
            *place = doc;
            doc = self.0.advance();
        }
        buffer.len()
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }

    fn count_including_deleted(&mut self) -> u32 {
        self.0.count_including_deleted()
    }
}

impl<T: DocSet + 'static> Scorer for Unscored<T> {
    fn score(&mut self) -> Score {
        1.0
    }
}
