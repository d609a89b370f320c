//! Changes to a program at the level of its tokens and brackets, so that most mutants still parse.

use crate::dice::Dice;

/// What a token is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    Other,
}

/// A token, with the blanks and comments before it.
#[derive(Clone, Debug)]
struct Token {
    before: String,
    text: String,
    kind: Kind,
}

/// A program as tokens; what lies between brackets is a tree.
#[derive(Clone, Debug)]
pub struct Tokens {
    all: Vec<Token>,
    /// What follows the last token.
    end: String,
}

impl Tokens {
    /// Cuts a text into tokens. Any text is fine: what is no token of CSL is a token of one character.
    pub fn of(text: &str) -> Tokens {
        let (mut all, mut rest) = (Vec::new(), text);
        loop {
            let blanks = blank_prefix(rest);
            let (before, behind) = rest.split_at(blanks);
            let Some(first) = behind.chars().next() else { return Tokens { all, end: before.to_string() } };
            let (length, kind) = match first {
                'a'..='z' | 'A'..='Z' | '_' | '@' => (word_prefix(&behind[1..]) + 1, Kind::Word),
                '0'..='9' => (number_prefix(behind), Kind::Number),
                '"' => (string_prefix(behind), Kind::Other),
                other => (other.len_utf8(), Kind::Other),
            };
            let (text, after) = behind.split_at(length);
            all.push(Token { before: before.to_string(), text: text.to_string(), kind });
            rest = after;
        }
    }

    /// The text again.
    pub fn text(&self) -> String {
        let tokens = self.all.iter().flat_map(|token| [token.before.as_str(), token.text.as_str()]);
        tokens.chain([self.end.as_str()]).collect()
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// One past the last token of the tree that starts at a token: a bracket with all that it encloses, or the token.
    pub fn tree_end(&self, at: usize) -> usize {
        let mut depth = 0;
        for (n, token) in self.all.iter().enumerate().skip(at) {
            match token.text.as_str() {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                _ => {}
            }
            if depth <= 0 {
                return n + 1;
            }
        }
        self.all.len()
    }

    /// One past the last token of the statement that starts at a token: up to its `;`, or to the end of its block.
    pub fn statement_end(&self, at: usize) -> usize {
        let mut n = at;
        while n < self.all.len() {
            let text = self.all[n].text.as_str();
            if matches!(text, ")" | "}" | "]") {
                return n;
            }
            n = self.tree_end(n);
            if text == ";" || text == "{" {
                return n;
            }
        }
        n
    }

    /// The same without some tokens.
    #[must_use]
    pub fn without(&self, from: usize, to: usize) -> Tokens {
        let mut shorter = self.clone();
        shorter.all.drain(from..to.max(from));
        shorter
    }

    /// Where statements begin.
    fn statements(&self) -> Vec<usize> {
        let begins = |n: usize| n == 0 || matches!(self.all[n - 1].text.as_str(), ";" | "{" | "}");
        (0..self.all.len()).filter(|n| begins(*n)).collect()
    }

    fn of_kind(&self, kind: Kind) -> Vec<usize> {
        (0..self.all.len()).filter(|n| self.all[*n].kind == kind).collect()
    }
}

fn blank_prefix(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if !rest.starts_with("//") {
            return text.len() - rest.len();
        }
        rest = rest.find('\n').map_or("", |end| &rest[end..]);
    }
}

