//! Makes an input that fails smaller, as long as it fails in the same way.

use crate::targets::Target;
use crate::tree::Tokens;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// How many inputs may be tried to make one smaller.
const ATTEMPTS: usize = 1500;

/// From now on panics are kept instead of printed.
pub fn keep_panics() {
    set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("a panic without a text");
        let place = panic.location().map_or(String::new(), |at| format!("{}:{}: ", at.file(), at.line()));
        LAST.with_borrow_mut(|last| *last = format!("{place}{message}"));
    }));
}

/// What is wrong with an input; `Ok` is what it has led to.
///
/// # Errors
/// Where the panic was and what it says.
pub fn attempt(target: Target, input: &[u8]) -> Result<crate::targets::Signs, String> {
    catch_unwind(AssertUnwindSafe(|| target.run(input))).map_err(|_| LAST.with_borrow(String::clone))
}

/// What two failures have in common if they are the same fault: the place, or the text without numbers.
pub fn kind(why: &str) -> String {
    why.lines().next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).take(90).collect()
}

/// A smaller input that fails in the same way.
pub fn smaller(target: Target, input: &[u8], why: &str) -> Vec<u8> {
    let kind_of_fault = kind(why);
    let mut left = ATTEMPTS;
    let mut fails = |input: &[u8]| {
        left = left.saturating_sub(1);
        left > 0 && attempt(target, input).is_err_and(|why| kind(&why) == kind_of_fault)
    };
    match std::str::from_utf8(input) {
        Ok(text) if target.takes_text() => smaller_text(text, &mut fails).into_bytes(),
        _ => smaller_bytes(input, &mut fails),
    }
}

fn smaller_text(text: &str, fails: &mut impl FnMut(&[u8]) -> bool) -> String {
    let mut best = Tokens::of(text);
    loop {
        let before = best.len();
        let mut at = 0;
        while at < best.len() {
            let ends = [best.statement_end(at), best.tree_end(at), at + 1];
            let shorter = ends.into_iter().map(|end| best.without(at, end.max(at + 1).min(best.len())));
            match shorter.into_iter().find(|tokens| fails(tokens.text().as_bytes())) {
                Some(tokens) => best = tokens,
                None => at += 1,
            }
        }
        if best.len() == before {
            return best.text();
        }
    }
}

fn smaller_bytes(input: &[u8], fails: &mut impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut size = best.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at + size <= best.len() {
            let shorter = [&best[..at], &best[at + size..]].concat();
            if fails(&shorter) { best = shorter } else { at += size }
        }
        size /= 2;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_removed() {
        let needs = |text: &[u8]| String::from_utf8_lossy(text).contains("@fault");
        let text = "var a: u16 = 1;\nfn f() void { if (a == 2) { @fault(a, 3); } }\ncomptime { f(); }";
        assert_eq!(smaller_text(text, &mut |text| needs(text)).trim(), "@fault");
        let bytes = [vec![7; 900], b"@fault".to_vec(), vec![9; 77]].concat();
        assert_eq!(smaller_bytes(&bytes, &mut |bytes| needs(bytes)), b"@fault");
    }

    #[test]
    fn a_panic_is_kept_with_its_place() {
        let numbers = ["src/a.rs:10: index 7 of 5", "src/a.rs:11: index 8 of 5"];
        assert_eq!(kind(numbers[0]), kind(numbers[1]));
        assert_ne!(kind(numbers[0]), kind("src/b.rs:10: index 7 of 5"));
    }
}
