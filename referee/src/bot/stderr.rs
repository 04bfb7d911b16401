//! What bots print on stderr: kept in a file beside the log, up to a limit.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

/// At most this many bytes of a process's stderr are kept.
const KEPT: usize = 1 << 20;

/// Copies to `path` until the pipe is closed. The file is made when something is printed. What
/// comes after the limit is read and dropped, so that the bot never waits for it.
pub(super) async fn keep(mut pipe: ChildStderr, path: PathBuf) {
    let mut buffer = vec![0; 4096];
    let mut file: Option<File> = None;
    let mut left = KEPT;
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        if left == 0 {
            continue;
        }
        let kept = &buffer[..read.min(left)];
        left -= kept.len();
        if let Err(error) = append(&mut file, &path, kept, left == 0) {
            tracing::warn!("{} cannot be written: {error}", path.display());
            left = 0;
        }
    }
}

fn append(file: &mut Option<File>, path: &PathBuf, text: &[u8], last: bool) -> std::io::Result<()> {
    let file = match file {
        Some(file) => file,
        None => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            file.insert(File::create(path)?)
        }
    };
    file.write_all(text)?;
    if last {
        write!(file, "\n[more than {KEPT} bytes: the rest was dropped]\n")?;
    }
    Ok(())
}
