//! Facts about the machine that belong beside every number measured on it. Nothing here identifies a person or a host.

use roundel::simd::Level;
use serde::{Deserialize, Serialize};
use std::fs::read_to_string;
use std::io::Read;

/// The machine as the system describes it. Where it does not tell, a field is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU's own name.
    pub cpu: String,
    /// Family, model and stepping, where they exist: "25/1/1".
    pub family_model_stepping: String,
    /// Levels that the CPU has, lowest first, by the names that `--cpu` takes.
    pub levels: Vec<String>,
    /// The highest level in use: lower than the CPU's where `--cpu` or `ROUNDEL_CPU` caps it.
    pub level: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Data caches seen by one core, nearest first: "L1 32K", "L2 512K", "L3 32768K".
    pub caches: Vec<String>,
    /// Main memory in MiB.
    pub memory_mib: u64,
    /// Whether the CPU says that a hypervisor is below.
    pub virtual_machine: bool,
    /// Operating system and kernel release.
    pub system: String,
    /// Architecture of this program.
    pub architecture: String,
    /// The compiler that built it, and the profile.
    pub build: String,
}

impl Machine {
    /// The facts of this machine.
    pub fn detect() -> Machine {
        let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name| cpu_field(&cpuinfo, name).unwrap_or_default();
        let available = Level::ALL.into_iter().filter(|level| level.available()).max();
        let family: Vec<&str> = ["cpu family", "model", "stepping"].map(field).into_iter().collect();
        Machine {
            cpu: field("model name").to_owned(),
            family_model_stepping: family.join("/").trim_matches('/').to_owned(),
            levels: Level::ALL
                .iter()
                .filter(|level| level.in_cpu())
                .map(|level| level.name().to_owned())
                .collect(),
            level: available.map_or("", Level::name).to_owned(),
            cores: roundel::parallel::cores(),
            caches: caches(),
            memory_mib: memory_mib(&read_to_string("/proc/meminfo").unwrap_or_default()),
            virtual_machine: field("flags").split(' ').any(|flag| flag == "hypervisor"),
            system: format!("{} {}", std::env::consts::OS, one_line("/proc/sys/kernel/osrelease")),
            architecture: std::env::consts::ARCH.to_owned(),
            build: format!("{}, {}", env!("ROUNDEL_RUSTC"), env!("ROUNDEL_PROFILE")),
        }
    }
}

/// The CPU's own name with family, model and stepping, as far as the system tells.
pub(crate) fn cpu_name() -> String {
    // The first core's entry is enough, and the file grows with the number of cores.
    let mut start = String::new();
    let read = std::fs::File::open("/proc/cpuinfo").map(|file| file.take(4096).read_to_string(&mut start));
    let field = |name| cpu_field(&start, name).unwrap_or_default();
    match read {
        Ok(Ok(_)) => {
            let family = ["cpu family", "model", "stepping"].map(field).join("/");
            format!("{} {}", field("model name"), family.trim_matches('/')).trim().to_owned()
        }
        _ => std::env::consts::ARCH.to_owned(),
    }
}

/// The load average over the last minute: how much else was going on.
pub fn load_average() -> Option<f64> {
    one_line("/proc/loadavg").split(' ').next()?.parse().ok()
}

/// The value of the first line `name : value`.
fn cpu_field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

fn memory_mib(meminfo: &str) -> u64 {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

fn caches() -> Vec<String> {
    let describe = |index: usize| {
        let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let kind = one_line(&format!("{folder}/type"));
        let level = one_line(&format!("{folder}/level"));
        let size = one_line(&format!("{folder}/size"));
        (kind == "Data" || kind == "Unified").then(|| format!("L{level} {size}"))
    };
    (0..8).filter_map(describe).collect()
}

fn one_line(path: &str) -> String {
    read_to_string(path).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_cpuinfo_and_meminfo() {
        let cpuinfo = "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Some CPU\nflags\t\t: fpu hypervisor aes\n";
        assert_eq!(cpu_field(cpuinfo, "model"), Some("1"));
        assert_eq!(cpu_field(cpuinfo, "model name"), Some("Some CPU"));
        assert_eq!(cpu_field(cpuinfo, "stepping"), None);
        assert_eq!(memory_mib("MemTotal:        8145000 kB\nMemFree: 1 kB\n"), 7954);
        assert_eq!(memory_mib(""), 0);
    }

    #[test]
    fn this_machine_has_the_baseline_level_and_a_core() {
        let machine = Machine::detect();
        assert_eq!(machine.levels.first().map(String::as_str), Some("portable"));
        assert!(machine.levels.contains(&machine.level));
        assert!(machine.cores >= 1);
    }
}
