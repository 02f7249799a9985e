//! How the comments are indexed: sorted newest first, names as terms and as columns, positions for phrases.

use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, STORED, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};
use tantivy::{Index, IndexSettings, IndexSortByField, Order};

/// Tokens come made, with one space between them.
const MADE_TOKENS: &str = "made-tokens";

#[derive(Clone, Copy)]
pub struct Fields {
    pub tokens: Field,
    pub community: Field,
    /// Domains that a comment links to: what a breakdown counts by.
    pub domain: Field,
    /// The same and every domain above each: what `site:` finds by.
    pub site: Field,
    pub created: Field,
    pub score: Field,
    pub id: Field,
    pub record: Field,
}

pub fn schema() -> Schema {
    let terms = |tokenizer: &str, record: IndexRecordOption| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_fieldnorms(false)
            .set_index_option(record);
        TextOptions::default().set_indexing_options(indexing)
    };
    let names = terms("raw", IndexRecordOption::Basic);
    let words = terms(MADE_TOKENS, IndexRecordOption::WithFreqsAndPositions);
    let mut schema = Schema::builder();
    schema.add_text_field("tokens", words);
    schema.add_text_field("community", names.clone().set_fast("raw"));
    schema.add_text_field("domain", names.clone().set_fast("raw"));
    schema.add_text_field("site", names);
    schema.add_u64_field("created", NumericOptions::default().set_fast());
    schema.add_i64_field("score", NumericOptions::default().set_fast());
    schema.add_u64_field("id", NumericOptions::default().set_fast());
    schema.add_text_field("record", STORED);
    schema.build()
}

pub fn settings() -> IndexSettings {
    let newest_first = IndexSortByField { field: "created".into(), order: Order::Desc };
    IndexSettings { sort_by_field: Some(newest_first), ..Default::default() }
}

pub fn fields(schema: &Schema) -> tantivy::Result<Fields> {
    Ok(Fields {
        tokens: schema.get_field("tokens")?,
        community: schema.get_field("community")?,
        domain: schema.get_field("domain")?,
        site: schema.get_field("site")?,
        created: schema.get_field("created")?,
        score: schema.get_field("score")?,
        id: schema.get_field("id")?,
        record: schema.get_field("record")?,
    })
}

pub fn register_tokenizer(index: &Index) {
    let analyzer = TextAnalyzer::builder(WhitespaceTokenizer::default()).build();
    index.tokenizers().register(MADE_TOKENS, analyzer);
}
