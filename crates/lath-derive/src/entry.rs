//! What is written in the parentheses of an attribute: `key`, `key = value` and `key(…)`, with
//! commas between them.

use proc_macro::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};

use crate::cursor::{Cursor, flatten, is_punct, is_word};
use crate::error::{Error, Errors, list, nearest};

/// One attribute of ours, not looked into yet.
pub(crate) struct Attr {
    pub(crate) name: Span,
    /// What follows the name.
    body: TokenStream,
}

impl Attr {
    /// Takes what is between the brackets of `#[…]`, or leaves it alone if it is not called `name`.
    pub(crate) fn parse(brackets: &Group, name: &str) -> Option<Self> {
        let mut tokens = flatten(brackets.stream()).into_iter();
        let word = tokens.next().filter(|token| is_word(token, name))?;
        Some(Self { name: word.span(), body: tokens.collect() })
    }

    /// What is between the parentheses that must follow the name.
    pub(crate) fn list(self, example: &str) -> Result<Cursor, Error> {
        match Cursor::new(self.body, self.name).group(Delimiter::Parenthesis) {
            Some(list) => Ok(Cursor::new(flatten(list.stream()), list.span_close())),
            None => Err(Error::at(self.name, format!("expected a list, as in `{example}`"))),
        }
    }
}

/// `key`, `key = value` or `key(…)`.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

pub(crate) enum Value {
    None,
    /// What is written after `=`: at least one token.
    Equals(Vec<TokenTree>),
    List(Group),
}

impl Entry {
    /// Reads one entry up to the comma after it.
    fn parse(cursor: &mut Cursor) -> Result<Self, Error> {
        let key = cursor.ident("a key")?;
        let value = if cursor.punct('=').is_some() {
            if cursor.is_at_comma_or_end() {
                return Err(cursor.expected(&format!("a value after `{key} =`")));
            }
            Value::Equals(cursor.until(|token| is_punct(token, ',')))
        } else {
            cursor.group(Delimiter::Parenthesis).map_or(Value::None, Value::List)
        };
        if cursor.is_at_comma_or_end() {
            Ok(Self { key, value })
        } else {
            Err(cursor.expected("a comma"))
        }
    }

    /// All entries that are left. One that makes no sense is reported and left out.
    pub(crate) fn all(mut cursor: Cursor, errors: &mut Errors) -> Vec<Self> {
        let mut entries = Vec::new();
        while !cursor.is_empty() {
            match Self::parse(&mut cursor) {
                Ok(entry) => entries.push(entry),
                Err(error) => errors.push(error),
            }
            // The comma, and what is left of a bad entry before it.
            while cursor.next().is_some_and(|token| !is_punct(&token, ',')) {}
        }
        entries
    }

    /// Fills `slot`, unless an earlier entry has.
    pub(crate) fn once<T>(&self, slot: &mut Option<T>, value: T, errors: &mut Errors) {
        if slot.is_some() {
            errors.at(self.key.span(), format!("`{}` is given twice", self.key));
        } else {
            *slot = Some(value);
        }
    }

    pub(crate) fn expect_no_value(&self, errors: &mut Errors) {
        if !matches!(self.value, Value::None) {
            errors.push(self.wrong_value("takes no value"));
        }
    }

    pub(crate) fn expect_list(&self, example: &str, errors: &mut Errors) -> Option<&Group> {
        if let Value::List(list) = &self.value {
            return Some(list);
        }
        errors.push(self.wrong_value(&format!("needs a list, as in `{example}`")));
        None
    }

    /// The tokens after `=`, of which there is at least one.
    pub(crate) fn expect_value(
        &self,
        what: &str,
        example: &str,
        errors: &mut Errors,
    ) -> Option<&[TokenTree]> {
        if let Value::Equals(tokens) = &self.value {
            return Some(tokens);
        }
        errors.push(self.wrong_value(&format!("needs {what}, as in `{example}`")));
        None
    }

    pub(crate) fn expect_name(&self, example: &str, errors: &mut Errors) -> Option<Ident> {
        if let Value::Equals(tokens) = &self.value {
            if let [TokenTree::Ident(name)] = &tokens[..] {
                return Some(name.clone());
            }
        }
        errors.push(self.wrong_value(&format!("needs a name, as in `{example}`")));
        None
    }

    pub(crate) fn expect_text(&self, example: &str, errors: &mut Errors) -> Option<Literal> {
        if let Value::Equals(tokens) = &self.value {
            if let [TokenTree::Literal(text)] = &tokens[..] {
                if text.to_string().starts_with('"') {
                    return Some(text.clone());
                }
            }
        }
        errors.push(self.wrong_value(&format!("needs a text in quotes, as in `{example}`")));
        None
    }

    pub(crate) fn expect_number(&self, example: &str, errors: &mut Errors) -> Option<(u32, Span)> {
        let number = match &self.value {
            Value::Equals(tokens) => match &tokens[..] {
                [token] => whole_number(&token.to_string()).map(|number| (number, token.span())),
                _ => None,
            },
            _ => None,
        };
        if number.is_none() {
            errors.push(
                self.wrong_value(&format!("needs a plain decimal number, as in `{example}`")),
            );
        }
        number
    }

    /// Says that this key `needs` another value, and points at the one that it has.
    pub(crate) fn wrong_value(&self, needs: &str) -> Error {
        let (first, last) = match &self.value {
            Value::None => (self.key.span(), self.key.span()),
            Value::Equals(tokens) => (tokens[0].span(), tokens[tokens.len() - 1].span()),
            Value::List(list) => (list.span(), list.span()),
        };
        Error::between(first, last, format!("`{}` {needs}", self.key))
    }

    pub(crate) fn unknown(&self, place: &str, known: &[&str], errors: &mut Errors) {
        let key = self.key.to_string();
        let meant = nearest(&key, known)
            .map(|word| format!(", did you mean `{word}`?"))
            .unwrap_or_default();
        errors.at(
            self.key.span(),
            format!("unknown key `{key}`{meant} (known {place}: {})", list(known)),
        );
    }
}

/// A decimal number without a suffix.
fn whole_number(text: &str) -> Option<u32> {
    let plain = text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    // Too large for a `u32` is too large for anything here: let the check of the bits say so.
    plain.then(|| text.replace('_', "").parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_and_whole() {
        assert_eq!(whole_number("20"), Some(20));
        assert_eq!(whole_number("1_6"), Some(16));
        assert_eq!(whole_number("99999999999"), Some(u32::MAX));
        for text in ["0x10", "16u32", "1.5", "\"16\"", "'1'", "true", "WIDTH", "_", "-"] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }
}
