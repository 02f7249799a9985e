//! Answers requests, one a line.

use crate::index::OpenIndex;
use crate::matching::Matching;
use crate::pages::{newest, oldest, top};
use crate::protocol::{Answer, Conditions, Opened, Page, Request, Response, Task, TimedAnswer};
use crate::whole::Counters;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

pub fn ask(folder: &Path, requests: impl BufRead, mut out: impl Write) -> tantivy::Result<()> {
    let before = Instant::now();
    let index = OpenIndex::open(folder)?;
    let open_ms = before.elapsed().as_secs_f64() * 1_000.0;
    let opened = Opened { records: index.records(), segments: index.segments.len(), open_ms };
    line(&mut out, &opened)?;
    let mut counters = Counters::default();
    for request in requests.lines() {
        let request: Request = serde_json::from_str(&request?).map_err(std::io::Error::from)?;
        line(&mut out, &respond(&index, &mut counters, &request)?)?;
    }
    Ok(())
}

fn respond(index: &OpenIndex, counters: &mut Counters, request: &Request) -> tantivy::Result<Response> {
    let mut answers = vec![];
    for conditions in &request.queries {
        let answer = answer(index, counters, request.task, conditions)?;
        answers.push(TimedAnswer { answer, nanoseconds: vec![] });
    }
    for _ in 0..request.rounds {
        for (conditions, timed) in request.queries.iter().zip(&mut answers) {
            let before = Instant::now();
            std::hint::black_box(answer(index, counters, request.task, conditions)?);
            timed.nanoseconds.push(before.elapsed().as_nanos() as u64);
        }
    }
    Ok(Response { answers })
}

fn answer(
    index: &OpenIndex,
    counters: &mut Counters,
    task: Task,
    conditions: &Conditions,
) -> tantivy::Result<Answer> {
    let matching = Matching::of(index, conditions)?;
    let paged = |(total, page): (u64, Page)| Answer { total, page: Some(page), ..Default::default() };
    match task {
        Task::Count => {
            let counts = (0..index.segments.len()).map(|number| matching.count(index, number));
            Ok(Answer { total: counts.sum::<tantivy::Result<u64>>()?, ..Default::default() })
        }
        Task::Newest { limit, after } => newest(index, &matching, limit, after).map(paged),
        Task::Oldest { limit, after } => oldest(index, &matching, limit, after).map(paged),
        Task::Top { limit, after } => top(index, &matching, limit, after).map(paged),
        Task::Breakdown { size } => counters.breakdown(index, &matching, size),
        Task::Whole { limit, size } => counters.whole(index, &matching, limit, size),
    }
}

fn line(out: &mut impl Write, value: &impl serde::Serialize) -> tantivy::Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
