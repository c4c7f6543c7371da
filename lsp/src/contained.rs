//! Answers that neither a change of the files nor a fault of ours can take a thread with them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use analyzer::Cancelled;
use lsp_server::{ErrorCode, ResponseError};
use serde_json::Value;

/// What came of asking the database.
pub enum Caught {
    /// It has answered.
    Answer(Result<Value, ResponseError>),
    /// The files changed meanwhile.
    Outdated,
    /// The program is wrong.
    Fault(ResponseError),
}

/// Answers so that neither a change of the files nor a fault of ours ends the thread.
pub fn contained(work: impl FnOnce() -> Result<Value, ResponseError>) -> Caught {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        Cancelled::catch(AssertUnwindSafe(work))
    }));
    match caught {
        Ok(Ok(result)) => Caught::Answer(result),
        Ok(Err(Cancelled::PropagatedPanic)) => Caught::Fault(fault("another thread failed")),
        Ok(Err(_)) => Caught::Outdated,
        Err(panic) => Caught::Fault(fault(&words(&*panic))),
    }
}

/// Does something so that a fault of ours does not end the thread; gives the fault in words.
pub fn caught(work: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
    Some(fault(&words(&*panic)).message)
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no reason was given".to_owned())
}

fn fault(reason: &str) -> ResponseError {
    ResponseError {
        code: ErrorCode::InternalError as i32,
        message: format!("a fault of lacuna: {reason}"),
        data: None,
    }
}
