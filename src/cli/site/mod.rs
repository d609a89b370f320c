//! `cslrun book` and `cslrun play`: the site on this machine.
//!
//! In: the site as a folder, or the one that was compiled into the command. Out: an address for a browser.
//! Never: answers another machine, or gives out a file that is not of the site.

mod http;
mod pages;

use super::args::SiteArgs;
use super::outcome::Outcome;
use super::{Exit, interrupt, output};
use crate::MessageFormat;
use pages::{Folder, Pack, Pages};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};

/// The site that was compiled in, if there is one. A default build has none: it takes 5 MB.
#[cfg(feature = "site")]
const PACK: Option<&[u8]> = Some(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/target/site.pack")));
#[cfg(not(feature = "site"))]
const PACK: Option<&[u8]> = None;

/// Serves the site until Ctrl-C, and prints the address of one of its parts: `book` or `play`.
pub fn serve(part: &str, args: &SiteArgs) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    let pages = match pages(part, args) {
        Ok(pages) => pages,
        Err(why) => {
            outcome.refuse(why);
            return outcome;
        }
    };
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)) {
        Ok(listener) => listener,
        Err(e) => {
            outcome.refuse(match e.kind() {
                ErrorKind::AddrInUse => {
                    format!("port {} is in use; choose another one, or `--port 0` for any", args.port)
                }
                _ => format!("the system refuses port {}: {e}", args.port),
            });
            return outcome;
        }
    };
    let port = listener.local_addr().map_or(args.port, |address| address.port());
    interrupt::server_begins();
    if !output::print(&format!("http://127.0.0.1:{port}/{part}/\nCtrl-C ends the server.\n")) {
        outcome.exit = Exit::Usage;
        return outcome;
    }
    http::serve(&listener, pages);
    outcome
}

/// The site that the arguments name.
fn pages(part: &str, args: &SiteArgs) -> Result<Box<dyn Pages>, String> {
    if let Some(folder) = &args.site {
        if folder.join(part).join("index.html").is_file() {
            return Ok(Box::new(Folder(folder.clone())));
        }
        return Err(format!(
            "{} is no site with a folder `{part}`; `scripts/site` in the repository of cslrun builds one",
            folder.display()
        ));
    }
    let Some(pack) = PACK else {
        return Err(format!(
            "this cslrun holds no site: run `scripts/site` in the repository of cslrun, and then `cslrun {part} --site \
             target/site`, or build cslrun with `--features site`"
        ));
    };
    Pack::new(pack).map(|pack| Box::new(pack) as Box<dyn Pages>)
}
