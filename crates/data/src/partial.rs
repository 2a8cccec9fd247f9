//! A directory that is filled beside its place, and takes that place once complete.
//!
//! The result `shop` is written into `shop.partial` (or `shop.partial-2`, if a killed run left one
//! behind) and then takes the place of an older `shop` in one step of the file system. An older
//! result therefore exists until the new one is complete, whenever the program is killed. A place
//! that cannot be renamed, because a file system is mounted on it or the folder above is read-only,
//! is filled from `.partial` within it.
//!
//! A partial directory holds a file `PARTIAL`, and is locked while somebody writes to it. Once it
//! is complete, the file names its contents, so that [`crate::recover`] can finish the last step.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FlockOperation, RenameFlags, StatxAttributes, StatxFlags, flock, renameat_with,
    statx,
};

use crate::DataError;
use crate::files::{DRAFT, KNOWN, MARK, REPLACED, is_known};

const WRITTEN_NOW: &str = "# A result that is being written. If no program writes to it, the run \
                           was\n# killed: `thinktime recover` makes a result of these files.\n";

/// A directory that will take the place of another.
#[derive(Debug)]
pub struct Partial {
    path: PathBuf,
    target: PathBuf,
    /// Whether it lies within its target, whose files it replaces one by one.
    within: bool,
    /// Held while somebody writes, and used for nothing else.
    _lock: File,
}

impl Partial {
    /// A new one for this place. Nothing at the place itself is touched.
    ///
    /// # Errors
    /// If the place is no directory, or none can be created beside it.
    pub fn begin(target: &Path) -> Result<Partial, DataError> {
        let fail = |error| DataError::new(target, error);
        let target = resolve(target)?;
        if target.exists() && !target.is_dir() {
            return Err(DataError::new(target, "is a file: name a directory"));
        }
        if let Some(above) = target.parent() {
            fs::create_dir_all(above).map_err(|error| within_file(above).unwrap_or(fail(error)))?;
        }
        let mut within = is_mounted(&target);
        let mut numbers = 1..1000;
        while let Some(number) = numbers.next() {
            let path = place(&target, within, number);
            match fs::create_dir(&path) {
                Ok(()) => {
                    let mark = path.join(MARK);
                    let lock = File::open(&path).map_err(|error| DataError::new(&path, error))?;
                    flock(&lock, FlockOperation::NonBlockingLockExclusive).ok();
                    fs::write(&mark, WRITTEN_NOW).map_err(|error| DataError::new(&mark, error))?;
                    return Ok(Partial { path, target, within, _lock: lock });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    if is_replaced(&path) {
                        clear_away(&path, &target);
                    }
                }
                // The folder above belongs to somebody else.
                Err(error) if !within && target.is_dir() && is_forbidden(&error) => {
                    (within, numbers) = (true, 1..1000);
                }
                Err(error) => return Err(DataError::new(&path, error)),
            }
        }
        Err(DataError::new(target, "too many unfinished results lie beside it"))
    }

    /// A directory that a run left behind; `None` if there is none, or somebody writes to it.
    pub(crate) fn leftover_at(path: &Path, target: &Path) -> Option<Partial> {
        let lock = File::open(path).ok()?;
        let free = flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
        let within = path.parent() == Some(target);
        let found = free && path.join(MARK).exists();
        found.then(|| Partial {
            path: path.to_owned(),
            target: target.to_owned(),
            within,
            _lock: lock,
        })
    }

