//! What one request reads: a snapshot of every folder of the workspace.

use std::path::Path;

use gen_lsp_types::Uri;
use lsp_server::{ErrorCode, ResponseError};

use crate::capabilities::Edits;
use crate::snapshot::{FileView, Snapshot};
use crate::uri;

/// Snapshots of all folders.
pub struct World {
    /// In the client's order.
    pub folders: Vec<Snapshot>,
    /// Which edits the client can make.
    pub edits: Edits,
}

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The parameters are none of this request.
    #[error("{0}")]
    Parameters(String),
    /// There is nothing to answer about.
    #[error("{0}")]
    Failed(String),
}

impl Refusal {
    /// What the client is told.
    pub fn response(&self) -> ResponseError {
        let code = match self {
            Self::Parameters(_) => ErrorCode::InvalidParams,
            Self::Failed(_) => ErrorCode::RequestFailed,
        };
        ResponseError {
            code: code as i32,
            message: self.to_string(),
            data: None,
        }
    }
}

impl World {
    /// The folder of a file, and the file; `None` where the workspace has no such source file.
    pub fn file(&self, uri: &Uri) -> Option<(&Snapshot, FileView)> {
        let path = uri::to_path(uri)?;
        let folder = self.home(&path)?;
        let inside = folder.relative(&path)?.to_str()?;
        Some((folder, folder.file(inside)?))
    }

    /// The folder that speaks for a path: the innermost, if one lies in another.
    pub fn home(&self, path: &Path) -> Option<&Snapshot> {
        let within = |folder: &&Snapshot| folder.relative(path).is_some();
        let folders = self.folders.iter().filter(within);
        folders.max_by_key(|folder| folder.root.as_os_str().len())
    }

    /// The folder with an active feature.
    pub fn active(&self) -> Option<&Snapshot> {
        let mut folders = self.folders.iter();
        folders.find(|folder| folder.known.active.is_some())
    }
}
