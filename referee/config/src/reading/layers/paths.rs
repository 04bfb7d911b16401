//! Relative paths in included files. The schema marks the keys that are paths (`x-path`), so a new
//! key needs only its mark.

use std::ops::Range;
use std::path::Path;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::schema;
use crate::schema::json_schema::{items, properties};
use crate::sources::{Placed, Tree};

/// Makes relative paths of an included file relative to the folder of the first file. `from` leads
/// from that folder to the one of the included file.
pub(super) fn relocate(tree: &mut Tree<'_>, from: &Path) {
    if from == Path::new("") {
        return;
    }
    let root = schema::schema();
    let relocation = Relocation { root: &root, from };
    relocation.table(tree, 0..0, &root);
}

struct Relocation<'a> {
    root: &'a Value,
    from: &'a Path,
}

impl Relocation<'_> {
    /// `span` is the place of keys that are added.
    fn table(&self, table: &mut DeTable<'_>, span: Range<usize>, schema: &Value) {
        for (key, schema) in properties(self.root, schema).into_iter().flatten() {
            let mark = schema.get(schema::PATH_MARK).and_then(Value::as_str);
            if mark == Some(schema::FOLDER) && !table.contains_key(&**key) {
                let here = Spanned::new(span.clone(), DeValue::String("".into()));
                table.insert(Spanned::new(span.clone(), key.clone().into()), here);
            }
            let Some(value) = table.get_mut(&**key) else {
                continue;
            };
            match mark {
                Some(schema::RULES) => {
                    self.value(value, schema);
                    each(value, |line| self.rules(line));
                }
                Some(_) => each(value, |path| self.path(path)),
                None => self.value(value, schema),
            }
        }
    }

    fn value(&self, value: &mut Placed<'_>, schema: &Value) {
        let span = value.span();
        match value.get_mut() {
            DeValue::Table(table) => self.table(table, span, schema),
            DeValue::Array(list) => {
                if let Some(schema) = items(self.root, schema) {
                    list.iter_mut().for_each(|entry| self.value(entry, schema));
                }
            }
            _ => {}
        }
    }

    fn path(&self, value: &mut Placed<'_>) {
        if let DeValue::String(path) = value.get_mut()
            // The value of a variable is unknown; such paths should be absolute.
            && !path.starts_with("${")
        {
            *path = self
                .from
                .join(&**path)
                .to_string_lossy()
                .into_owned()
                .into();
        }
    }

    /// A sheet is a path; a command line becomes a table, to have a folder.
    fn rules(&self, source: &mut Placed<'_>) {
        let span = source.span();
        let entry = |key: &'static str, text| {
            let key = Spanned::new(span.clone(), key.into());
            (key, Spanned::new(span.clone(), DeValue::String(text)))
        };
        let mut table = match source.get_mut() {
            DeValue::String(line) if is_path(line) => return self.path(source),
            DeValue::String(line) => DeTable::from_iter([entry("command", line.clone())]),
            DeValue::Table(table) => std::mem::take(table),
            _ => return,
        };
        if !table.contains_key("dir") {
            let from = self.from.to_string_lossy().into_owned();
            table.extend([entry("dir", from.into())]);
        }
        *source = Spanned::new(span, DeValue::Table(table));
    }
}

/// A source of rules that is one word for a file, and not a command line.
fn is_path(rules: &str) -> bool {
    rules.trim_end().ends_with(".kif") || rules.starts_with("${")
}

/// Visits the entries of a list, or a single value.
fn each<'t>(value: &mut Placed<'t>, visit: impl Fn(&mut Placed<'t>)) {
    match value.get_mut() {
        DeValue::Array(list) => list.iter_mut().for_each(visit),
        _ => visit(value),
    }
}