    /// The directory that is filled.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its final place.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Its contents, if it is complete and only has to be moved to its place.
    pub(crate) fn complete_files(&self) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.path.join(MARK)).unwrap_or_default();
        let names = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        Some(names.map(str::to_owned).collect()).filter(|names: &Vec<String>| !names.is_empty())
    }

    /// Moves it elsewhere, to an unused place.
    pub(crate) fn set_target(&mut self, target: PathBuf) {
        self.within = false;
        self.target = target;
    }

    /// Completes it: moves it to its place and returns that. Files there that belong to no result
    /// stay.
    ///
    /// # Errors
    /// If it cannot take its place. It is complete nonetheless, and stays where it is.
    pub fn finish(self) -> Result<PathBuf, DataError> {
        let fail = |error: &dyn std::fmt::Display| {
            let kept = self.path.display();
            let reason = format!("{error}; the result is whole in {kept}: `thinktime recover`");
            DataError::new(&self.target, reason)
        };
        let names = match self.complete_files() {
            Some(names) => names,
            None => self.mark_complete().map_err(|error| fail(&error))?,
        };
        match self.within {
            true => self.move_within(&names).map_err(|error| fail(&error))?,
            false => self.exchange().map_err(|error| fail(&error))?,
        }
        Ok(self.target)
    }

    /// Removes it unused.
    pub fn abandon(self) {
        fs::remove_dir_all(&self.path).ok();
    }

    /// All files reach the disk before the list of them.
    fn mark_complete(&self) -> std::io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            names.extend(entry.file_name().into_string().ok().filter(|name| name != MARK));
            File::open(entry.path())?.sync_all()?;
        }
        names.sort();
        let text = format!("# A result that is whole.\n{}\n", names.join("\n"));
        write_atomically(&self.path.join(MARK), text.as_bytes())?;
        File::open(&self.path)?.sync_all()?;
        Ok(names)
    }

    fn exchange(&self) -> std::io::Result<()> {
        let old_mark = self.target.join(MARK);
        if old_mark.exists() {
            fs::remove_file(old_mark)?; // an exchanged directory must not look new
        }
        if !self.target.exists() {
            fs::rename(&self.path, &self.target)?;
            return fs::remove_file(self.target.join(MARK));
        }
        fs::write(self.target.join(REPLACED), "").ok();
        if let Err(error) = renameat_with(CWD, &self.path, CWD, &self.target, RenameFlags::EXCHANGE)
        {
            // Not every file system can exchange: the old one moves aside for a moment.
            let aside = sibling(&self.target, ".replaced");
            fs::rename(&self.target, &aside).map_err(|_| error)?;
            fs::rename(&self.path, &self.target)?;
            clear_away(&aside, &self.target);
        } else {
            clear_away(&self.path, &self.target);
        }
        fs::remove_file(self.target.join(MARK))
    }

    fn move_within(&self, names: &[String]) -> std::io::Result<()> {
        for old in KNOWN.iter().filter(|old| !names.iter().any(|name| name == *old)) {
            remove_if_there(&self.target.join(old))?;
        }
        for name in names.iter().filter(|name| self.path.join(name).exists()) {
            fs::rename(self.path.join(name), self.target.join(name))?;
        }
        fs::remove_file(self.path.join(MARK))?;
        fs::remove_dir(&self.path)
    }
}

/// The directories that killed runs left behind for this place.
#[must_use]
pub fn leftovers(target: &Path) -> Vec<PathBuf> {
    let Ok(target) = resolve(target) else { return Vec::new() };
    let places = |within| {
        let target = &target;
        (1..1000).map(move |number| place(target, within, number)).take_while(|path| path.is_dir())
    };
    let all = places(false).chain(places(true));
    all.filter(|path| Partial::leftover_at(path, &target).is_some()).collect()
}

/// Writes a file beside its place and moves it there: the place has the whole file, or the old one.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let draft = sibling(path, DRAFT);
    fs::write(&draft, bytes)?;
    fs::rename(&draft, path)
}

