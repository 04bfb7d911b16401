//! A small reader of JSON: a text becomes a tree of values. Nothing but the standard library.

/// A value, with the text that it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Json<'a> {
    /// The value as it was written.
    pub raw: &'a str,
    kind: Kind<'a>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Json<'a>>),
    Object(Vec<(String, Json<'a>)>),
}

/// Nothing may be nested deeper.
const DEEPEST: usize = 100;

impl<'a> Json<'a> {
    /// The value that a text holds; `None` if it is not JSON.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_space();
        (reader.at == text.len()).then_some(value)
    }

    /// A field of an object.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        let (_, value) = self.fields().iter().find(|(name, _)| name == key)?;
        Some(value)
    }

    /// The fields of an object, in order; none if it is something else.
    pub fn fields(&self) -> &[(String, Json<'a>)] {
        match &self.kind {
            Kind::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The values of an array; none if it is something else.
    pub fn items(&self) -> &[Json<'a>] {
        match &self.kind {
            Kind::Array(items) => items,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Passes over what is there, after white space; whether it was there.
    fn take(&mut self, wanted: &str) -> bool {
        self.skip_space();
        let there = self.rest().starts_with(wanted);
        if there {
            self.at += wanted.len();
        }
        there
    }

    fn value(&mut self, depth: usize) -> Option<Json<'a>> {
        self.skip_space();
        let start = self.at;
        let kind = self.kind(depth)?;
        let raw = &self.text[start..self.at];
        Some(Json { raw, kind })
    }

    fn kind(&mut self, depth: usize) -> Option<Kind<'a>> {
        if depth > DEEPEST {
            None
        } else if self.take("{") {
            let field = |reader: &mut Self| {
                let key = reader.take("\"").then(|| reader.string())??;
                reader.take(":").then_some(())?;
                Some((key, reader.value(depth + 1)?))
            };
            Some(Kind::Object(self.list("}", field)?))
        } else if self.take("[") {
            let item = |reader: &mut Self| reader.value(depth + 1);
            Some(Kind::Array(self.list("]", item)?))
        } else if self.take("\"") {
            Some(Kind::Text(self.string()?))
        } else if self.take("null") {
            Some(Kind::Null)
        } else if self.take("true") {
            Some(Kind::Bool(true))
        } else if self.take("false") {
            Some(Kind::Bool(false))
        } else {
            self.number()
        }
    }

    /// Reads the items between brackets; the opening one is read already.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut items = Vec::new();
        if self.take(close) {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            if !self.take(",") {
                return self.take(close).then_some(items);
            }
        }
    }

    fn number(&mut self) -> Option<Kind<'a>> {
        let rest = self.rest();
        let digits = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let end = rest.find(|c| !digits(c)).unwrap_or(rest.len());
        self.at += end;
        Some(Kind::Number(rest[..end].parse().ok()?))
    }

    /// A text after its first quote.
    fn string(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            let end = self.rest().find(['"', '\\'])?;
            text.push_str(&self.rest()[..end]);
            self.at += end + 1;
            if self.text.as_bytes()[self.at - 1] == b'"' {
                return Some(text);
            }
            text.push(self.escape()?);
        }
    }

    /// Reads the character after a backslash.
    fn escape(&mut self) -> Option<char> {
        let name = self.rest().chars().next()?;
        self.at += name.len_utf8();
        Some(match name {
            '"' | '\\' | '/' => name,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let first = self.hex()?;
                let pair = (0xD800..0xDC00).contains(&first) && self.rest().starts_with("\\u");
                let units = if pair {
                    self.at += 2;
                    vec![first, self.hex()?]
                } else {
                    vec![first]
                };
                char::decode_utf16(units).next()?.ok()?
            }
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u16> {
        let digits = self.rest().get(..4)?;
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let text = r#" {"a": [1, -2.5e1, "\u00e9\n\ud83d\ude00"], "b": {"c": null}} "#;
        let value = Json::parse(text).unwrap();
        let items = value.get("a").unwrap().items();
        assert_eq!(items[1].number(), Some(-25.0));
        assert_eq!(items[2].text(), Some("é\n😀"));
        let object = value.get("b").unwrap();
        assert_eq!(object.raw, r#"{"c": null}"#);
        assert!(object.get("c").is_some() && object.get("d").is_none());
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for text in [
            "", "{", "[1,]", r#"{"a"}"#, r#""a"#, r#""\x""#, "nul", "1 2", "{1:2}", "-",
        ] {
            assert_eq!(Json::parse(text), None, "{text}");
        }
        assert_eq!(Json::parse(&"[".repeat(1000)), None);
    }
}
