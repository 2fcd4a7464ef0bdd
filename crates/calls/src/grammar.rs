//! The grammar of the table: `calls!` turns rows into `ROWS`.
//!
//! ```text
//! NAME(PARAM: TYPE, ...) -> TYPE => LAYER KIND, SHAPE(EXPRESSION, ...);
//! NAME(PARAM: TYPE, ...PARAM: TYPE) -> TYPE => ...               one more argument, mode_t or c_long
//! NAME(PARAM: TYPE, ...PARAM: va_list via NAME) -> TYPE => ...   any number, passed on to NAME as a va_list
//! NAME(PARAM: TYPE, ...PARAM: words via NAME) -> TYPE => ...     words up to NULL, passed on to NAME as an array
//! NAME(PARAM: TYPE, ...PARAM: longs) -> TYPE => ...              up to six c_long more: a to f
//! NAME["VERSION"](PARAM: TYPE, ...) -> TYPE => ...               of the C library, linkable since this version, above the floor
//! NAME["VERSION", ...](PARAM: TYPE, ...) -> TYPE => ...          of an optional library, under these symbol versions
//! NAME["VERSION"](PARAM: TYPE, ...) -> TYPE => ...               of a library above MPI-IO, since this version
//! NAME["VERSION", "VERSION"](PARAM: TYPE, ...) -> TYPE => ...    the same, and not since the second
//! ... words_and_environment ...                                  the same, and the environment behind NULL
//! ```
//!
//! `calls_of_types!` makes of each row a row for each type of a list; `TYPE` stands for its name, and for the type itself
//! behind the kind of pointer to it:
//!
//! ```text
//! NAME TYPE NAME(PARAM: TYPE, ...; PARAM: "*const " TYPE; PARAM: TYPE, ...) => LAYER KIND, SHAPE(EXPRESSION, ...);
//! ```

macro_rules! calls {
    ($library:ident; $($group:literal {
        $($name:ident $([$($version:literal),+])? ($($param:ident: $ty:ty),* $(, ...$more:ident: $more_ty:ident $(via $via:ident)?)?) -> $ret:ty
            => $layer:ident $kind:ident, $shape:ident($($arg:expr),*);)*
    })*) => {
        /// The rows of this file
        pub(crate) const ROWS: &[crate::Call] = &[$($(crate::Call {
            name: stringify!($name),
            params: concat!($(stringify!($param), ": ", stringify!($ty), ";"),*),
            variadic: variadic!($($more: $more_ty $(via $via)?)?),
            ret: stringify!($ret),
            layer: crate::Layer::$layer,
            kind: crate::Kind::$kind,
            shape: shape!($shape),
            args: concat!($(stringify!($arg), ";"),*),
            group: $group,
            library: crate::Library::$library,
            versions: &[$($($version),+)?],
            family: "",
        },)*)*];
    };
}

macro_rules! calls_of_types {
    ($library:ident $types:tt; $($group:literal {
        $($before:ident TYPE $($after:ident)? ($($param:ident: $ty:ty),*; $buf:ident: $pointer:literal TYPE; $($last:ident: $last_ty:ty),*)
            => $layer:ident $kind:ident, $shape:ident($($arg:expr),*);)*
    })*) => {
        /// The rows for each type
        pub(crate) const TYPED: &[crate::Call] = &crate::call::flat::<{ crate::call::count(LISTS) }>(LISTS);

        const LISTS: &[&[crate::Call]] = &[$($(calls_of_one!($types [$before $($after)?] [$(($param: $ty))*]
            [$buf: $pointer] [$(($last: $last_ty))*] $library $group $layer $kind $shape [$($arg),*])),*),*];
    };
}

/// The rows of one function for each type
macro_rules! calls_of_one {
    ([$($name:ident: $of:ident),*] $words:tt $params:tt $buf:tt $last:tt $library:ident $group:literal $layer:ident $kind:ident $shape:ident $args:tt) => {
        &[$(call_of_type!($name $of $words $params $buf $last $library $group $layer $kind $shape $args)),*]
    };
}

macro_rules! call_of_type {
    ($name:ident $of:ident [$before:ident $($after:ident)?] [$(($param:ident: $ty:ty))*] [$buf:ident: $pointer:literal] [$(($last:ident: $last_ty:ty))*]
        $library:ident $group:literal $layer:ident $kind:ident $shape:ident [$($arg:expr),*]) => {
        crate::Call {
            name: concat!(stringify!($before), stringify!($name) $(, stringify!($after))?),
            params: concat!(
                $(stringify!($param), ": ", stringify!($ty), ";",)*
                stringify!($buf), ": ", $pointer, stringify!($of), ";",
                $(stringify!($last), ": ", stringify!($last_ty), ";"),*
            ),
            variadic: crate::Variadic::No,
            ret: "c_int",
            layer: crate::Layer::$layer,
            kind: crate::Kind::$kind,
            shape: shape!($shape),
            args: concat!($(stringify!($arg), ";"),*),
            group: $group,
            library: crate::Library::$library,
            versions: &[],
            family: concat!(stringify!($before), "TYPE" $(, stringify!($after))?),
        }
    };
}

macro_rules! variadic {
    () => {
        crate::Variadic::No
    };
    ($param:ident: longs) => {
        crate::Variadic::Longs
    };
    ($param:ident: $ty:ident) => {
        crate::Variadic::One(crate::Param {
            name: stringify!($param),
            ty: stringify!($ty),
        })
    };
    ($param:ident: words via $via:ident) => {
        crate::Variadic::Words {
            environment: false,
            via: stringify!($via),
        }
    };
    ($param:ident: words_and_environment via $via:ident) => {
        crate::Variadic::Words {
            environment: true,
            via: stringify!($via),
        }
    };
    ($param:ident: $ty:ident via $via:ident) => {
        crate::Variadic::List(
            crate::Param {
                name: stringify!($param),
                ty: stringify!($ty),
            },
            stringify!($via),
        )
    };
}
