//! The contexts of a thread: a stack whose top is current.

use std::cell::RefCell;
use std::sync::Arc;

use cuda_sys::CUresult;

use super::Context;
use crate::outcome::Outcome;

thread_local! {
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Works on the stack of this thread. A thread that is past its destructors belongs to a process that is ending.
fn with<T>(act: impl FnOnce(&mut Vec<Arc<Context>>) -> T) -> Outcome<T> {
    STACK.try_with(|stack| act(&mut stack.borrow_mut())).map_err(|_| CUresult::DEINITIALIZED)
}

/// The current context, whatever its state.
pub(crate) fn top() -> Outcome<Option<Arc<Context>>> {
    with(|stack| stack.last().cloned())
}

/// The current context, if it can be used: 201 without one, 709 when it is destroyed, or the error it is stuck with.
pub(crate) fn current() -> Outcome<Arc<Context>> {
    let context = top()?.ok_or(CUresult::INVALID_CONTEXT)?;
    context.life()?;
    context.check()?;
    Ok(context)
}

/// Makes a context current, above the one that is.
pub(crate) fn push(context: Arc<Context>) -> Outcome {
    with(|stack| stack.push(context))
}

/// Takes the current context off.
pub(crate) fn pop() -> Outcome<Option<Arc<Context>>> {
    with(Vec::pop)
}

/// Makes a context current in place of the one that is, or takes that off when there is none to put.
pub(crate) fn replace(context: Option<Arc<Context>>) -> Outcome {
    with(|stack| {
        stack.pop();
        stack.extend(context);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Origin;

    fn context(handle: usize) -> Arc<Context> {
        Arc::new(Context::new(handle, 0, 0, Origin::Created { api_version: 3020 }))
    }

    fn on_top() -> Option<usize> {
        top().unwrap().map(|context| context.handle)
    }

    #[test]
    fn contexts_come_off_in_reverse_order() {
        push(context(1)).unwrap();
        push(context(2)).unwrap();
        assert_eq!(pop().unwrap().map(|context| context.handle), Some(2));
        assert_eq!(on_top(), Some(1));
        assert!(pop().unwrap().is_some() && pop().unwrap().is_none());
    }

    #[test]
    fn replacing_keeps_what_is_below() {
        push(context(1)).unwrap();
        push(context(2)).unwrap();
        replace(Some(context(3))).unwrap();
        assert_eq!(on_top(), Some(3));
        replace(None).unwrap();
        assert_eq!(on_top(), Some(1));
    }

    #[test]
    fn each_thread_has_a_stack_of_its_own() {
        push(context(1)).unwrap();
        std::thread::spawn(|| assert_eq!(on_top(), None)).join().unwrap();
        assert_eq!(current().map(|_| ()), Err(CUresult::CONTEXT_IS_DESTROYED));
    }
}
