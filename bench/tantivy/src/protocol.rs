//! What is asked and answered, as lines of JSON. bench/tantivy-questions.ts writes the one and reads the other.

use serde::{Deserialize, Serialize};

/// All queries are asked once, and then `rounds` times each, measured.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    pub task: Task,
    pub rounds: usize,
    pub queries: Vec<Conditions>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Task {
    Count,
    /// Behind every record of the second, if given.
    Newest {
        limit: usize,
        after: Option<u64>,
    },
    Oldest {
        limit: usize,
        after: Option<u64>,
    },
    Top {
        limit: usize,
        after: Option<TopPosition>,
    },
    /// The commonest communities.
    Breakdown {
        size: usize,
    },
    Whole {
        limit: usize,
        size: usize,
    },
}

/// Behind every record of the score and second.
#[derive(Deserialize, Clone, Copy)]
#[serde(deny_unknown_fields)]
pub struct TopPosition {
    pub score: i64,
    pub second: u64,
}

/// All must be met; null is no condition.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Conditions {
    /// Any word of each list.
    pub words: Vec<Vec<Word>>,
    pub excluded_words: Vec<Word>,
    pub communities: Option<Vec<String>>,
    pub excluded_communities: Vec<String>,
    pub sites: Option<Vec<String>>,
    pub excluded_sites: Vec<String>,
    /// Both ends belong to the range.
    pub min_score: Option<i64>,
    pub max_score: Option<i64>,
    /// `from <= created < to`.
    pub from: Option<u64>,
    pub to: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", deny_unknown_fields)]
pub enum Word {
    Term { token: String },
    Phrase { tokens: Vec<String> },
    Prefix { prefix: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    pub answers: Vec<TimedAnswer>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimedAnswer {
    pub answer: Answer,
    /// Of each round.
    pub nanoseconds: Vec<u64>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakdowns: Vec<Breakdown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    pub ids: Vec<String>,
    /// Of the records, as JSON in UTF-8: each has been read.
    pub bytes: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    pub rows: Vec<(String, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    pub step: &'static str,
    /// Start and count.
    pub buckets: Vec<(i64, u32)>,
}

/// The first line that comes out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    pub records: u64,
    pub segments: usize,
    pub open_ms: f64,
}