fn word_prefix(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

fn number_prefix(text: &str) -> usize {
    let whole = word_prefix(text);
    let fraction =
        text[whole..].strip_prefix('.').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    whole + fraction.map_or(0, |rest| 1 + word_prefix(rest))
}

fn string_prefix(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

/// Numbers at which something changes: widths, counts of registers, the memory of a PE.
const NUMBERS: [&str; 30] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "9",
    "15",
    "16",
    "17",
    "23",
    "24",
    "30",
    "31",
    "32",
    "63",
    "64",
    "127",
    "255",
    "256",
    "24575",
    "24576",
    "32767",
    "32768",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
];

/// Words and signs that change what a program means.
const WORDS: [&str; 60] = [
    "@as",
    "@bitcast",
    "@zeros",
    "@constants",
    "@range",
    "@get_dsd",
    "@get_color",
    "@get_local_task_id",
    "@get_data_task_id",
    "@get_control_task_id",
    "@get_input_queue",
    "@get_output_queue",
    "@get_dsr",
    "@load_to_dsr",
    "@increment_dsd_offset",
    "@set_dsd_base_addr",
    "@set_dsd_length",
    "@set_dsd_stride",
    "@allocate_fifo",
    "@map",
    "@fadds",
    "@fmovs",
    "@mov16",
    "@mov32",
    "@fmacs",
    "@add16",
    "@faddh",
    "@fmovh",
    "@activate",
    "@block",
    "@unblock",
    "@import_module",
    "@is_same_type",
    "@type_of",
    "@assert",
    "@dfilt",
    "@initialize_queue",
    "@set_fifo_read_length",
    "comptime",
    "var",
    "const",
    "if",
    "else",
    "while",
    "for",
    "switch",
    "break",
    "continue",
    "return",
    "inline",
    "u16",
    "i16",
    "u32",
    "i32",
    "f16",
    "f32",
    "bool",
    "void",
    "true",
    "undefined",
];

/// Makes mutants.
pub struct Mutator<'a> {
    dice: Dice,
    /// Programs to take parts from.
    others: &'a [String],
}

