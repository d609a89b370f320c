//! Programs that hang, each with a mistake that people make: the report names the PE and the line.

use crate::case_file::{Case, all_cases};
use crate::cases::check;
use cslrun::cli::Exit;
use cslrun::diagnostics::Severity;

#[test]
fn the_report_of_every_hang_names_its_root() {
    let cases = all_cases();
    let hangs: Vec<_> = cases.iter().filter(|c| c.path.to_string_lossy().contains("cases/hangs/")).collect();
    assert!(hangs.len() >= 30, "{} programs that hang", hangs.len());
    let failures: Vec<String> = hangs.iter().filter_map(|case| names_its_root(case).err()).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The marks of the case say which line; its header says which PE.
fn names_its_root(case: &Case) -> Result<(), String> {
    let name = case.path.display();
    let outcome = check(case).map_err(|e| format!("{name}: {e}"))?;
    if outcome.exit != Exit::Stuck {
        return Err(format!("{name}: ended with {:?}", outcome.exit));
    }
    let mut errors = outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let (Some(error), None) = (errors.next(), errors.next()) else {
        return Err(format!("{name}: not one error"));
    };
    let is_marked = case.files.iter().any(|f| f.text.contains("//~ error["));
    let found = error.moment.map(|m| format!("PE({},{})", m.x, m.y));
    match is_marked && found.is_some() && found == case.root {
        true => Ok(()),
        false => {
            Err(format!("{name}: a marked line: {is_marked}; the root is {found:?}, not {:?}", case.root))
        }
    }
}
