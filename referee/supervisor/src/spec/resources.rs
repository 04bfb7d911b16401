//! Limits of resources: defaults, and the tables of configurations that change them.

use std::borrow::Cow;
use std::time::Duration;

use bytesize::ByteSize;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use thiserror::Error;

/// The limits of a bot; `None` is no limit. The kernel enforces those from `memory` to `tmp`, and
/// only in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Bytes of memory, all processes together.
    pub memory: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Bytes of each file that it writes.
    pub file_size: Option<u64>,
    /// Files that each process has open at a time.
    pub open_files: Option<u64>,
    /// Bytes of its private `/tmp`, in the strict sandbox.
    pub tmp: u64,
    /// CPU time in a match, all processes together.
    pub cpu_time: Option<Duration>,
    /// Bytes that it prints from one of its turns to the next.
    pub output_bytes: u64,
    /// Lines that it prints from one of its turns to the next.
    pub output_lines: u64,
    /// Bytes of stderr that it may write to files in a tournament.
    pub stderr_bytes: u64,
    /// Bytes of `info` that are logged with a move.
    pub info_bytes: u64,
}

impl Resources {
    pub const DEFAULT: Resources = Resources {
        memory: Some(2 << 30),
        processes: Some(256),
        file_size: Some(256 << 20),
        open_files: Some(1024),
        tmp: 64 << 20,
        cpu_time: None,
        output_bytes: 16 << 20,
        output_lines: 10_000,
        stderr_bytes: 1 << 20,
        info_bytes: 16 << 10,
    };

    /// These limits, overridden by those that a table sets.
    ///
    /// # Errors
    /// For the first value with which no bot could run.
    pub fn with(&self, table: &ResourcesTable) -> Result<Self, TooLittle> {
        let least = |key: &'static str, value: Option<u64>, least: u64| match value {
            Some(value) if value < least => Err(TooLittle {
                key,
                message: format!("{value} is not enough: at least {least} is needed"),
            }),
            _ => Ok(()),
        };
        let number = |value: Option<Size>, default: u64| match value {
            Some(Size(value)) => value.unwrap_or(u64::MAX),
            None => default,
        };
        let option = |value: Option<Size>, default| value.map_or(default, |size| size.0);
        let resources = Resources {
            memory: option(table.memory, self.memory),
            processes: option(table.processes, self.processes),
            file_size: option(table.file_size, self.file_size),
            open_files: option(table.open_files, self.open_files),
            tmp: number(table.tmp, self.tmp),
            cpu_time: match &table.cpu_time {
                Some(CpuTime(time)) => *time,
                None => self.cpu_time,
            },
            output_bytes: number(table.output_bytes, self.output_bytes),
            output_lines: number(table.output_lines, self.output_lines),
            stderr_bytes: number(table.stderr_bytes, self.stderr_bytes),
            info_bytes: number(table.info_bytes, self.info_bytes),
        };
        least("memory", resources.memory, 1 << 20)?;
        least("processes", resources.processes, 1)?;
        least("open_files", resources.open_files, 16)?;
        least("tmp", Some(resources.tmp), 4096)?;
        least("output_bytes", Some(resources.output_bytes), 1024)?;
        least("output_lines", Some(resources.output_lines), 1)?;
        if resources.cpu_time.is_some_and(|time| time.is_zero()) {
            return Err(TooLittle {
                key: "cpu_time",
                message: "it must be longer than zero".to_owned(),
            });
        }
        Ok(resources)
    }
}

/// A limit with which no bot could run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{key}`: {message}")]
pub struct TooLittle {
    /// The key of the limit.
    pub key: &'static str,
    pub message: String,
}

/// Resource limits of bots. Sizes are strings such as "512MiB" or numbers of bytes; "none" lifts a
/// limit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ResourcesTable {
    /// Memory of all processes of a bot together. Default "2GiB".
    pub memory: Option<Size>,
    /// Number of processes and threads. Default 256.
    pub processes: Option<Size>,
    /// Size of each file that a bot writes. Default "256MiB".
    pub file_size: Option<Size>,
    /// Files that each process may have open at a time. Default 1024.
    pub open_files: Option<Size>,
    /// Size of the private `/tmp` in the strict sandbox. Default "64MiB".
    pub tmp: Option<Size>,
    /// CPU time of all processes of a bot together, per match, such as "60s". Default "none".
    pub cpu_time: Option<CpuTime>,
    /// Maximum output of a bot from one turn to the next. Default "16MiB".
    pub output_bytes: Option<Size>,
    /// Maximum number of output lines of a bot from one turn to the next. Default 10000.
    pub output_lines: Option<Size>,
    /// Amount of a bot's stderr that is kept in a tournament. Default "1MiB".
    pub stderr_bytes: Option<Size>,
    /// Amount of a bot's `info` that is kept with each move. Default "16KiB".
    pub info_bytes: Option<Size>,
}

