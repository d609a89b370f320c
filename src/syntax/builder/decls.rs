//! Actions for declarations.

use super::{AttrWord, Builder};
use crate::diagnostics::rules::syntax::SYNTAX_ERROR;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::foreign;

impl Builder {
    /// Adds a complete declaration.
    pub fn declared(&mut self, decl: Decl, end: usize) {
        self.file.decls.push(decl);
        self.progress.declared = end;
        self.kept = (self.file.exprs.len(), self.file.stmts.len());
    }

    /// A variable between two bytes.
    pub fn var(&self, lo: usize, hi: usize, decl: VarDecl) -> VarDecl {
        VarDecl { span: self.span(lo, hi), ..decl }
    }

    /// Adds an attribute.
    pub fn attr(&mut self, mut attrs: Attrs, word: AttrWord, value: ExprId, lo: usize, hi: usize) -> Attrs {
        let slot = match word {
            AttrWord::Align => &mut attrs.align,
            AttrWord::LinkName => &mut attrs.linkname,
            AttrWord::LinkSection => &mut attrs.linksection,
        };
        if slot.replace(value).is_some() {
            self.second_attr(self.span(lo, hi));
        }
        attrs
    }

    fn second_attr(&mut self, span: Span) {
        let facts: [(&str, &dyn std::fmt::Display); 2] =
            [("expected", &"every attribute once"), ("found", &"a second one of its kind")];
        self.complain(SYNTAX_ERROR.because(&facts).at(span));
    }

    /// Merges the attributes before and after a return type.
    pub fn join_attrs(&mut self, early: Attrs, late: Attrs) -> Attrs {
        let mut join = |a: Option<ExprId>, b: Option<ExprId>| {
            if let (Some(_), Some(second)) = (a, b) {
                self.second_attr(self.expr_span(second));
            }
            a.or(b)
        };
        Attrs {
            align: join(early.align, late.align),
            linksection: join(early.linksection, late.linksection),
            linkname: join(early.linkname, late.linkname),
        }
    }

    /// A plain function without parameters or body, to be filled in.
    pub fn bare_fn(name: Ident, ret: ExprId) -> FnDecl {
        let span = name.span;
        FnDecl {
            linkage: Linkage::Plain,
            inline: false,
            task: false,
            name,
            params: Vec::new(),
            ret,
            attrs: Attrs::default(),
            body: None,
            span,
        }
    }

    /// A function whose head ends at `hi`.
    pub fn fn_decl(&self, decl: FnDecl, hi: usize) -> FnDecl {
        FnDecl { span: Span { hi: hi as u32, ..decl.span }, ..decl }
    }

    /// A function whose head begins at `lo`.
    pub fn function(&mut self, lo: usize, decl: FnDecl) -> FnDecl {
        let span = Span { lo: lo as u32, ..decl.span };
        if decl.body.is_none() && decl.linkage != Linkage::Extern {
            let diag = SYNTAX_ERROR.because(&[("expected", &"a body"), ("found", &"`;`")]);
            self.complain(diag.at(span).help("only `extern` functions have no body"));
        }
        if let (Some(body), Linkage::Extern) = (&decl.body, decl.linkage) {
            let diag = SYNTAX_ERROR.because(&[("expected", &"`;`"), ("found", &"a body")]).at(body.span);
            let help =
                "`extern` stands for a function of another file: leave the body out, or write `export`";
            self.complain(diag.help(help));
        }
        if let (true, Some(symbol)) = (decl.inline, decl.attrs.linkname) {
            let facts: [(&str, &dyn std::fmt::Display); 2] =
                [("expected", &"the body"), ("found", &"`linkname`")];
            let help = "remove it: an `inline` function stands in place of its calls, and has no symbol";
            self.complain(SYNTAX_ERROR.because(&facts).at(self.expr_span(symbol)).help(help));
        }
        if decl.task {
            self.refuse_result(decl.ret);
        }
        FnDecl { span, ..decl }
    }

    /// A task is called by nobody, so nobody can take a result.
    fn refuse_result(&mut self, ret: ExprId) {
        let ExprKind::Name(ty) = &self.file.expr(ret).kind else { return };
        if foreign::is_type(ty) && ty != "void" {
            let diag = SYNTAX_ERROR.because(&[("expected", &"`void`"), ("found", &format!("`{ty}`"))]);
            let help = "a task gives back nothing: write `void`, and store what it computes in a variable";
            self.complain(diag.at(self.expr_span(ret)).help(help));
        }
    }

    /// A parameter of a function or function type.
    pub fn param(&self, comptime: bool, name: Option<Ident>, ty: ExprId) -> FnParam {
        let end = self.expr_span(ty);
        let span = name.as_ref().map_or(end, |name| name.span.to(end));
        let any = matches!(self.file.expr(ty).kind, ExprKind::AnyType);
        FnParam { comptime, name, ty: (!any).then_some(ty), span }
    }

    /// A parameter after `comptime`.
    pub fn comptime_param(&self, lo: usize, name: Option<Ident>, ty: ExprId) -> FnParam {
        let param = self.param(true, name, ty);
        FnParam { span: Span { lo: lo as u32, ..param.span }, ..param }
    }
}
