//! The ways of joining a program and iota.

/// How a program is linked and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Without iota.
    Bare,
    /// Without iota, `-static`.
    BareStatic,
    /// With the flags of wraps.txt: the shared object.
    Dynamic,
    /// With the flags of wraps.txt and `-static`: the archive.
    Static,
    /// As [`Way::Bare`], run with the shared object in `LD_PRELOAD`.
    Preload,
}

impl Way {
    /// The ways of tracing.
    pub const TRACED: [Way; 3] = [Way::Dynamic, Way::Static, Way::Preload];

    /// The way without iota that a traced one is to be compared with.
    pub fn bare(self) -> Way {
        match self {
            Way::Static | Way::BareStatic => Way::BareStatic,
            _ => Way::Bare,
        }
    }

    /// How the program is linked: preloading changes nothing there.
    pub fn link(self) -> Way {
        match self {
            Way::Preload => Way::Bare,
            way => way,
        }
    }

    /// True where wraps.txt is on the link line.
    pub fn wraps(self) -> bool {
        matches!(self, Way::Dynamic | Way::Static)
    }

    /// True where the result is static.
    pub fn is_static(self) -> bool {
        matches!(self, Way::Static | Way::BareStatic)
    }
}

/// The ways as names of tests, for [`in_each_way`](crate::in_each_way).
#[allow(non_upper_case_globals, missing_docs)]
pub mod named {
    use super::Way;
    pub const dynamic: Way = Way::Dynamic;
    pub const linked_statically: Way = Way::Static;
    pub const preload: Way = Way::Preload;
}

/// `CHECK: name: case; ...` makes a module for each name, in it a test for each way that calls `CHECK(case, way)`;
/// `name in way, way: case;` for some ways.
#[macro_export]
macro_rules! in_each_way {
    ($check:ident: $($name:ident $(in $($way:ident),+)?: $case:expr;)*) => {
        $($crate::in_each_way!(@module $check $name [$($($way)+)?] $case);)*
    };
    (@module $check:ident $name:ident [] $case:expr) => {
        $crate::in_each_way!(@module $check $name [dynamic linked_statically preload] $case);
    };
    (@module $check:ident $name:ident [$($way:ident)+] $case:expr) => {
        mod $name {
            use super::*;
            $(#[test] fn $way() { super::$check($case, $crate::way::named::$way); })+
        }
    };
}
