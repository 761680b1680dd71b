//! Rewrites a file so that every mutant of it is a branch.

use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// One change, as `cargo mutants` lists it.
pub struct Mutant {
    pub id: u32,
    pub file: String,
    pub name: String,
    genre: String,
    replacement: String,
    start: (usize, usize),
}

/// A rewritten file.
pub struct Rewritten {
    pub text: String,
    /// Where the branches are.
    pub chunks: Vec<Chunk>,
    /// What could not be made one, and why.
    pub out: BTreeMap<u32, &'static str>,
    /// Those in functions that may be called at compile time, when no branch is taken.
    pub early: BTreeSet<u32>,
}

/// Where the branch of a mutant is in the rewritten file.
pub struct Chunk {
    pub id: u32,
    pub range: Range<usize>,
    pub is_arm: bool,
}

pub fn read(list: &Path) -> Vec<Mutant> {
    let text = std::fs::read_to_string(list).expect("the list");
    let list: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let number = |value: &serde_json::Value| value.as_u64().expect("a number") as usize;
    let all = list.as_array().expect("a list").iter().zip(1..);
    all.map(|(entry, id)| Mutant {
        id,
        file: text(&entry["file"]),
        name: text(&entry["name"]),
        genre: text(&entry["genre"]),
        replacement: text(&entry["replacement"]),
        start: (number(&entry["span"]["start"]["line"]), number(&entry["span"]["start"]["column"])),
    })
    .collect()
}

/// Text to be put in, with the branches that are in it.
struct Insertion {
    key: (usize, bool, i64, i64), // where; what opens after what closes; outer before inner where it opens, else after
    text: String,
    branches: Vec<(u32, Range<usize>)>,
}

struct Rewriter<'a> {
    source: &'a str,
    on: &'static str,
    by_place: BTreeMap<(&'a str, (usize, usize)), Vec<&'a Mutant>>,
    fixed: usize, // how deep we are in what is computed at compile time
    early: usize, // and in what may be
    insertions: Vec<Insertion>,
    out: BTreeMap<u32, &'static str>,
    in_early: BTreeSet<u32>,
}

/// Rewrites a file.
pub fn instrument(source: &str, file: &str, mutants: &[&Mutant]) -> Rewritten {
    let on = if file.starts_with("crates/lath-core/") {
        "crate::mutant::on"
    } else {
        "::lath_core::mutant::on"
    };
    let mut by_place: BTreeMap<_, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        by_place.entry((mutant.genre.as_str(), mutant.start)).or_default().push(mutant);
    }
    let mut rewriter = Rewriter {
        source,
        on,
        by_place,
        fixed: 0,
        early: 0,
        insertions: Vec::new(),
        out: BTreeMap::new(),
        in_early: BTreeSet::new(),
    };
    rewriter.visit_file(&syn::parse_file(source).expect("Rust"));
    for mutant in rewriter.by_place.values().flatten() {
        rewriter.out.insert(mutant.id, "of a kind that cannot be a branch");
    }
    rewriter.insertions.sort_by_key(|insertion| insertion.key);
    let (mut text, mut chunks, mut done) = (String::new(), Vec::new(), 0);
    for insertion in rewriter.insertions {
        text.push_str(&source[done..insertion.key.0]);
        done = insertion.key.0;
        for (id, range) in insertion.branches {
            let is_arm = mutants.iter().any(|mutant| mutant.id == id && mutant.genre == "MatchArm");
            chunks.push(Chunk {
                id,
                range: text.len() + range.start..text.len() + range.end,
                is_arm,
            });
        }
        text.push_str(&insertion.text);
    }
    text.push_str(&source[done..]);
    Rewritten { text, chunks, out: rewriter.out, early: rewriter.in_early }
}