impl<'a> Mutator<'a> {
    /// A mutator that a seed decides.
    pub fn new(seed: u64, others: &'a [String]) -> Mutator<'a> {
        Mutator { dice: Dice::new(seed), others }
    }

    /// A mutant: one to four changes, and the header of the case as it was.
    pub fn mutant(&mut self, text: &str) -> String {
        let header =
            text.split_inclusive('\n').take_while(|line| line.starts_with("//!")).map(str::len).sum();
        let (header, body) = text.split_at(header);
        let mut tokens = Tokens::of(body);
        for _ in 0..=self.dice.below(4) {
            if !tokens.is_empty() {
                self.change(&mut tokens);
            }
        }
        format!("{header}{}", tokens.text())
    }

    fn change(&mut self, tokens: &mut Tokens) {
        match self.dice.below(12) {
            0 | 1 => self.number(tokens),
            2 => self.word(tokens),
            3 => self.known_word(tokens),
            4 => self.remove(tokens),
            5 => self.repeat_statement(tokens),
            6 => self.swap(tokens),
            7 | 8 => self.graft(tokens),
            9 => self.wrap(tokens),
            10 => self.operator(tokens),
            _ => self.scramble(tokens),
        }
    }

    fn number(&mut self, tokens: &mut Tokens) {
        let Some(at) = self.dice.one(&tokens.of_kind(Kind::Number)).copied() else { return };
        let text = &mut tokens.all[at].text;
        let near = text.parse::<i64>().ok().map(|n| n.wrapping_add([-1, 1][self.dice.below(2)]));
        *text = match near.filter(|_| self.dice.below(3) == 0) {
            Some(near) => near.to_string(),
            None => NUMBERS[self.dice.below(NUMBERS.len())].to_string(),
        };
    }

    fn word(&mut self, tokens: &mut Tokens) {
        let words = tokens.of_kind(Kind::Word);
        let (Some(to), Some(from)) = (self.dice.one(&words).copied(), self.dice.one(&words).copied()) else {
            return;
        };
        tokens.all[to].text = tokens.all[from].text.clone();
    }

    fn known_word(&mut self, tokens: &mut Tokens) {
        let Some(at) = self.dice.one(&tokens.of_kind(Kind::Word)).copied() else { return };
        tokens.all[at].text = WORDS[self.dice.below(WORDS.len())].to_string();
    }

    fn remove(&mut self, tokens: &mut Tokens) {
        let is_statement = self.dice.below(2) == 0;
        let starts = if is_statement { tokens.statements() } else { (0..tokens.len()).collect() };
        let Some(at) = self.dice.one(&starts).copied() else { return };
        let end = if is_statement { tokens.statement_end(at) } else { tokens.tree_end(at) };
        tokens.all.drain(at..end);
    }

    fn repeat_statement(&mut self, tokens: &mut Tokens) {
        let starts = tokens.statements();
        let (Some(from), Some(to)) = (self.dice.one(&starts).copied(), self.dice.one(&starts).copied())
        else {
            return;
        };
        let copy = tokens.all[from..tokens.statement_end(from)].to_vec();
        tokens.all.splice(to..to, copy);
    }

    fn swap(&mut self, tokens: &mut Tokens) {
        let (a, b) = (self.dice.below(tokens.len()), self.dice.below(tokens.len()));
        let (first, second) = (a.min(b), a.max(b));
        let (first_end, second_end) = (tokens.tree_end(first), tokens.tree_end(second));
        if first_end > second {
            return;
        }
        let moved = tokens.all[second..second_end].to_vec();
        let other: Vec<Token> = tokens.all.splice(first..first_end, moved).collect();
        let shift = (second_end - second) as isize - (first_end - first) as isize;
        let at = second.wrapping_add_signed(shift);
        tokens.all.splice(at..at + (second_end - second), other);
    }

    /// Takes a tree or a statement of another program.
    fn graft(&mut self, tokens: &mut Tokens) {
        let Some(other) = self.dice.one(self.others) else { return };
        let other = Tokens::of(other);
        if other.is_empty() {
            return;
        }
        if self.dice.below(2) == 0 {
            let (Some(from), Some(to)) =
                (self.dice.one(&other.statements()).copied(), self.dice.one(&tokens.statements()).copied())
            else {
                return;
            };
            tokens.all.splice(to..to, other.all[from..other.statement_end(from)].to_vec());
            return;
        }
        let (from, to) = (self.dice.below(other.len()), self.dice.below(tokens.len()));
        let (from_end, to_end) = (other.tree_end(from), tokens.tree_end(to));
        tokens.all.splice(to..to_end, other.all[from..from_end].to_vec());
    }

    fn wrap(&mut self, tokens: &mut Tokens) {
        const AROUND: [(&str, &str); 10] = [
            ("(", ")"),
            ("-", ""),
            ("!", ""),
            ("&", ""),
            ("@as(u16, ", ")"),
            ("@as(f16, ", ")"),
            ("@bitcast(u32, ", ")"),
            ("", ".*"),
            ("", "[0]"),
            ("", "()"),
        ];
        let at = self.dice.below(tokens.len());
        let end = tokens.tree_end(at);
        let (before, after) = AROUND[self.dice.below(AROUND.len())];
        tokens.all[end - 1].text.push_str(after);
        tokens.all[at].text.insert_str(0, before);
    }

    fn operator(&mut self, tokens: &mut Tokens) {
        const SIGNS: [&str; 24] = [
            "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "=", "!", "~", ".", ",", ";", ":", "?", "(",
            ")", "[", "]", "{", "}",
        ];
        let Some(at) = self.dice.one(&tokens.of_kind(Kind::Other)).copied() else { return };
        tokens.all[at].text = SIGNS[self.dice.below(SIGNS.len())].to_string();
    }

    /// Damages the characters themselves.
    fn scramble(&mut self, tokens: &mut Tokens) {
        const CHARACTERS: [char; 12] =
            ['\0', '\x1b', '"', '\'', '\\', '\u{202e}', 'é', '𝄞', '\r', '#', '$', '9'];
        let at = self.dice.below(tokens.len());
        let text = &mut tokens.all[at].text;
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
        let place = places[self.dice.below(places.len())];
        text.insert(place, CHARACTERS[self.dice.below(CHARACTERS.len())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds;

    #[test]
    fn tokens_are_the_whole_text_and_brackets_are_trees() {
        for text in seeds::all() {
            assert_eq!(Tokens::of(&text).text(), text);
        }
        let tokens = Tokens::of("f(a, { 1; }) + \"x\\\"\" // end\n;g();");
        assert_eq!((tokens.tree_end(0), tokens.tree_end(1), tokens.statement_end(0)), (1, 9, 12));
        assert_eq!(tokens.without(1, 9).text(), "f + \"x\\\"\" // end\n;g();");
    }

    #[test]
    fn a_seed_decides_the_mutants_and_the_header_stays() {
        let seeds = seeds::all();
        let text = seeds.iter().find(|text| text.starts_with("//! ")).expect("cases have headers");
        let mutants = |seed: u64| {
            let mut mutator = Mutator::new(seed, &seeds);
            (0..50).map(|_| mutator.mutant(text)).collect::<Vec<_>>()
        };
        assert_eq!(mutants(1), mutants(1));
        assert_ne!(mutants(1), mutants(2));
        let first = text.lines().next().expect("a header");
        assert!(mutants(3).iter().all(|mutant| mutant.starts_with(first)));
    }
}
