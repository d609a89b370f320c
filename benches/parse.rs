//! Parsing speed: the embedded library, and the same text many times over in one file.

use cslrun::source::FileId;
use cslrun::{stdlib, syntax};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

fn library() -> String {
    stdlib::names().filter_map(stdlib::find).collect()
}

#[divan::bench(args = [1, 10, 100])]
fn library_files_in_one(bencher: Bencher, times: usize) {
    let text = library().repeat(times);
    bencher.counter(BytesCount::of_str(&text)).bench(|| syntax::parse(FileId(0), black_box(&text)));
}