impl<'a> Rewriter<'a> {
    /// The mutants at this place, unless it is computed at compile time.
    fn take(&mut self, genre: &'static str, span: Span) -> Vec<&'a Mutant> {
        let start = span.start();
        let found =
            self.by_place.remove(&(genre, (start.line, start.column + 1))).unwrap_or_default();
        if self.fixed == 0 {
            if self.early > 0 {
                self.in_early.extend(found.iter().map(|mutant| mutant.id));
            }
            return found;
        }
        self.out.extend(found.iter().map(|mutant| (mutant.id, "computed at compile time")));
        Vec::new()
    }

    /// Makes `(if on(1) { … } else { ORIGINAL })` of an expression.
    fn wrap(&mut self, range: Range<usize>, depth: i64, branches: &[(u32, String)]) {
        if branches.is_empty() {
            return;
        }
        let (mut text, mut ranges) = ("(".to_owned(), Vec::new());
        for (id, branch) in branches {
            let start = text.len();
            text += &format!("if {}({id}) {{ {branch} }} else ", self.on);
            ranges.push((*id, start..text.len()));
        }
        text += "{ ";
        self.around(range, depth, text, ranges, " })");
    }

    fn around(
        &mut self,
        range: Range<usize>,
        depth: i64,
        text: String,
        branches: Vec<(u32, Range<usize>)>,
        end: &str,
    ) {
        self.insertions.push(Insertion {
            key: (range.start, true, -(range.end as i64), depth),
            text,
            branches,
        });
        let key = (range.end, false, -(range.start as i64), -depth);
        self.insertions.push(Insertion { key, text: end.to_owned(), branches: Vec::new() });
    }

    /// Returns another value at once, unless the type of the value is a secret, which all branches
    /// must share.
    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let Some(first) = block.stmts.first() else { return };
        let secret = self.source[signature.output.span().byte_range()].contains("impl ");
        for mutant in self.take("FnValue", first.span()) {
            if secret {
                self.out.insert(mutant.id, "of a kind that cannot be a branch");
                continue;
            }
            let text =
                format!(" if {}({}) {{ return {}; }} ", self.on, mutant.id, mutant.replacement);
            let at = block.brace_token.span.open().byte_range().end;
            let branches = vec![(mutant.id, 0..text.len())];
            self.insertions.push(Insertion {
                key: (at, true, i64::MIN, mutant.id.into()),
                text,
                branches,
            });
        }
    }

    fn fixed(&mut self, inside: impl FnOnce(&mut Self)) {
        self.fixed += 1;
        inside(self);
        self.fixed -= 1;
    }

    fn function(
        &mut self,
        signature: &syn::Signature,
        block: &syn::Block,
        inside: impl FnOnce(&mut Self),
    ) {
        let early = usize::from(signature.constness.is_some());
        self.early += early;
        self.body(signature, block);
        inside(self);
        self.early -= early;
    }
}

impl<'ast> Visit<'ast> for Rewriter<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block, |inside| visit::visit_item_fn(inside, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block, |inside| visit::visit_impl_item_fn(inside, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.fixed(|inside| visit::visit_item_const(inside, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.fixed(|inside| visit::visit_impl_item_const(inside, item));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.fixed(|inside| visit::visit_trait_item_const(inside, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.fixed(|inside| visit::visit_item_static(inside, item));
    }

    fn visit_expr_const(&mut self, item: &'ast syn::ExprConst) {
        self.fixed(|inside| visit::visit_expr_const(inside, item));
    }

    fn visit_type_array(&mut self, item: &'ast syn::TypeArray) {
        self.fixed(|inside| visit::visit_type_array(inside, item));
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        let (range, op) = (node.span().byte_range(), node.op.span().byte_range());
        let mutants = self.take("BinaryOperator", node.op.span());
        let changed = |new: &str| {
            format!(
                "{} {new} {}",
                &self.source[range.start..op.start],
                &self.source[op.end..range.end]
            )
        };
        let branches: Vec<_> =
            mutants.iter().map(|mutant| (mutant.id, changed(&mutant.replacement))).collect();
        self.wrap(range, 2, &branches);
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        let mutants = self.take("UnaryOperator", node.op.span());
        let inner = &self.source[node.expr.span().byte_range()];
        let branches: Vec<_> = mutants.iter().map(|mutant| (mutant.id, inner.to_owned())).collect();
        self.wrap(node.span().byte_range(), 2, &branches);
        visit::visit_expr_unary(self, node);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        for mutant in self.take("MatchArm", arm.span()) {
            let on = format!("!{}({})", self.on, mutant.id);
            match &arm.guard {
                None => {
                    let (at, text) = (arm.pat.span().byte_range().end, format!(" if {on} "));
                    let branches = vec![(mutant.id, 0..text.len())];
                    self.insertions.push(Insertion { key: (at, true, 0, 0), text, branches });
                }
                Some((_, guard)) => {
                    let text = format!("({on} && (");
                    let branches = vec![(mutant.id, 0..text.len())];
                    self.around(guard.span().byte_range(), 0, text, branches, "))");
                }
            }
        }
        if let Some((_, guard)) = &arm.guard {
            let mutants = self.take("MatchArmGuard", guard.span());
            let branches: Vec<_> =
                mutants.iter().map(|mutant| (mutant.id, mutant.replacement.clone())).collect();
            self.wrap(guard.span().byte_range(), 1, &branches);
        }
        visit::visit_arm(self, arm);
    }
}
