//! The threads that answer requests.

use std::thread;

use crossbeam_channel::{Sender, unbounded};

use crate::curator::STACK;

/// More would only wait for the same processors.
const MOST_THREADS: usize = 8;

/// A fixed number of threads, which end when this is dropped.
pub struct Pool {
    work: Sender<Box<dyn FnOnce() + Send>>,
}

impl Pool {
    /// Starts the threads.
    pub fn new() -> Self {
        let (work, waiting) = unbounded::<Box<dyn FnOnce() + Send>>();
        let threads = thread::available_parallelism().map_or(2, usize::from);
        for number in 0..threads.clamp(2, MOST_THREADS) {
            let waiting = waiting.clone();
            let answer = move || waiting.iter().for_each(|work| work());
            let named = thread::Builder::new().name(format!("reader {number}"));
            // As long as one can be started there is an answer.
            let _ = named.stack_size(STACK).spawn(answer);
        }
        Self { work }
    }

    /// Does something when a thread is free.
    pub fn run(&self, work: impl FnOnce() + Send + 'static) {
        let _ = self.work.send(Box::new(work));
    }
}
