//! Contention scope and policy of threads: what was asked for, and what the system then says.

use crate::options::{Options, Scope};
use anyhow::{Context, bail};
use std::fmt;
use std::mem::MaybeUninit;

const PTHREAD_SCOPE_SYSTEM: i32 = 0;
const PTHREAD_SCOPE_PROCESS: i32 = 1;

unsafe extern "C" {
    fn pthread_attr_setscope(attr: *mut libc::pthread_attr_t, scope: i32) -> i32;
    fn pthread_attr_getscope(attr: *const libc::pthread_attr_t, scope: *mut i32) -> i32;
}

/// A policy and its priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    number: i32,
    priority: i32,
}

const POLICIES: [(&str, i32); 5] = [
    ("other", libc::SCHED_OTHER),
    ("batch", libc::SCHED_BATCH),
    ("idle", libc::SCHED_IDLE),
    ("fifo", libc::SCHED_FIFO),
    ("rr", libc::SCHED_RR),
];

impl Policy {
    /// From `-sched`.
    ///
    /// # Errors
    /// The word is no policy, or its priority no number that the policy has.
    pub fn parse(text: &str) -> anyhow::Result<Policy> {
        let (name, priority) = text.split_once(':').unwrap_or((text, "0"));
        let Some((_, number)) = POLICIES.iter().find(|(known, _)| *known == name) else {
            bail!("-sched {text}: not other, batch, idle, fifo:PRIORITY or rr:PRIORITY");
        };
        let priority = priority
            .parse()
            .with_context(|| format!("-sched {text}: the priority"))?;
        // SAFETY: these take a number only.
        let range = unsafe {
            libc::sched_get_priority_min(*number)..=libc::sched_get_priority_max(*number)
        };
        if !range.contains(&priority) {
            bail!(
                "-sched {text}: the priority of {name} is from {} to {}",
                range.start(),
                range.end()
            );
        }
        Ok(Policy {
            number: *number,
            priority,
        })
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = POLICIES.iter().find(|(_, number)| *number == self.number);
        write!(f, "{}", name.map_or("unknown", |(name, _)| name))?;
        if self.priority != 0 {
            write!(f, ":{}", self.priority)
        } else {
            Ok(())
        }
    }
}

/// What the system says of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its contention scope.
    pub scope: Scope,
    /// The policy that the kernel reports.
    pub policy: Policy,
}

impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let scope = if self.scope == Scope::Sys {
            "sys"
        } else {
            "proc"
        };
        write!(f, "scope {scope}, policy {}", self.policy)
    }
}

/// Sets what is asked for, as far as the system lets it, and says what the calling thread then has.
pub fn set(options: &Options) -> Observed {
    if let Some(Ok(policy)) = options.sched.as_deref().map(Policy::parse) {
        let param = libc::sched_param {
            sched_priority: policy.priority,
        };
        // SAFETY: the calling thread, and a place that is only read. What fails is seen in what is observed.
        unsafe { libc::pthread_setschedparam(libc::pthread_self(), policy.number, &param) };
    }
    Observed {
        scope: scope(options.scope),
        policy: policy(),
    }
}

/// Threads are made by std, with attributes of its own: Linux knows one scope and refuses the other, which is asked here.
fn scope(wanted: Scope) -> Scope {
    let wanted = if wanted == Scope::Sys {
        PTHREAD_SCOPE_SYSTEM
    } else {
        PTHREAD_SCOPE_PROCESS
    };
    let (mut attr, mut scope) = (MaybeUninit::<libc::pthread_attr_t>::zeroed(), 0);
    // SAFETY: pthread_getattr_np makes the attributes valid, which are destroyed at the end.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attr.as_mut_ptr()) == 0 {
            pthread_attr_setscope(attr.as_mut_ptr(), wanted);
            pthread_attr_getscope(attr.as_ptr(), &mut scope);
            libc::pthread_attr_destroy(attr.as_mut_ptr());
        }
    }
    if scope == PTHREAD_SCOPE_PROCESS {
        Scope::Proc
    } else {
        Scope::Sys
    }
}

fn policy() -> Policy {
    let (mut number, mut param) = (0, libc::sched_param { sched_priority: 0 });
    // SAFETY: fills two places for the calling thread.
    unsafe { libc::pthread_getschedparam(libc::pthread_self(), &mut number, &mut param) };
    Policy {
        number,
        priority: param.sched_priority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn observed(words: &[&str]) -> Observed {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let options = Options::parse(&words).unwrap();
        std::thread::spawn(move || set(&options)).join().unwrap()
    }

    #[test]
    fn requested_scheduling_is_held_against_the_actual_one() {
        assert_eq!(
            observed(&["--sched", "batch"]).to_string(),
            "scope sys, policy batch"
        );
        assert_eq!(
            observed(&["--scope", "proc"]).scope,
            Scope::Sys,
            "Linux has no other"
        );
    }

    #[test]
    fn policies_are_checked() {
        for bad in ["", "fast", "fifo", "fifo:0", "fifo:1000", "rr:x", "other:5"] {
            assert!(Policy::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Policy::parse("fifo:10").unwrap().to_string(), "fifo:10");
    }
}
