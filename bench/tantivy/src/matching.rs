//! Conditions as tantivy looks for them: a query, a range of documents (they are sorted by time), and a range of
//! scores that blocks of matches are sifted by.

use crate::any_of::AnyOf;
use crate::index::{OpenIndex, Segment};
use crate::protocol::{Conditions, Word};
use tantivy::query::{
    AllQuery, BooleanQuery, EnableScoring, Occur, PhraseQuery, Query, TermQuery, TermSetQuery, Weight,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocId, DocSet, TERMINATED, Term};

pub struct Matching {
    pub weight: Box<dyn Weight>,
    /// Every document of the range.
    is_all: bool,
    /// All that the query asks for.
    term: Option<Term>,
    from: Option<u64>,
    to: Option<u64>,
    scores: Option<(i64, i64)>,
}

impl Matching {
    pub fn of(index: &OpenIndex, conditions: &Conditions) -> tantivy::Result<Matching> {
        let mut clauses = clauses(index, conditions);
        let mut term = None;
        let is_all = clauses.is_empty();
        if let [(Occur::Must, query)] = &clauses[..] {
            term = query.downcast_ref::<TermQuery>().map(|query| query.term().clone());
        }
        if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            clauses.push((Occur::Must, Box::new(AllQuery)));
        }
        let query =
            if clauses.len() == 1 { clauses.swap_remove(0).1 } else { Box::new(BooleanQuery::new(clauses)) };
        let (least, most) = (conditions.min_score, conditions.max_score);
        let scores = (least, most) != (None, None);
        Ok(Matching {
            weight: query.weight(EnableScoring::disabled_from_searcher(&index.searcher))?,
            is_all,
            term,
            from: conditions.from,
            to: conditions.to,
            scores: scores.then(|| (least.unwrap_or(i64::MIN), most.unwrap_or(i64::MAX))),
        })
    }

    /// `from` and `to`.
    pub fn bounds(&self) -> (Option<u64>, Option<u64>) {
        (self.from, self.to)
    }

    pub fn docs(&self, segment: &Segment) -> (DocId, DocId) {
        segment.between(self.from, self.to)
    }

    /// Every document of the range, and of any score.
    pub fn is_all(&self) -> bool {
        self.is_all && self.scores.is_none()
    }

    pub fn is_everything(&self) -> bool {
        self.is_all() && self.from.is_none() && self.to.is_none()
    }

    /// How many match, where that is known without a look at each.
    pub fn known_count(&self, index: &OpenIndex, number: usize) -> tantivy::Result<Option<u64>> {
        let (first, end) = self.docs(&index.segments[number]);
        if self.scores.is_some() {
            return Ok(None);
        }
        if self.is_all {
            return Ok(Some(u64::from(end - first)));
        }
        let Some(term) = &self.term else { return Ok(None) };
        let reader = index.reader(number);
        if (first, end) == (0, reader.max_doc()) {
            return Ok(Some(u64::from(self.weight.count(reader)?)));
        }
        let inverted = reader.inverted_index(term.field())?;
        let rank = |doc: DocId| -> tantivy::Result<u64> {
            let postings = inverted.read_block_postings(term, IndexRecordOption::Basic)?;
            Ok(postings.map_or(0, |mut list| u64::from(list.rank(doc))))
        };
        Ok(Some(rank(end)? - rank(first)?))
    }

    pub fn count(&self, index: &OpenIndex, number: usize) -> tantivy::Result<u64> {
        if let Some(count) = self.known_count(index, number)? {
            return Ok(count);
        }
        let reader = index.reader(number);
        if self.scores.is_none() && self.docs(&index.segments[number]) == (0, reader.max_doc()) {
            return Ok(u64::from(self.weight.count(reader)?));
        }
        let mut count = 0;
        self.each_block(index, number, |block| count += block.len() as u64)?;
        Ok(count)
    }

    /// All matches of a segment in blocks, up; a block may be empty.
    pub fn each_block(
        &self,
        index: &OpenIndex,
        number: usize,
        mut each: impl FnMut(&[DocId]),
    ) -> tantivy::Result<()> {
        let Some((least, most)) = self.scores else { return self.each_unsifted(index, number, &mut each) };
        let score = &*index.segments[number].score;
        let mut scores = [0; COLLECT_BLOCK_BUFFER_LEN];
        let mut kept = [0; COLLECT_BLOCK_BUFFER_LEN];
        self.each_unsifted(index, number, &mut |block| {
            score.get_vals(block, &mut scores[..block.len()]);
            let mut count = 0;
            for (&doc, &held) in block.iter().zip(&scores) {
                kept[count] = doc;
                count += usize::from(least <= held && held <= most);
            }
            each(&kept[..count]);
        })
    }

    fn each_unsifted(
        &self,
        index: &OpenIndex,
        number: usize,
        each: &mut dyn FnMut(&[DocId]),
    ) -> tantivy::Result<()> {
        let (first, end) = self.docs(&index.segments[number]);
        if first == end {
            return Ok(());
        }
        let reader = index.reader(number);
        if (first, end) == (0, reader.max_doc()) {
            return self.weight.for_each_no_score(reader, each);
        }
        let mut scorer = self.weight.scorer(reader, 1.0)?;
        if scorer.doc() < first {
            scorer.seek(first);
        }
        let mut block = [TERMINATED; COLLECT_BLOCK_BUFFER_LEN];
        loop {
            let filled = scorer.fill_buffer(&mut block);
            let within = block[..filled].partition_point(|&doc| doc < end);
            each(&block[..within]);
            if within < block.len() {
                return Ok(());
            }
        }
    }
}

