//! The curator: the thread that owns the studies of a folder and decides features. It gives plain data
//! back, so that requests never wait for it.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use harness::carve::MIN_LINES;
use harness::carve::draft::Premises;
use harness::config::{Config, FeatureConfig};
use harness::lang::Language;
use harness::overview;
use harness::session;
use harness::study::Study;

use crate::active::ActiveFeature;
use crate::contained::caught;
use crate::knowledge::{Knowledge, Offers};
use crate::settings::Settings;

/// What a curator is asked.
pub enum Question {
    /// Read what the cache holds of recorded runs.
    Load,
    /// Decide the feature of a target and make it the active one.
    Activate(Vec<String>),
    /// The active feature is one of another folder.
    Deactivate,
    /// Decide everything again: the project's configuration has changed.
    Again,
    /// Decide everything again with what the client sets.
    Configure(Settings),
    /// Say what a target would come to, for whoever waits for `ticket`.
    Weigh {
        /// The target.
        target: Vec<String>,
        /// Given back with the answer.
        ticket: u64,
    },
}

impl Question {
    fn ticket(&self) -> Option<u64> {
        match self {
            Self::Weigh { ticket, .. } => Some(*ticket),
            _ => None,
        }
    }
}

/// What a curator answers.
pub enum Answer {
    /// What recorded runs tell; none if there are none.
    Known(Vec<Arc<Knowledge>>),
    /// What test files offer as targets.
    Offers(Arc<Offers>),
    /// Why nothing can be decided.
    Unclear(String),
    /// The active feature, or why there is none.
    Active(Result<Arc<ActiveFeature>, String>),
    /// The active feature is one of another folder.
    Inactive,
    /// What a target comes to.
    Weighed {
        /// Of the question.
        ticket: u64,
        /// The feature, or why there is none.
        feature: Result<Arc<ActiveFeature>, String>,
    },
}

/// A handle on the thread, which ends with it.
pub struct Curator {
    questions: Sender<Question>,
}

impl Curator {
    /// Starts the thread of a folder.
    pub fn start(root: PathBuf, answer: impl Fn(Answer) + Send + 'static) -> Self {
        let (questions, asked) = unbounded();
        let work = move || {
            let mut desk = Desk {
                root,
                studies: Vec::new(),
                settings: Settings::default(),
                target: Vec::new(),
            };
            desk.work(&asked, &answer);
        };
        // Without a thread nothing is ever answered, and requests say that nothing is known.
        let _ = thread::Builder::new()
            .name("curator".to_owned())
            .stack_size(STACK)
            .spawn(work);
        Self { questions }
    }

    /// Asks; the answer comes later.
    pub fn ask(&self, question: Question) {
        let _ = self.questions.send(question);
    }
}

/// Syntax trees are walked by functions that call themselves.
pub const STACK: usize = 16 << 20;

struct Desk {
    root: PathBuf,
    studies: Vec<(&'static Language, Study)>,
    settings: Settings,
    target: Vec<String>,
}

impl Desk {
    fn work(&mut self, asked: &Receiver<Question>, answer: &dyn Fn(Answer)) {
        while let Ok(question) = asked.recv() {
            let ticket = question.ticket();
            let fault = caught(|| self.reply(question, answer));
            let Some(fault) = fault else { continue };
            answer(match ticket {
                Some(ticket) => Answer::Weighed {
                    ticket,
                    feature: Err(fault),
                },
                None => Answer::Active(Err(fault)),
            });
        }
    }

    fn reply(&mut self, question: Question, answer: &dyn Fn(Answer)) {
        match question {
            Question::Load => self.load(answer),
            Question::Activate(target) => {
                self.target = target;
                answer(Answer::Active(self.decide(&self.target)));
            }
            Question::Deactivate => {
                self.target.clear();
                answer(Answer::Inactive);
            }
            Question::Again => self.tell(answer),
            Question::Configure(settings) => {
                self.settings = settings;
                self.tell(answer);
            }
            Question::Weigh { target, ticket } => answer(Answer::Weighed {
                ticket,
                feature: self.decide(&target),
            }),
        }
    }

    fn load(&mut self, answer: &dyn Fn(Answer)) {
        let languages = session::languages(&self.root, &[]).unwrap_or_default();
        let study = |language: &'static Language| {
            let last = session::last(&self.root, language).ok().flatten()?;
            Some((language, Study::remembered(last)))
        };
        self.studies = languages.into_iter().filter_map(study).collect();
        let known = self.studies.iter();
        let known = known.map(|(language, study)| Arc::new(Knowledge::new(study, language.name)));
        answer(Answer::Known(known.collect()));
        self.tell(answer);
    }

    /// What follows from the studies and the configuration.
    fn tell(&self, answer: &dyn Fn(Answer)) {
        let offers = self.offers();
        let mut reason = offers.as_ref().err().cloned();
        answer(Answer::Offers(Arc::new(offers.unwrap_or_default())));
        if !self.target.is_empty() && !self.studies.is_empty() {
            let active = self.decide(&self.target);
            // Nobody wants to be told twice.
            reason = reason.filter(|reason| active.as_ref().err() != Some(reason));
            answer(Answer::Active(active));
        }
        if let Some(reason) = reason {
            answer(Answer::Unclear(reason));
        }
    }

    /// How features are decided in a language.
    fn config(&self, language: &Language) -> Result<FeatureConfig, String> {
        let config = Config::load(&self.root).map_err(|error| error.to_string())?;
        let config = config.for_language(language.name);
        Ok(self.settings.over(config.feature))
    }

    /// What every test file offers, or why nobody can tell.
    fn offers(&self) -> Result<Offers, String> {
        // What is wrong with it is told before any test has run, too.
        Config::load(&self.root).map_err(|error| error.to_string())?;
        let mut offers = Offers::new();
        for (language, study) in &self.studies {
            let config = self.config(language)?;
            let options = study.known(config.options());
            let options = options.map_err(|error| error.to_string())?;
            let premises = Premises::new(options, config.removal);
            let min_lines = config.min_lines.unwrap_or(MIN_LINES);
            let rows = overview::rows(study, &premises, min_lines).into_iter();
            offers.extend(rows.map(|row| (row.target.clone(), row)));
        }
        Ok(offers)
    }

    fn decide(&self, target: &[String]) -> Result<Arc<ActiveFeature>, String> {
        let mut reason =
            "no run of the tests has been recorded; `lacuna trace` records one".to_owned();
        for (language, study) in &self.studies {
            let config = self.config(language)?;
            match ActiveFeature::decide(study, &config, target) {
                Ok(feature) => return Ok(Arc::new(feature)),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(reason)
    }
}
