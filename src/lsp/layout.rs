//! The one layout of a file, by the code of `cslrun fmt`.

use super::navigate::file;
use super::state::{Answer, State};
use crate::{FileId, formatted};
use lsp_types::{DocumentFormattingParams, TextEdit};

/// `textDocument/formatting`
pub fn format(state: &State, params: DocumentFormattingParams) -> Answer<Option<Vec<TextEdit>>> {
    let (_, file) = file(state, &params.text_document.uri)?;
    let old = &*file.text.text;
    // A text with syntax errors has no layout; its diagnostics say why.
    let Ok(new) = formatted(FileId(0), old) else { return Ok(None) };
    if new == old {
        return Ok(Some(Vec::new()));
    }
    // Only the lines between the first and the last difference change, so that the cursor stays where it is.
    let head: usize = old
        .split_inclusive('\n')
        .zip(new.split_inclusive('\n'))
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len())
        .sum();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let ends = old_rest.rsplit('\n').zip(new_rest.rsplit('\n')).take_while(|(a, b)| a == b);
    let mut tail = 0;
    for (line, _) in ends {
        let longer = tail + line.len() + 1;
        if longer > old_rest.len() || longer > new_rest.len() {
            break;
        }
        tail = longer;
    }
    let tail = tail.saturating_sub(1);
    let range = file.text.range((head as u32, (old.len() - tail) as u32));
    Ok(Some(vec![TextEdit { range, new_text: new[head..new.len() - tail].to_string() }]))
}
