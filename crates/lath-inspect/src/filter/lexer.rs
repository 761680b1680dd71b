//! Letters to words, each with its column.

use super::{Compare, MOST_LETTERS, fault};
use crate::response::Fault;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Name(String),
    Number(f64),
    Text(String),
    Compare(Compare),
    And,
    Or,
    Not,
    Bar,
    Open,
    Close,
}

/// All words and their columns, counted in letters from 1.
pub(super) fn words(text: &str) -> Result<Vec<(usize, Word)>, Fault> {
    let letters: Vec<char> = text.chars().take(MOST_LETTERS + 1).collect();
    if letters.len() > MOST_LETTERS {
        return Err(fault(MOST_LETTERS, format!("a filter has at most {MOST_LETTERS} letters")));
    }
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let column = at + 1;
        let next = letters.get(at + 1).copied();
        let (word, length) = match (letter, next) {
            (letter, _) if letter.is_whitespace() => {
                at += 1;
                continue;
            }
            ('&', Some('&')) => (Word::And, 2),
            ('|', Some('|')) => (Word::Or, 2),
            ('|', _) => (Word::Bar, 1),
            ('<', Some('=')) => (Word::Compare(Compare::LessOrEqual), 2),
            ('>', Some('=')) => (Word::Compare(Compare::GreaterOrEqual), 2),
            ('=', Some('=')) => (Word::Compare(Compare::Equal), 2),
            ('!', Some('=')) => (Word::Compare(Compare::NotEqual), 2),
            ('<', _) => (Word::Compare(Compare::Less), 1),
            ('>', _) => (Word::Compare(Compare::Greater), 1),
            ('=', _) => (Word::Compare(Compare::Equal), 1),
            ('~', _) => (Word::Compare(Compare::Like), 1),
            ('!', _) => (Word::Not, 1),
            ('(', _) => (Word::Open, 1),
            (')', _) => (Word::Close, 1),
            ('"' | '\'', _) => quoted(&letters, at)?,
            (letter, next) if starts_number(letter, next) => number(&letters, at)?,
            (letter, _) if letter.is_alphabetic() || letter == '_' => name(&letters, at),
            ('&', _) => return Err(fault(column, "a single `&` means nothing: write `&&`".into())),
            (letter, _) => return Err(fault(column, format!("`{letter}` means nothing here"))),
        };
        words.push((column, word));
        at += length;
    }
    Ok(words)
}

fn starts_number(letter: char, next: Option<char>) -> bool {
    let digit = |letter: char| letter.is_ascii_digit();
    digit(letter)
        || matches!(letter, '-' | '+' | '.') && next.is_some_and(|next| digit(next) || next == '.')
}

fn number(letters: &[char], from: usize) -> Result<(Word, usize), Fault> {
    let mut to = from + 1;
    while let Some(&letter) = letters.get(to) {
        let sign_of_exponent = matches!(letter, '-' | '+') && matches!(letters[to - 1], 'e' | 'E');
        if !(letter.is_alphanumeric() || letter == '.' || letter == '_' || sign_of_exponent) {
            break;
        }
        to += 1;
    }
    let text: String = letters[from..to].iter().filter(|&&letter| letter != '_').collect();
    match text.parse() {
        Ok(number) => Ok((Word::Number(number), to - from)),
        Err(_) => Err(fault(from + 1, format!("`{text}` is not a number"))),
    }
}

/// Names have dots in them: `pos.x`, `pos.0`.
fn name(letters: &[char], from: usize) -> (Word, usize) {
    let part = |letter: &&char| letter.is_alphanumeric() || matches!(**letter, '_' | '.');
    let name: String = letters[from..].iter().take_while(part).collect();
    let length = name.chars().count();
    (Word::Name(name), length)
}

fn quoted(letters: &[char], from: usize) -> Result<(Word, usize), Fault> {
    let quote = letters[from];
    let mut text = String::new();
    let mut at = from + 1;
    while let Some(&letter) = letters.get(at) {
        at += 1;
        match letter {
            letter if letter == quote => return Ok((Word::Text(text), at - from)),
            '\\' => {
                text.extend(letters.get(at));
                at += 1;
            }
            letter => text.push(letter),
        }
    }
    Err(fault(from + 1, format!("the text that begins here has no {quote} at its end")))
}
