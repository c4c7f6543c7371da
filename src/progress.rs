//! Progress: what is going on, on standard error, as long as that is a terminal.

use std::cell::{Cell, RefCell};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use harness::carve::Event;
use harness::process::Ended;
use harness::words::count;
use indicatif::{ProgressBar, ProgressStyle};

use crate::answer;

/// Shows the step in flight with its elapsed and estimated time.
pub struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    /// What the last run of the whole suite took: the estimate for the next.
    suite: Cell<Option<Duration>>,
    step: RefCell<Option<(bool, Instant)>>,
}

impl Progress {
    /// Progress on standard error, if that is a terminal and `quiet` is not asked for.
    pub fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        Self {
            bar: shown.then(spinner),
            quiet,
            suite: Cell::new(None),
            step: RefCell::new(None),
        }
    }

    /// Shows an event.
    pub fn event(&self, event: Event<'_>) {
        match event {
            Event::Waiting { holder } => self.tell(&waiting(holder)),
            Event::Preparing { step } => self.step(step, false),
            Event::Tracing => self.step("running the suite with the tracer", true),
            Event::CutShort { ended, tests } => self.tell(&cut_short(ended, tests)),
            Event::Analysing => self.step("analysing the files", false),
            Event::Planned { feature, removed } => {
                let tops = feature.with_role(analyzer::feature::Role::Top).count();
                self.say(&format!(
                    "planned: {} to remove, {tops} of them in the interface",
                    count(removed, "symbol")
                ));
            }
            Event::Running { state, tests } => {
                let whole = state != harness::carve::evidence::TreeState::Empty;
                self.step(
                    &format!("{} ({})", state.claim(), count(tests, "test")),
                    whole,
                );
            }
            Event::RolledBack { decision } => self.say(&format!("rolled back: {decision}")),
        }
    }

    /// Shows a step that begins now.
    pub fn step(&self, message: &str, whole_suite: bool) {
        let now = Instant::now();
        if let Some((true, started)) = self.step.replace(Some((whole_suite, now))) {
            self.suite.set(Some(now - started));
        }
        if let Some(bar) = &self.bar {
            let estimate = self
                .suite
                .get()
                .filter(|_| whole_suite)
                .map_or_else(String::new, |time| {
                    format!(", about {}s", time.as_secs().max(1))
                });
            bar.reset_elapsed();
            bar.set_message(format!("{message}{estimate}"));
        }
    }

    /// Prints a line that stays.
    pub fn say(&self, message: &str) {
        if let Some(bar) = &self.bar {
            bar.println(message);
        }
    }

    /// Prints a line that stays, even where nothing shows progress: without it the program would seem
    /// to hang.
    pub fn tell(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.println(message),
            None if self.quiet => {}
            None => answer::tell(message),
        }
    }

    /// Takes the progress line away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn cut_short(ended: Ended, tests: usize) -> String {
    format!(
        "warning: the run of the tests did not come to its end ({ended}; {} had not begun). What did not run counts as \
         failing, and the next command runs all of it again: raise what it needs under [limits] in lacuna.toml, \
         or leave slow tests out with tests.arguments",
        count(tests, "test")
    )
}

fn waiting(holder: Option<u32>) -> String {
    let holder = holder.map_or_else(String::new, |pid| format!(" (process {pid})"));
    format!("waiting: another lacuna{holder} works on this project; Ctrl-C ends the waiting")
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} [{elapsed}] {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
