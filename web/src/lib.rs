//! cslrun for a page in a browser, or for any other host that runs WebAssembly.
//!
//! In: requests as JSON, with the words of a command line and the files of a program. Out: answers as JSON. Never: decides
//! what CSL means, or knows what a page looks like.
//!
//! [`Tool::call`] is the whole interface; `abi` hands its texts over the border of WebAssembly.

mod abi;
mod request;
mod run;

pub use request::Tool;
