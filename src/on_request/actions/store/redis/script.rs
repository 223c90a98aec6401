//! The scripts: one for each step of the contract.

use ::redis::Cmd;

/// A script, by its place among those that a connection has loaded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Script {
    Claim,
    Start,
    Complete,
    Abandon,
    State,
    TakeOverdue,
    Defer,
    Deferred,
    CompleteDeferred,
}

impl Script {
    pub(super) const ALL: [Self; 9] = [
        Self::Claim,
        Self::Start,
        Self::Complete,
        Self::Abandon,
        Self::State,
        Self::TakeOverdue,
        Self::Defer,
        Self::Deferred,
        Self::CompleteDeferred,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Claim => include_str!("claim.lua"),
            Self::Start => include_str!("start.lua"),
            Self::Complete => include_str!("complete.lua"),
            Self::Abandon => include_str!("abandon.lua"),
            Self::State => include_str!("state.lua"),
            Self::TakeOverdue => include_str!("take_overdue.lua"),
            Self::Defer => include_str!("defer.lua"),
            Self::Deferred => include_str!("deferred.lua"),
            Self::CompleteDeferred => include_str!("complete_deferred.lua"),
        }
    }

    /// Asks the server to keep it, and to say how it calls it.
    pub(super) fn load(self) -> Cmd {
        let mut command = ::redis::cmd("SCRIPT");
        command.arg("LOAD").arg(self.code());
        command
    }
}

/// One call of a script.
#[derive(Debug)]
pub(super) struct ScriptCall {
    pub(super) script: Script,
    keys: Vec<String>,
    arguments: Vec<Vec<u8>>,
}

impl ScriptCall {
    pub(super) fn new(script: Script, keys: impl Into<Vec<String>>) -> Self {
        Self { script, keys: keys.into(), arguments: Vec::new() }
    }

    pub(super) fn with(mut self, argument: impl Into<Vec<u8>>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(super) fn with_number(self, number: &impl ToString) -> Self {
        self.with(number.to_string())
    }

    /// By the name under which the server keeps the script.
    pub(super) fn by_name(&self, name: &str) -> Cmd {
        self.command("EVALSHA", name)
    }

    /// With the script itself, which the server then keeps.
    pub(super) fn in_full(&self) -> Cmd {
        self.command("EVAL", self.script.code())
    }

    fn command(&self, name: &str, script: &str) -> Cmd {
        let mut command = ::redis::cmd(name);
        command.arg(script).arg(self.keys.len()).arg(&self.keys).arg(&self.arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_stands_at_its_own_place() {
        assert!(Script::ALL.into_iter().enumerate().all(|(place, script)| script as usize == place));
    }
}
