//! Tuples of up to sixteen.

/// Calls a macro with the names of the parts of every tuple up to sixteen.
macro_rules! tuples {
    ($macro:ident) => {
        $macro! {}
        $macro! { P0 }
        $macro! { P0 P1 }
        $macro! { P0 P1 P2 }
        $macro! { P0 P1 P2 P3 }
        $macro! { P0 P1 P2 P3 P4 }
        $macro! { P0 P1 P2 P3 P4 P5 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 }
        $macro! { P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P15 }
    };
}

pub(crate) use tuples;
