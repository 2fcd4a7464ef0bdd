//! The grammar of the table: `calls!` turns rows into `ROWS`.
//!
//! ```text
//! NAME(PARAM: TYPE, ...) -> TYPE => LAYER KIND, SHAPE(EXPRESSION, ...);
//! NAME(PARAM: TYPE, ...PARAM: TYPE) -> TYPE => ...               one more argument, mode_t or c_long
//! NAME(PARAM: TYPE, ...PARAM: va_list via NAME) -> TYPE => ...   any number, passed on to NAME as a va_list
//! NAME(PARAM: TYPE, ...PARAM: words via NAME) -> TYPE => ...     words up to NULL, passed on to NAME as an array
//! NAME(PARAM: TYPE, ...PARAM: longs) -> TYPE => ...              up to six c_long more: a to f
//! NAME["VERSION", ...](PARAM: TYPE, ...) -> TYPE => ...          of an optional library, under these symbol versions
//! NAME["VERSION"](PARAM: TYPE, ...) -> TYPE => ...               of a library above MPI-IO, since this version
//! ... words_and_environment ...                                  the same, and the environment behind NULL
//! ```

macro_rules! calls {
    ($library:ident; $($group:literal {
        $($name:ident $([$($version:literal),+])? ($($param:ident: $ty:ty),* $(, ...$more:ident: $more_ty:ident $(via $via:ident)?)?) -> $ret:ty
            => $layer:ident $kind:ident, $shape:ident($($arg:expr),*);)*
    })*) => {
        /// The rows of this file
        pub(crate) const ROWS: &[crate::Call] = &[$($(crate::Call {
            name: stringify!($name),
            params: &[$(crate::Param { name: stringify!($param), ty: stringify!($ty) }),*],
            variadic: variadic!($($more: $more_ty $(via $via)?)?),
            ret: stringify!($ret),
            layer: crate::Layer::$layer,
            kind: crate::Kind::$kind,
            shape: shape!($shape),
            args: &[$(stringify!($arg)),*],
            group: $group,
            library: crate::Library::$library,
            versions: &[$($($version),+)?],
        },)*)*];
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
