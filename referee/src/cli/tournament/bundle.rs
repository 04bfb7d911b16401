//! `referee bundle`: makes an archive of each bot's folder, for machines without it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bundle::{Bundle, MANIFEST_NAME, MAX_SIZE, Manifest};
use bytesize::ByteSize;
use config::{BuildPlan, Config, LeftOut, OnBroken};
use report::print_notice;
use supervisor::{BotSpec, REFEREE};
use tournament::admission::{self, BUILD_LOG};

use crate::cli::tools::examples::configuration;
use crate::cli::{CliError, block_on, print};

/// Makes an archive of each bot's folder, for machines without it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee bundle evening.toml --out bundles
  referee tournament evening.toml --bundles bundles      on a machine that sees the folder `bundles`

Bots with a `build` are built first. The same folder makes the same archive, whose name is its SHA-256;
`bundles.json` says which archive is which bot, and what its `setup` is. Times, owners and permissions but
for the right to run a file are left out, and so are `.git`, `.hg`, `.svn` and `__pycache__`. Bots without
a `dir`, and those with `in_place = true`, get no bundle: their commands must be on every machine.")]
pub(crate) struct Args {
    /// The configuration
    config: PathBuf,
    /// The folder of the archives; its contents stay
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Largest total size of a bot's files, as in `500MiB`
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(MAX_SIZE))]
    max_size: ByteSize,
    /// Set a key over the configuration, as in `referee tournament`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let config = Config::load_with(&configuration(&self.config)?, &self.set)?;
        block_on(self.bundle(config))?
    }

    async fn bundle(self, config: Config) -> Result<(), CliError> {
        let most = self.max_size.as_u64();
        let mut bundles = BTreeMap::new();
        for left_out in &config.admission.left_out {
            print_notice(format_args!("left out: {}\n", left_out.in_words()));
        }
        let mut text = String::new();
        let started = config.bots.iter().zip(&config.admission.builds);
        for (spec, plan) in started.filter(|(spec, _)| spec.ggp.is_none()) {
            if plan.in_place || !spec.shows_dir {
                warn_if_elsewhere(spec, plan);
                continue;
            }
            let built = admission::built_for(&config, spec, plan, |line| {
                print_notice(format_args!("{line}\n"))
            });
            if let Err(why) = built.await? {
                let left_out = LeftOut::new(&spec.name, why);
                if plan.must_pass && config.admission.on_broken == OnBroken::LeaveOut {
                    print_notice(format_args!("left out: {}\n", left_out.in_words()));
                    continue;
                }
                return Err(CliError::Usage(left_out.in_words()));
            }
            warn_of_paths(spec);
            // The output of a build does not belong to the bot.
            let but: &[&str] = plan.command.as_ref().map_or(&[], |_| &[BUILD_LOG]);
            let bundle = Bundle::pack(&spec.dir, but, most, plan.setup.clone(), &self.out)?;
            let (hash, bytes) = (&bundle.sha256, ByteSize(bundle.bytes));
            text += &format!("{hash:.12}  {bytes:>9}  {}\n", spec.name);
            bundles.insert(spec.name.clone(), bundle);
        }
        std::fs::create_dir_all(&self.out)?;
        Manifest::new(bundles).write(&self.out)?;
        print(&text)?;
        let manifest = self.out.join(MANIFEST_NAME);
        print_notice(format_args!("`{}` lists them\n", manifest.display()));
        Ok(())
    }
}

/// Warns of a program that other machines may lack; only `referee` is certain to be there.
fn warn_if_elsewhere(spec: &BotSpec, plan: &BuildPlan) {
    if !plan.in_place
        && spec
            .command
            .first()
            .is_none_or(|program| program != REFEREE)
    {
        print_notice(format_args!(
            "warning: `{}` has no `dir`, so it gets no bundle: its command has to be on every machine \
             (`in_place = true` says that it is)\n",
            spec.name
        ));
    }
}

/// Warns of absolute paths into a bot's folder, which are wrong on other machines.
fn warn_of_paths(spec: &BotSpec) {
    let dir = spec.dir.to_string_lossy();
    let texts = spec.command.iter().chain(spec.env.values());
    if let Some(text) = texts.into_iter().find(|text| text.contains(&*dir)) {
        print_notice(format_args!(
            "warning: `{}` has the path of its folder in `{text}`, which is not there on other machines; \
             paths relative to `dir` are\n",
            spec.name
        ));
    }
}
