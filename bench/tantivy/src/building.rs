//! Builds the index of comments that come as lines of tab-separated fields: id, created, score, community, domains,
//! sites, tokens, record. Names and tokens have one space between them; the record is one line of JSON.

use crate::schema::{Fields, fields, register_tokenizer, schema, settings};
use std::fs;
use std::io::BufRead;
use std::path::Path;
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError};

const HEAP_BYTES: usize = 400_000_000;
/// Linux counts the processor time of threads in hundredths of a second.
const TICKS_A_SECOND: f64 = 100.0;

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Built {
    records: u64,
    /// Of the threads that index and merge, without the one that reads the lines; 0 where the system does not say.
    cpu_seconds: f64,
}

pub fn build(folder: &Path, lines: impl BufRead) -> tantivy::Result<Built> {
    fs::create_dir_all(folder)?;
    let schema = schema();
    let index = Index::builder().schema(schema.clone()).settings(settings()).create_in_dir(folder)?;
    register_tokenizer(&index);
    let fields = fields(&schema)?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, HEAP_BYTES)?;
    let mut records = 0;
    for line in lines.lines() {
        writer.add_document(document(&fields, &line?)?)?;
        records += 1;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    Ok(Built { records, cpu_seconds: ticks("/proc/self/stat") - ticks("/proc/thread-self/stat") })
}

fn document(fields: &Fields, line: &str) -> tantivy::Result<TantivyDocument> {
    let parts: Vec<&str> = line.splitn(8, '\t').collect();
    let [id, created, score, community, domains, sites, tokens, record] = parts[..] else {
        return Err(TantivyError::InvalidArgument(format!("expected 8 fields, found {}", parts.len())));
    };
    let wrong = |name: &str| TantivyError::InvalidArgument(format!("expected a number as {name}: {line}"));
    let mut document = TantivyDocument::default();
    document.add_u64(fields.id, u64::from_str_radix(id, 36).map_err(|_| wrong("id"))?);
    document.add_u64(fields.created, created.parse().map_err(|_| wrong("created"))?);
    document.add_i64(fields.score, score.parse().map_err(|_| wrong("score"))?);
    document.add_text(fields.community, community);
    for domain in domains.split(' ').filter(|name| !name.is_empty()) {
        document.add_text(fields.domain, domain);
    }
    for site in sites.split(' ').filter(|name| !name.is_empty()) {
        document.add_text(fields.site, site);
    }
    document.add_text(fields.tokens, tokens);
    document.add_text(fields.record, record);
    Ok(document)
}

/// Processor time in seconds, of user and system: the 14th and 15th field (proc_pid_stat(5)).
fn ticks(path: &str) -> f64 {
    let stat = fs::read_to_string(path).unwrap_or_default();
    let behind_name = stat.rsplit(") ").next().unwrap_or_default();
    let of = |field: usize| -> f64 {
        behind_name.split(' ').nth(field - 3).and_then(|number| number.parse().ok()).unwrap_or(0.0)
    };
    (of(14) + of(15)) / TICKS_A_SECOND
}
