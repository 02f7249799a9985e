//! tantivy as an opponent of the benchmark. `build FOLDER`: an index of the lines on standard input; `ask FOLDER`:
//! answers to the requests on standard input, one a line each.

mod any_of;
mod asking;
mod building;
mod calendar;
mod index;
mod matching;
mod pages;
mod protocol;
mod schema;
mod tally;
mod whole;

use std::io::{BufReader, BufWriter, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;

const INPUT_BUFFER: usize = 1 << 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let input = BufReader::with_capacity(INPUT_BUFFER, stdin().lock());
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["build", folder] => building::build(Path::new(folder), input).map(|built| {
            println!("{}", serde_json::to_string(&built).expect("numbers"));
        }),
        ["ask", folder] => asking::ask(Path::new(folder), input, BufWriter::new(stdout().lock())),
        _ => {
            eprintln!("expected `build FOLDER` or `ask FOLDER`");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
