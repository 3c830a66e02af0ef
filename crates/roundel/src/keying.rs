//! How a strategy makes kernels: on the heap, to be kept; on the stack, for one message; or for one run of blocks.

use crate::Kernel;

/// Keys a strategy, in three ways. Made by [`keying!`](crate::keying!) from one expression.
#[derive(Clone, Copy, Debug)]
pub struct Keying {
    /// The kernel on the heap.
    pub boxed: fn(key: &[u8]) -> Box<dyn Kernel>,
    /// The kernel on the stack, for the time of one call of the closure.
    pub scoped: fn(key: &[u8], run: Run<'_>),
    /// Encrypts whole blocks in place under a key that is used for nothing else. No closure, no call through a table: on the shortest messages
    /// those cost as much as the cipher.
    pub once: fn(key: &[u8], blocks: &mut [u8]),
}

/// What is run on a kernel that goes away afterwards.
pub type Run<'r> = &'r mut dyn FnMut(&dyn Kernel);

/// The [`Keying`] of a strategy: `keying!(|key| Word::new(key))`, or by length of key, the last arm taking all others:
/// `keying!(|key| match key.len() { 16 => Short::new(key), _ => Long::new(key) })`.
///
/// `keying!(|key| match key.len() { 16 => Short::empty(), then |kernel| kernel.expand(key); _ => ... })` makes the schedule where the kernel lies: an
/// expression's value is moved there, which costs a short message dearly and leaves a copy of the round keys behind.
#[macro_export]
macro_rules! keying {
    (|$key:ident| match $by:ident.len() { $($bytes:pat => $empty:expr, then |$kernel:ident| $expand:expr;)+ }) => {
        $crate::Keying {
            boxed: |$key| match $by.len() { $($bytes => {
                let mut $kernel = ::std::boxed::Box::new($empty);
                $expand;
                $kernel
            })+ },
            scoped: |$key, run| match $by.len() { $($bytes => {
                let mut $kernel = $empty;
                $expand;
                run(&$kernel)
            })+ },
            once: |$key, blocks| match $by.len() { $($bytes => {
                let mut $kernel = $empty;
                $expand;
                $crate::Kernel::encrypt(&$kernel, blocks)
            })+ },
        }
    };
    (|$key:ident| match $by:ident.len() { $($bytes:pat => $kernel:expr),+ $(,)? }) => {
        $crate::Keying {
            boxed: |$key| match $by.len() { $($bytes => $crate::keying!(@boxed $kernel)),+ },
            scoped: |$key, run| match $by.len() { $($bytes => run(&$kernel)),+ },
            once: |$key, blocks| match $by.len() { $($bytes => $crate::Kernel::encrypt(&$kernel, blocks)),+ },
        }
    };
    (|$key:ident| $kernel:expr) => {
        $crate::Keying {
            boxed: |$key| $crate::keying!(@boxed $kernel),
            scoped: |$key, run| run(&$kernel),
            once: |$key, blocks| $crate::Kernel::encrypt(&$kernel, blocks),
        }
    };
    // Allocated first, so that the kernel is made in its place: a copy would cost time and stay behind on the stack.
    (@boxed $kernel:expr) => {{
        let place = ::std::boxed::Box::new_uninit();
        let kernel = ::std::boxed::Box::write(place, $kernel);
        kernel
    }};
}
