//! From where the code that the macros write reaches the crates of lath.

use proc_macro::{Span, TokenStream};

use crate::template::fill;

/// From where the crates of lath can be reached.
#[derive(Clone, Copy)]
pub(crate) enum Root {
    /// Through `lath`, the only crate that most users name.
    Facade,
    /// Each by its own name.
    Core,
}

impl Root {
    /// The path of `lath-core`.
    pub(crate) fn core(self) -> TokenStream {
        self.path("lath_core", Span::call_site())
    }

    /// The path of `lath-soa`. If there is none, `span` is blamed.
    pub(crate) fn soa(self, span: Span) -> TokenStream {
        self.path("lath_soa", span)
    }

    /// The path of `lath-snapshot`.
    pub(crate) fn snapshot(self) -> TokenStream {
        self.path("lath_snapshot", Span::call_site())
    }

    /// The path of `lath-schedule`.
    pub(crate) fn schedule(self) -> TokenStream {
        self.path("lath_schedule", Span::call_site())
    }

    /// The path of `lath-inspect`.
    pub(crate) fn inspect(self) -> TokenStream {
        self.path("lath_inspect", Span::call_site())
    }

    /// [`fill`], with the paths of `lath-core` and of the standard library as `$core` and `$std`.
    pub(crate) fn fill(
        self,
        code: &str,
        span: Span,
        holes: &[(&str, &TokenStream)],
    ) -> TokenStream {
        let (core, std) = (self.core(), self.std(span));
        fill(code, span, &[holes, &[("core", &core), ("std", &std)]].concat())
    }

    /// The path of the standard library. The user's crate may have put something else in the place
    /// of `::core`.
    pub(crate) fn std(self, span: Span) -> TokenStream {
        fill("$core::derive::std", span, &[("core", &self.path("lath_core", span))])
    }

    /// The same for those who name `lath-schedule` only.
    pub(crate) fn std_by_schedule(self, span: Span) -> TokenStream {
        let schedule = self.path("lath_schedule", span);
        fill("$schedule::__derive::std", span, &[("schedule", &schedule)])
    }

    fn path(self, name: &str, span: Span) -> TokenStream {
        let prefix = match self {
            Self::Facade => "::lath::__private::",
            Self::Core => "::",
        };
        fill(&format!("{prefix}{name}"), span, &[])
    }
}
