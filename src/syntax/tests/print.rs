//! A tree as one line of text, with every grouping in parentheses, for comparison in tests.

use crate::syntax::ast::*;
use std::fmt::Display;

/// All declarations of a file, one a line.
pub fn file(file: &File) -> String {
    let print = Printer { file };
    let lines: Vec<String> = file.decls.iter().map(|decl| print.decl(decl)).collect();
    lines.join("\n")
}

struct Printer<'f> {
    file: &'f File,
}

/// A piece of text in front of something that may be missing.
fn opt(prefix: &str, text: Option<impl Display>) -> String {
    text.map_or(String::new(), |text| format!("{prefix}{text}"))
}

fn flag(set: bool, word: &str) -> String {
    if set { format!("{word} ") } else { String::new() }
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Plain => "",
        Linkage::Export => "export ",
        Linkage::Extern => "extern ",
    }
}

fn layout(layout: LayoutKeyword) -> &'static str {
    match layout {
        LayoutKeyword::Plain => "",
        LayoutKeyword::Extern => "extern ",
        LayoutKeyword::Packed => "packed ",
    }
}

impl Printer<'_> {
    fn decl(&self, decl: &Decl) -> String {
        match decl {
            Decl::Var(var) => self.var(var),
            Decl::Fn(decl) => self.function(decl),
            Decl::Layout(block, _) => format!("layout {}", self.block(block)),
            Decl::Comptime(block, _) => format!("comptime {}", self.block(block)),
        }
    }

    fn function(&self, decl: &FnDecl) -> String {
        format!(
            "{}{}{}{}({}){} {}{}",
            linkage(decl.linkage),
            flag(decl.inline, "inline"),
            if decl.task { "task " } else { "fn " },
            decl.name.name,
            self.params(&decl.params),
            self.attrs(&decl.attrs),
            self.expr(decl.ret),
            decl.body.as_ref().map_or(";".to_string(), |body| format!(" {}", self.block(body))),
        )
    }

    fn params(&self, params: &[FnParam]) -> String {
        let param = |p: &FnParam| {
            let name = p.name.as_ref().map_or(String::new(), |name| format!("{}: ", name.name));
            let ty = p.ty.map_or("anytype".to_string(), |ty| self.expr(ty));
            format!("{}{name}{ty}", flag(p.comptime, "comptime"))
        };
        params.iter().map(param).collect::<Vec<_>>().join(", ")
    }

    fn attrs(&self, attrs: &Attrs) -> String {
        let attr = |word: &str, value: Option<ExprId>| {
            value.map_or(String::new(), |value| format!(" {word}({})", self.expr(value)))
        };
        attr("align", attrs.align)
            + &attr("linksection", attrs.linksection)
            + &attr("linkname", attrs.linkname)
    }

    fn var(&self, var: &VarDecl) -> String {
        let word = match var.kind {
            VarKind::Var => "var",
            VarKind::Const => "const",
            VarKind::Param => "param",
        };
        format!(
            "{}{}{word} {}{}{}{};",
            linkage(var.linkage),
            flag(var.comptime, "comptime"),
            var.name.name,
            opt(": ", self.maybe(var.ty)),
            self.attrs(&var.attrs),
            opt(" = ", self.maybe(var.init)),
        )
    }

    fn label(&self, label: &Option<Ident>) -> String {
        label.as_ref().map_or(String::new(), |label| format!("{}: ", label.name))
    }

    fn block(&self, block: &Block) -> String {
        let stmts: String = block.stmts.iter().map(|stmt| format!(" {}", self.stmt(*stmt))).collect();
        format!("{}{{{stmts} }}", self.label(&block.label))
    }

    fn stmt(&self, id: StmtId) -> String {
        match &self.file.stmt(id).kind {
            StmtKind::Var(var) => self.var(var),
            StmtKind::Assign { lhs, op, rhs } => {
                let op = op.map_or("", |op| op.symbol());
                format!("{} {op}= {};", self.expr(*lhs), self.expr(*rhs))
            }
            StmtKind::Expr(expr) => format!("{};", self.expr(*expr)),
            StmtKind::Comptime(block) => format!("comptime {}", self.block(block)),
            StmtKind::If { cond, then, els } => {
                let els = opt(" else ", els.map(|els| self.stmt(els)));
                format!("if ({}) {}{els}", self.expr(*cond), self.stmt(*then))
            }
            StmtKind::Switch { scrutinee, prongs } => self.switch(*scrutinee, prongs, |body| self.stmt(body)),
            StmtKind::For { label, inline, iter, item, index, body } => format!(
                "{}{}for ({}) |{}{}| {}",
                self.label(label),
                flag(*inline, "inline"),
                self.expr(*iter),
                item.name,
                opt(", ", index.as_ref().map(|index| &index.name)),
                self.stmt(*body),
            ),
            StmtKind::While { label, inline, cond, step, body } => format!(
                "{}{}while ({}){} {}",
                self.label(label),
                flag(*inline, "inline"),
                self.expr(*cond),
                opt(" : ", step.map(|step| self.stmt(step))),
                self.stmt(*body),
            ),
            StmtKind::Return(value) => format!("return{};", opt(" ", self.maybe(*value))),
            StmtKind::Break(label, value) => {
                let label = opt(" :", label.as_ref().map(|label| &label.name));
                format!("break{label}{};", opt(" ", self.maybe(*value)))
            }
            StmtKind::Continue(label) => {
                format!("continue{};", opt(" :", label.as_ref().map(|label| &label.name)))
            }
            StmtKind::Empty => ";".to_string(),
            StmtKind::Error => "ERROR;".to_string(),
        }
    }

    fn switch<B: Copy>(&self, on: ExprId, prongs: &[Prong<B>], body: impl Fn(B) -> String) -> String {
        let prong = |p: &Prong<B>| {
            let patterns = if p.patterns.is_empty() { "else".to_string() } else { self.list(&p.patterns) };
            format!(" {patterns} => {},", body(p.body))
        };
        format!("switch ({}) {{{} }}", self.expr(on), prongs.iter().map(prong).collect::<String>())
    }

    fn maybe(&self, id: Option<ExprId>) -> Option<String> {
        id.map(|id| self.expr(id))
    }

    fn list(&self, ids: &[ExprId]) -> String {
        ids.iter().map(|id| self.expr(*id)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, id: ExprId) -> String {
        match &self.file.expr(id).kind {
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Float(value) => format!("{value:?}"),
            ExprKind::Str(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Undefined => "undefined".to_string(),
            ExprKind::Unreachable => "unreachable".to_string(),
            ExprKind::Name(name) => name.to_string(),
            ExprKind::Builtin { name, args } => format!("@{}({})", name.name, self.list(args)),
            ExprKind::Call { callee, args } => format!("{}({})", self.expr(*callee), self.list(args)),
            ExprKind::Field { base, name } => format!("{}.{}", self.expr(*base), name.name),
            ExprKind::Deref(base) => format!("{}.*", self.expr(*base)),
            ExprKind::Index { base, indices } => format!("{}[{}]", self.expr(*base), self.list(indices)),
            ExprKind::Unary(op, operand) => format!("({op:?} {})", self.expr(*operand)),
            ExprKind::Binary(op, left, right) => {
                format!("({} {} {})", self.expr(*left), op.symbol(), self.expr(*right))
            }
            ExprKind::Comptime(inner) => format!("(comptime {})", self.expr(*inner)),
            ExprKind::Struct { ty, fields } => {
                let field =
                    |(name, value): &(Ident, ExprId)| format!(".{} = {}", name.name, self.expr(*value));
                let fields = fields.iter().map(field).collect::<Vec<_>>().join(", ");
                format!("{}{{{fields}}}", self.maybe(*ty).unwrap_or(".".to_string()))
            }
            ExprKind::Tuple(items) => format!(".{{{}}}", self.list(items)),
            ExprKind::Array { ty, items } => format!("{}{{{}}}", self.expr(*ty), self.list(items)),
            ExprKind::Access { vars, lengths, target, indices } => {
                let vars = vars.iter().map(|var| var.name.as_str()).collect::<Vec<_>>().join(", ");
                let target = self.expr(*target);
                format!("|{vars}| {{{}}} -> {target}[{}]", self.list(lengths), self.list(indices))
            }
            ExprKind::If { cond, then, els } => {
                let els = opt(" else ", self.maybe(*els));
                format!("(if ({}) {}{els})", self.expr(*cond), self.expr(*then))
            }
            ExprKind::Switch { scrutinee, prongs } => self.switch(*scrutinee, prongs, |body| self.expr(body)),
            ExprKind::Block(block) => self.block(block),
            ExprKind::Asm { .. } => "asm".to_string(),
            ExprKind::Error => "ERROR".to_string(),
            kind => self.type_expr(kind),
        }
    }

    fn type_expr(&self, kind: &ExprKind) -> String {
        match kind {
            ExprKind::PtrTy { is_const, to } => format!("*{}{}", flag(*is_const, "const"), self.expr(*to)),
            ExprKind::ManyPtrTy { is_const, to } => {
                format!("[*]{}{}", flag(*is_const, "const"), self.expr(*to))
            }
            ExprKind::ArrayTy { dims, elem } => format!("[{}]{}", self.list(dims), self.expr(*elem)),
            ExprKind::FnTy { task, params, ret } => {
                let word = if *task { "task" } else { "fn" };
                format!("{word} ({}) {}", self.params(params), self.expr(*ret))
            }
            ExprKind::StructTy { layout: l, fields } => {
                format!("{}struct {}", layout(*l), self.fields(fields))
            }
            ExprKind::UnionTy { layout: l, fields } => format!("{}union {}", layout(*l), self.fields(fields)),
            ExprKind::EnumTy { repr, members } => {
                let member = |(name, value): &(Ident, Option<ExprId>)| {
                    format!("{}{}", name.name, opt(" = ", self.maybe(*value)))
                };
                let members = members.iter().map(member).collect::<Vec<_>>().join(", ");
                let repr = self.maybe(*repr).map_or(String::new(), |repr| format!("({repr})"));
                format!("enum{repr} {{{members}}}")
            }
            ExprKind::AnyType => "anytype".to_string(),
            other => panic!("{other:?} is not a type"),
        }
    }

    fn fields(&self, fields: &[FieldDecl]) -> String {
        let field = |field: &FieldDecl| format!("{}: {}", field.name.name, self.expr(field.ty));
        format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
    }
}