pub(crate) fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// `path` with a suffix after its name.
pub(crate) fn sibling(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn place(target: &Path, within: bool, number: u32) -> PathBuf {
    let end = if number == 1 { ".partial".to_owned() } else { format!(".partial-{number}") };
    if within { target.join(end) } else { sibling(target, &end) }
}

/// The directory itself, if a link leads to it.
pub(crate) fn resolve(target: &Path) -> Result<PathBuf, DataError> {
    if target.as_os_str().is_empty() {
        return Err(DataError::new(target, "the name of a directory is empty"));
    }
    fs::canonicalize(target)
        .or_else(|_| std::path::absolute(target.components().as_path()))
        .map_err(|error| DataError::new(target, error))
}

/// The error of a place whose path leads through a file.
fn within_file(above: &Path) -> Option<DataError> {
    let file = above.ancestors().find(|one| one.is_file())?;
    Some(DataError::new(file, "is a file, so there can be no directory in it"))
}

fn is_mounted(target: &Path) -> bool {
    statx(CWD, target, AtFlags::empty(), StatxFlags::BASIC_STATS)
        .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

fn is_forbidden(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// Whether this is the rest of a replaced result.
fn is_replaced(path: &Path) -> bool {
    path.join(REPLACED).exists() && !path.join(MARK).exists()
}

/// Removes a replaced result. Files that belong to no result move to the new one.
fn clear_away(old: &Path, new: &Path) {
    for entry in fs::read_dir(old).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == REPLACED {
            continue; // removed last: until then this can be repeated
        }
        if name.to_str().is_some_and(is_known) {
            fs::remove_file(entry.path()).ok();
        } else if !new.join(&name).exists() {
            fs::rename(entry.path(), new.join(&name)).ok();
        } else if entry.path().is_dir() {
            fs::remove_dir_all(entry.path()).ok(); // the new one has its own
        } else {
            fs::remove_file(entry.path()).ok();
        }
    }
    // A file that cannot be removed does no harm.
    fs::remove_file(old.join(REPLACED)).ok();
    fs::remove_dir(old).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for a test.
    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("thinktime-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn begin(target: &Path, content: &str) -> Partial {
        let partial = Partial::begin(target).unwrap();
        fs::write(partial.path().join("run.toml"), content).unwrap();
        partial
    }

    fn content(target: &Path) -> String {
        fs::read_to_string(target.join("run.toml")).unwrap()
    }

    fn names(path: &Path) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(path).unwrap().flatten().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn the_older_stays_until_the_newer_is_whole() {
        let folder = folder("exchange");
        let target = folder.join("shop");
        begin(&target, "old").finish().unwrap();
        fs::write(target.join("notes.md"), "mine").unwrap();
        let newer = begin(&target, "new");
        assert_eq!(content(&target), "old");
        assert!(leftovers(&target).is_empty(), "somebody writes to it");
        newer.finish().unwrap();
        assert_eq!(content(&target), "new");
        assert_eq!(names(&target), ["notes.md", "run.toml"]);
        assert_eq!(names(&folder), ["shop"]);
    }

    #[test]
    fn what_was_killed_after_the_exchange_is_cleared_away_and_nothing_else() {
        let folder = folder("killed");
        let target = folder.join("shop");
        begin(&target, "new").finish().unwrap();
        // The older one, which had been exchanged: some of its files are already gone.
        let old = folder.join("shop.partial");
        fs::create_dir(&old).unwrap();
        fs::write(old.join(REPLACED), "").unwrap();
        fs::write(old.join("run.toml"), "old").unwrap();
        fs::write(old.join("notes.md"), "mine").unwrap();
        // An ordinary result with such a name.
        let named = folder.join("shop.partial-2");
        begin(&named, "another").finish().unwrap();
        assert!(leftovers(&target).is_empty());
        begin(&target, "newer").finish().unwrap();
        assert_eq!(content(&target), "newer");
        assert_eq!(content(&named), "another");
        assert_eq!(names(&target), ["notes.md", "run.toml"]);
        assert_eq!(names(&folder), ["shop", "shop.partial-2"]);
    }

    #[test]
    fn files_within_a_place_that_cannot_be_renamed_are_moved_even_in_two_goes() {
        let folder = folder("within");
        for name in ["run.toml", "schedule.json", "notes.md"] {
            fs::write(folder.join(name), "old").unwrap();
        }
        let path = folder.join(".partial");
        fs::create_dir(&path).unwrap();
        for name in ["run.toml", "summary.json", MARK] {
            fs::write(path.join(name), "# new").unwrap();
        }
        let within = |path: &Path| Partial::leftover_at(path, &folder).unwrap();
        let partial = within(&path);
        let all = partial.mark_complete().unwrap();
        // The first file was moved before the program was killed.
        fs::rename(path.join(&all[0]), folder.join(&all[0])).unwrap();
        drop(partial);
        assert_eq!(leftovers(&folder), std::slice::from_ref(&path));
        within(&path).finish().unwrap();
        assert_eq!(names(&folder), ["notes.md", "run.toml", "summary.json"]);
        assert_eq!(content(&folder), "# new");
    }

    #[test]
    fn runs_at_the_same_time_do_not_meet() {
        let target = folder("two").join("shop");
        let (one, two) = (begin(&target, "one"), begin(&target, "two"));
        two.finish().unwrap();
        one.finish().unwrap();
        assert_eq!(content(&target), "one");
    }

    #[test]
    fn nothing_stays_beside_a_result_that_replaced_another() {
        let above = folder("beside");
        let target = above.join("result");
        for round in ["old", "new", "newest"] {
            let partial = begin(&target, round);
            for name in ["label.json", "made.json", "capacity.json", "later.json"] {
                fs::write(partial.path().join(name), round).unwrap();
            }
            fs::create_dir(partial.path().join("points")).unwrap();
            fs::write(partial.path().join("points").join("a.json"), round).unwrap();
            partial.finish().unwrap();
            let beside: Vec<_> = fs::read_dir(&above).unwrap().flatten().collect();
            assert_eq!(beside.len(), 1, "{round}: {beside:?}");
            assert_eq!(content(&target), round);
            assert_eq!(fs::read_to_string(target.join("points/a.json")).unwrap(), round);
        }
        fs::remove_dir_all(above).unwrap();
    }
}