impl ResourcesTable {
    /// The first limit in it that the kernel has to enforce.
    pub fn needs_kernel(&self) -> Option<&'static str> {
        let limits = [
            ("memory", self.memory),
            ("processes", self.processes),
            ("file_size", self.file_size),
            ("open_files", self.open_files),
        ];
        let is_set = |size: Option<Size>| size.is_some_and(|size| size.0.is_some());
        let found = limits.into_iter().find(|(_, size)| is_set(*size));
        found.map(|(key, _)| key)
    }
}

/// A number of bytes or of things; `None` is without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub Option<u64>);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let size = match &value {
            Value::Number(number) => number.as_u64().map(|bytes| Size(Some(bytes))),
            Value::String(text) if text == "none" => Some(Size(None)),
            Value::String(text) => text.parse().ok().map(|ByteSize(bytes)| Size(Some(bytes))),
            _ => None,
        };
        size.ok_or_else(|| {
            de::Error::custom(format!(
                "{value} is not a size; a number, a string with a unit as in \"512MiB\", or \
                 \"none\" is needed"
            ))
        })
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "size or \"none\"",
            "type": ["integer", "string"],
            "minimum": 0,
            "description": "A number, a string with a unit, or \"none\".",
            "examples": [64, "512MiB", "none"]
        })
    }
}

/// A duration of CPU time; `None` is without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTime(pub Option<Duration>);

impl<'de> Deserialize<'de> for CpuTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.as_str() {
            Some("none") => return Ok(CpuTime(None)),
            Some(text) => {
                if let Ok(time) = humantime::parse_duration(text) {
                    return Ok(CpuTime(Some(time)));
                }
            }
            None => {}
        }
        Err(de::Error::custom(format!(
            "{value} is not a duration; a string with a unit as in \"60s\", or \"none\" is needed"
        )))
    }
}

impl JsonSchema for CpuTime {
    fn schema_name() -> Cow<'static, str> {
        "CpuTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "duration or \"none\"",
            "type": "string",
            "description": "A duration with a unit, or \"none\".",
            "examples": ["60s", "none"]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Result<ResourcesTable, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())
    }

    #[test]
    fn tables_go_over_the_defaults() {
        let text = "memory = \"512MiB\"\nprocesses = 8\nfile_size = \"none\"\ncpu_time = \"1m\"";
        let given = table(text).unwrap();
        assert_eq!(given.needs_kernel(), Some("memory"));
        let resources = Resources::DEFAULT.with(&given).unwrap();
        assert_eq!(resources.memory, Some(512 << 20));
        assert_eq!(resources.processes, Some(8));
        assert_eq!(resources.file_size, None);
        assert_eq!(resources.open_files, Some(1024));
        assert_eq!(resources.cpu_time, Some(Duration::from_secs(60)));
        let own = table("processes = \"none\"\ncpu_time = \"none\"").unwrap();
        assert_eq!(own.needs_kernel(), None);
        let own = resources.with(&own).unwrap();
        assert_eq!((own.processes, own.cpu_time), (None, None));
        assert_eq!(own.memory, Some(512 << 20));
    }

    #[test]
    fn senseless_values_are_refused() {
        for text in [
            "memory = -1",
            "memory = \"much\"",
            "memory = true",
            "cpu_time = 5",
        ] {
            assert!(table(text).unwrap_err().contains("is needed"), "{text}");
        }
        let error = |text| {
            let table = table(text).unwrap();
            Resources::DEFAULT.with(&table).unwrap_err().to_string()
        };
        assert!(error("open_files = 3").contains("at least 16"));
        assert!(error("memory = 1000").contains("`memory`: 1000 is not enough: at least"));
        assert!(error("cpu_time = \"0s\"").contains("longer than zero"));
    }
}
