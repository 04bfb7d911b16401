//! Seccomp: refuses system calls to a bot in the sandboxes `restricted` and `strict`. A process
//! applies it to itself, for good; see seccomp(2).

use serde::{Deserialize, Serialize};

/// The calls that are refused besides those that no bot needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyscallFilter {
    /// There are no namespaces of the kernel to isolate a bot: refuses sockets other than pairs,
    /// and changes of the mode, owner, times and attributes of files.
    pub no_namespaces: bool,
    /// Refuses signals that the kernel sends later by itself, which would wake a bot that is
    /// stopped by a signal.
    pub delayed_signals: bool,
    /// Refuses files without a name, because nothing counts their memory here.
    pub unnamed_files: bool,
}

/// Applies the filter to this process and its descendants.
///
/// # Errors
/// In words, if the kernel refuses.
pub fn apply(filter: SyscallFilter) -> Result<(), String> {
    implementation::apply(filter).map_err(|error| format!("seccomp: {error}"))
}

#[cfg(target_os = "linux")]
mod implementation {
    use std::collections::BTreeMap;
    use std::collections::btree_map::Entry;
    use std::error::Error;

    use nix::libc::{self, c_long};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter, sock_filter,
    };

    use super::SyscallFilter;

    /// Calls that administer the machine, and others that no bot needs.
    const MACHINE: &[c_long] = &[
        libc::SYS_acct,
        libc::SYS_add_key,
        libc::SYS_adjtimex,
        libc::SYS_bpf,
        libc::SYS_chroot,
        libc::SYS_clock_adjtime,
        libc::SYS_clock_settime,
        libc::SYS_delete_module,
        libc::SYS_fanotify_init,
        libc::SYS_finit_module,
        libc::SYS_fsconfig,
        libc::SYS_fsmount,
        libc::SYS_fsopen,
        libc::SYS_fspick,
        libc::SYS_init_module,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_io_uring_setup,
        libc::SYS_kcmp,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_lookup_dcookie,
        libc::SYS_migrate_pages,
        libc::SYS_mknodat,
        libc::SYS_mount,
        libc::SYS_mount_setattr,
        libc::SYS_move_mount,
        libc::SYS_move_pages,
        libc::SYS_name_to_handle_at,
        libc::SYS_nfsservctl,
        libc::SYS_open_by_handle_at,
        libc::SYS_open_tree,
        libc::SYS_perf_event_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pivot_root,
        libc::SYS_process_madvise,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_ptrace,
        libc::SYS_quotactl,
        libc::SYS_quotactl_fd,
        libc::SYS_reboot,
        libc::SYS_request_key,
        libc::SYS_setdomainname,
        libc::SYS_sethostname,
        libc::SYS_setns,
        libc::SYS_settimeofday,
        libc::SYS_swapoff,
        libc::SYS_swapon,
        libc::SYS_syslog,
        libc::SYS_umount2,
        libc::SYS_unshare,
        libc::SYS_userfaultfd,
        libc::SYS_vhangup,
        // A bot would leave the core of its match.
        libc::SYS_sched_setaffinity,
        // A session of its own would get its own share of the CPU (sched(7), autogroup).
        libc::SYS_setsid,
    ];

    #[cfg(target_arch = "x86_64")]
    const MACHINE_X86: &[c_long] = &[
        libc::SYS_ioperm,
        libc::SYS_iopl,
        libc::SYS_kexec_file_load,
        libc::SYS_mknod,
        libc::SYS_modify_ldt,
        libc::SYS_uselib,
        libc::SYS_ustat,
        libc::SYS_sysfs,
        libc::SYS__sysctl,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const MACHINE_X86: &[c_long] = &[];

    /// Shared memory, queues and semaphores whose names are in no file system: they outlive
    /// processes, and nothing counts them.
    const NAMED: &[c_long] = &[
        libc::SYS_mq_getsetattr,
        libc::SYS_mq_notify,
        libc::SYS_mq_open,
        libc::SYS_mq_timedreceive,
        libc::SYS_mq_timedsend,
        libc::SYS_mq_unlink,
        libc::SYS_msgctl,
        libc::SYS_msgget,
        libc::SYS_msgrcv,
        libc::SYS_msgsnd,
        libc::SYS_semctl,
        libc::SYS_semget,
        libc::SYS_semop,
        libc::SYS_semtimedop,
        libc::SYS_shmat,
        libc::SYS_shmctl,
        libc::SYS_shmget,
    ];

    /// Calls by which bots without namespaces could communicate: sockets, watches on files, and the
    /// mode, owner, times and attributes of files, which Landlock does not restrict.
    const COMMUNICATION: &[c_long] = &[
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_fchmodat2,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_fremovexattr,
        libc::SYS_fsetxattr,
        libc::SYS_inotify_add_watch,
        libc::SYS_inotify_init1,
        libc::SYS_lremovexattr,
        libc::SYS_lsetxattr,
        libc::SYS_removexattr,
        libc::SYS_setxattr,
        libc::SYS_socket,
        libc::SYS_utimensat,
        // The newer forms, since Linux 6.17 and 6.13.
        FILE_SETATTR,
        SETXATTRAT,
        REMOVEXATTRAT,
    ];
    const SETXATTRAT: c_long = 463;
    const REMOVEXATTRAT: c_long = 466;
    const FILE_SETATTR: c_long = 469;

    #[cfg(target_arch = "x86_64")]
    const COMMUNICATION_X86: &[c_long] = &[
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_futimesat,
        libc::SYS_inotify_init,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const COMMUNICATION_X86: &[c_long] = &[];

    /// Flags of clone(2) for new namespaces.
    const NAME_SPACES: [i32; 8] = [
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWUTS,
        0x80, // CLONE_NEWTIME
    ];
    /// The address families that reach nothing outside a network namespace. Sockets in the file
    /// system would: a process that may read a folder may connect to those in it.
    const FAMILIES: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    /// Requests to terminals and files whose effects outlive or leave the bot.
    const IOCTLS: [u64; 3] = [
        libc::TIOCSTI,
        0x541C,      // TIOCLINUX
        0x4008_6602, // FS_IOC_SETFLAGS
    ];

    /// The command of fcntl(2) that chooses the signal for new input.
    const F_SETSIG: u64 = 10;

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;
    type Failed = Box<dyn Error>;

    pub(super) fn apply(filter: SyscallFilter) -> Result<(), Failed> {
        // Programs manage without a call that does not exist.
        let mut unknown = Rules::new();
        // No filter can check its flags, which are behind a pointer.
        unknown.insert(libc::SYS_clone3, Vec::new());
        if filter.unnamed_files {
            unknown.insert(libc::SYS_memfd_create, Vec::new());
            unknown.insert(libc::SYS_memfd_secret, Vec::new());
        }
        apply_filter(&program(unknown, libc::ENOSYS)?)?;
        apply_filter(&without_other_abis(program(refused(filter)?, libc::EPERM)?))?;
        Ok(())
    }

    fn refused(filter: SyscallFilter) -> Result<Rules, Failed> {
        let mut rules = Rules::new();
        let mut refuse = |calls: &[c_long]| {
            rules.extend(calls.iter().map(|call| (*call, Vec::new())));
        };
        refuse(MACHINE);
        refuse(MACHINE_X86);
        refuse(NAMED);
        if filter.no_namespaces {
            refuse(COMMUNICATION);
            refuse(COMMUNICATION_X86);
        } else {
            let others = FAMILIES
                .iter()
                .map(|family| argument(0, SeccompCmpOp::Ne, *family as u64));
            let others = SeccompRule::new(others.collect::<Result<_, _>>()?)?;
            rules.insert(libc::SYS_socket, vec![others]);
        }
        let pairs = argument(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
        rules.insert(libc::SYS_socketpair, vec![SeccompRule::new(vec![pairs])?]);
        let spaces = NAME_SPACES.map(|flag| {
            let flag = flag as u64;
            argument(0, SeccompCmpOp::MaskedEq(flag), flag)
        });
        rules.insert(libc::SYS_clone, any_of(spaces)?);
        rules.insert(
            libc::SYS_ioctl,
            any_of(IOCTLS.map(|request| argument(1, SeccompCmpOp::Eq, request)))?,
        );
        for call in [
            libc::SYS_prlimit64,
            libc::SYS_sched_setattr,
            libc::SYS_sched_setparam,
            libc::SYS_sched_setscheduler,
        ] {
            rules.insert(call, any_of([of_others(0)])?);
        }
        // The first argument says whether the second is a process, a group or a user.
        for call in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
            rules.insert(call, any_of([of_others(1)])?);
        }
        // Modes by which a file runs with its owner's rights.
        for (call, mode) in with_modes() {
            let special = [libc::S_ISUID, libc::S_ISGID];
            let special = special.map(|bit| {
                let bit = u64::from(bit);
                argument(mode, SeccompCmpOp::MaskedEq(bit), bit)
            });
            if let Entry::Vacant(entry) = rules.entry(call) {
                entry.insert(any_of(special)?);
            }
        }
        if filter.delayed_signals {
            rules.insert(libc::SYS_timer_create, Vec::new());
            let other_signal = argument(1, SeccompCmpOp::Eq, F_SETSIG)?;
            rules.insert(libc::SYS_fcntl, vec![SeccompRule::new(vec![other_signal])?]);
        }
        Ok(rules)
    }

    /// Holds if an argument names a process other than the caller.
    fn of_others(index: u8) -> Result<SeccompCondition, seccompiler::BackendError> {
        argument(index, SeccompCmpOp::Ne, 0)
    }

    /// Calls that set the mode of a file, with the index of the mode among their arguments.
    fn with_modes() -> Vec<(c_long, u8)> {
        let mut calls = vec![
            (libc::SYS_fchmod, 1),
            (libc::SYS_fchmodat, 2),
            (libc::SYS_fchmodat2, 2),
        ];
        #[cfg(target_arch = "x86_64")]
        calls.push((libc::SYS_chmod, 1));
        calls.sort_unstable();
        calls
    }

    fn argument(
        index: u8,
        operator: SeccompCmpOp,
        value: u64,
    ) -> Result<SeccompCondition, seccompiler::BackendError> {
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)
    }

    /// Rules that match if any of these conditions does.
    fn any_of(
        conditions: impl IntoIterator<Item = Result<SeccompCondition, seccompiler::BackendError>>,
    ) -> Result<Vec<SeccompRule>, Failed> {
        let rules = conditions.into_iter().map(|condition| {
            let condition = condition?;
            Ok(SeccompRule::new(vec![condition])?)
        });
        rules.collect()
    }

    /// A program that answers calls that match these rules with an error.
    fn program(rules: Rules, error: i32) -> Result<BpfProgram, Failed> {
        let filter = SeccompFilter::new(
            rules,
            SeccompAction::Allow,
            SeccompAction::Errno(error.unsigned_abs()),
            std::env::consts::ARCH.try_into()?,
        )?;
        Ok(filter.try_into()?)
    }

    /// Also refuses calls by their other numbers on x86-64 (x32), as if they did not exist. The
    /// program itself refuses calls of another architecture.
    fn without_other_abis(program: BpfProgram) -> BpfProgram {
        if !cfg!(target_arch = "x86_64") {
            return program;
        }
        const X32: u32 = 0x4000_0000;
        let instruction = |code: u32, jt, jf, k| sock_filter {
            code: code as u16,
            jt,
            jf,
            k,
        };
        let mut whole = vec![
            // The number of the call comes first in what a filter gets.
            instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
            instruction(
                libc::BPF_RET | libc::BPF_K,
                0,
                0,
                libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
            ),
        ];
        whole.extend(program);
        whole
    }
}

#[cfg(not(target_os = "linux"))]
mod implementation {
    use super::SyscallFilter;

    pub(super) fn apply(_: SyscallFilter) -> Result<(), String> {
        Err("only Linux has it".to_owned())
    }
}
