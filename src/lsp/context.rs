//! Where a place of a text is: in which call, at which argument, in which struct of settings.

use super::workspace::File;
use crate::LexemeKind;

/// The call around a place.
pub struct Around {
    /// The builtin or the name that is called.
    pub callee: usize,
    /// The open bracket of its arguments.
    pub open: usize,
    /// Arguments in front of this one.
    pub argument: usize,
    /// The fields around the place within the argument, outermost first.
    pub path: Vec<String>,
    /// Structs and tuples around the place within the argument.
    pub braces: usize,
}

/// The innermost call whose brackets are open in front of the word at a position, or behind the last one.
pub fn around(file: &File, at: usize) -> Option<Around> {
    let kind = |n: usize| file.index.lexemes[n].kind;
    let text = |n: usize| file.text.slice((file.index.lexemes[n].lo, file.index.lexemes[n].hi));
    let (mut depth, mut argument, mut path, mut braces) = (0u32, 0, Vec::new(), 0);
    for n in (0..at).rev() {
        match kind(n) {
            LexemeKind::Close => depth += 1,
            LexemeKind::Open if depth > 0 => depth -= 1,
            LexemeKind::Open => match text(n) {
                "(" => {
                    let callee = file.index.before(n)?;
                    if matches!(kind(callee), LexemeKind::Name | LexemeKind::Builtin) {
                        path.reverse();
                        return Some(Around { callee, open: n, argument, path, braces });
                    }
                    argument = 0;
                }
                ".{" => {
                    let assign = file.index.before(n).filter(|n| kind(*n) == LexemeKind::Assign);
                    let name = assign.and_then(|n| file.index.before(n));
                    path.extend(name.map(|n| text(n).to_string()));
                    (argument, braces) = (0, braces + 1);
                }
                "[" => argument = 0,
                _ => return None,
            },
            LexemeKind::Comma if depth == 0 => argument += 1,
            LexemeKind::Semicolon if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The position of the first word that begins at an offset or behind it.
pub fn first_from(file: &File, offset: u32) -> usize {
    file.index.lexemes.partition_point(|lexeme| lexeme.lo < offset)
}