fn clauses(index: &OpenIndex, conditions: &Conditions) -> Vec<(Occur, Box<dyn Query>)> {
    let fields = &index.fields;
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = vec![];
    for words in &conditions.words {
        clauses.push((Occur::Must, any_word(fields.tokens, words)));
    }
    for word in &conditions.excluded_words {
        clauses.push((Occur::MustNot, any_word(fields.tokens, std::slice::from_ref(word))));
    }
    let names = [
        (fields.community, &conditions.communities, &conditions.excluded_communities),
        (fields.site, &conditions.sites, &conditions.excluded_sites),
    ];
    for (field, wanted, excluded) in names {
        if let Some(wanted) = wanted {
            clauses.push((Occur::Must, any_name(field, wanted)));
        }
        for name in excluded {
            clauses.push((Occur::MustNot, term_query(field, name)));
        }
    }
    clauses
}

fn any_word(field: Field, words: &[Word]) -> Box<dyn Query> {
    if let [word] = words {
        return match word {
            Word::Term { token } => term_query(field, token),
            Word::Phrase { tokens } => phrase_query(field, tokens),
            Word::Prefix { prefix } => {
                Box::new(AnyOf { field, tokens: vec![], prefixes: vec![prefix.clone()] })
            }
        };
    }
    let mut phrases: Vec<Box<dyn Query>> = vec![];
    let (mut tokens, mut prefixes) = (vec![], vec![]);
    for word in words {
        match word {
            Word::Term { token } => tokens.push(token.clone()),
            Word::Prefix { prefix } => prefixes.push(prefix.clone()),
            Word::Phrase { tokens } => phrases.push(phrase_query(field, tokens)),
        }
    }
    let united = AnyOf { field, tokens, prefixes };
    if phrases.is_empty() {
        return Box::new(united);
    }
    phrases.push(Box::new(united));
    Box::new(BooleanQuery::union(phrases))
}

fn any_name(field: Field, names: &[String]) -> Box<dyn Query> {
    match names {
        [name] => term_query(field, name),
        _ => Box::new(TermSetQuery::new(names.iter().map(|name| Term::from_field_text(field, name)))),
    }
}

fn term_query(field: Field, token: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(Term::from_field_text(field, token), IndexRecordOption::Basic))
}

fn phrase_query(field: Field, tokens: &[String]) -> Box<dyn Query> {
    Box::new(PhraseQuery::new(tokens.iter().map(|token| Term::from_field_text(field, token)).collect()))
}
