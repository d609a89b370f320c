//! Texts across the border of WebAssembly, where only numbers can pass: the host writes a request into the memory of
//! the module and reads the answer there.
//!
//! It is four functions, so wasm-bindgen would be more than it replaces: its command line tool must have exactly the
//! version of its crate, and takes minutes to build.
#![expect(
    unsafe_code,
    reason = "a name that the host can find is an unsafe attribute; nothing here is unsafe code"
)]

use crate::Tool;
use std::cell::RefCell;
use std::sync::Mutex;

/// What the module says before it ends by its own fault.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

thread_local! {
    static TOOL: RefCell<Option<Tool>> = const { RefCell::new(None) };
    /// The request, and then its answer.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for a request of so many bytes of UTF-8.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(bytes, 0);
        text.as_mut_ptr()
    })
}

/// Answers the request. Gives the length of the answer.
#[unsafe(no_mangle)]
extern "C" fn answer() -> usize {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let what = text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        if let Ok(mut words) = LAST_WORDS.lock() {
            *words = format!("{what}{place}");
        }
    }));
    let request = TEXT.take();
    let answer =
        TOOL.with_borrow_mut(|tool| tool.get_or_insert_default().call(&String::from_utf8_lossy(&request)));
    let length = answer.len();
    TEXT.set(answer.into_bytes());
    length
}

/// Where the answer stands.
#[unsafe(no_mangle)]
extern "C" fn text() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}

/// After a fault: puts what was said about it in place of the answer. Gives its length.
#[unsafe(no_mangle)]
extern "C" fn last_words() -> usize {
    let words = LAST_WORDS.lock().map(|words| words.clone()).unwrap_or_default();
    let length = words.len();
    TEXT.set(words.into_bytes());
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_lies_where_the_request_was() {
        let request = br#"{"do":"nothing"}"#;
        assert!(!room(request.len()).is_null());
        TEXT.with_borrow_mut(|text| text.copy_from_slice(request));
        let length = answer();
        let said = TEXT.with_borrow(|text| String::from_utf8_lossy(text).into_owned());
        assert_eq!(said.len(), length);
        assert!(said.starts_with("{\"refused\":"), "{said}");
        assert!(!text().is_null());
    }
}
