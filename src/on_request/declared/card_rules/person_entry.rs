//! The address of an entry: OR-3.4 and OR-3.8, and what stands out about it.

use super::ListedEntry;
use super::circumstances::carried;
use super::own_origin::{Ownership, is_address};
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::declared::person_entry::{check_person_entry, host, origin, port};

impl ListedEntry<'_> {
    pub(super) fn has_a_person_entry(&self, findings: &mut Findings) {
        let pointer = self.at("personEntry");
        let Some(entry) = self.value.get("personEntry") else {
            let what = "an entry needs `personEntry`, where a person can ask";
            let help = "add `\"personEntry\": \"https://…\"`, or `\"tel:+…\"`";
            findings.push(Finding::new(Severity::Error, "OR-3.4", pointer, what).with_help(help));
            return;
        };
        let Some(entry) = entry.as_str() else {
            let what = "`personEntry` must be a string: an https address or a `tel:` number";
            findings.error("OR-3.4", pointer, what);
            return;
        };
        if let Err(fault) = check_person_entry(entry, self.is_action()) {
            let finding =
                Finding::new(Severity::Error, fault.rule, pointer, format!("{}: {}", quoted(entry), fault.why));
            findings.push(finding.with_help(fault.help));
            // The rest of an address with a query can be looked at all the same.
            let plain = entry.split(['?', '#']).next().unwrap_or_default();
            if check_person_entry(plain, self.is_action()).is_ok() {
                self.is_a_good_address(plain, findings);
            }
            return;
        }
        self.is_a_good_address(entry, findings);
    }

    fn is_a_good_address(&self, entry: &str, findings: &mut Findings) {
        self.is_on_an_own_origin(entry, findings);
        self.reveals_nothing(entry, findings);
        self.stands_out(entry, findings);
    }

    /// That the operator controls an origin can only be guessed by its name, or said.
    fn is_on_an_own_origin(&self, entry: &str, findings: &mut Findings) {
        let own = &self.rules.own_hosts;
        let place = origin(entry).unwrap_or_default();
        let name_it = format!("if the operator controls it, name it: `operator_origin({place:?})`, `--origin {place}`");
        let (severity, what) = match own.ownership(entry, &self.rules.options) {
            Ownership::Own => return,
            Ownership::Related(host) => {
                (Severity::Note, format!("{} shares its registrable domain with {}", quoted(&place), quoted(&host)))
            }
            Ownership::Foreign => {
                let hosts = own.named();
                let what = format!(
                    "{} is not at or below a host that the card shows to be the operator's ({hosts})",
                    quoted(&place)
                );
                (Severity::Error, what)
            }
            Ownership::Unknown => {
                let what = "the card has no `provider.url`, so nobody can tell whose this origin is";
                let finding = Finding::new(Severity::Warning, "OR-3.4", self.at("personEntry"), what);
                findings.push(finding.with_help("add `\"provider\": {\"organization\": …, \"url\": \"https://…\"}`"));
                return;
            }
        };
        findings.push(Finding::new(severity, "OR-3.4", self.at("personEntry"), what).with_help(name_it));
    }

    fn reveals_nothing(&self, entry: &str, findings: &mut Findings) {
        let words = &self.rules.path_words;
        let in_path = words.in_path(entry).map(|word| format!("the path says {}", quoted(&word)));
        // A business that is called so says nothing more about whoever asks it.
        let in_host = words.in_host(entry).filter(|word| !self.rules.own_hosts.are_called(word));
        let in_host = in_host.map(|word| format!("the host says {}", quoted(&word)));
        let carried = carried(entry).map(|what| format!("the path holds {what}"));
        for what in [in_path, in_host].into_iter().flatten() {
            let what = format!("{what}: whoever sees the address learns about the person");
            let finding = Finding::new(Severity::Warning, "OR-3.8", self.at("personEntry"), what);
            findings.push(finding.with_help("use one plain address for everybody, such as one with the path `/talk`"));
        }
        if let Some(what) = carried {
            let what = format!("{what}: it can carry something about the person");
            let finding = Finding::new(Severity::Warning, "OR-3.8", self.at("personEntry"), what);
            findings.push(finding.with_help("take it out: the address is the same for every caller"));
        }
    }

    fn stands_out(&self, entry: &str, findings: &mut Findings) {
        let Some(host) = host(entry) else { return };
        let mut push = |severity, what: String| {
            findings.push(Finding::new(severity, "OR-3.4", self.at("personEntry"), what));
        };
        if is_address(&host) {
            push(Severity::Warning, format!("{} is an IP address: it shows nobody who answers there", quoted(&host)));
        } else if !host.trim_end_matches('.').contains('.') {
            push(Severity::Warning, format!("{} is a name that only a local network knows", quoted(&host)));
        } else if host.ends_with('.') {
            push(Severity::Warning, "the host ends with a dot: to many programs that is another origin".to_owned());
        }
        if entry.contains('%') {
            push(
                Severity::Note,
                "it holds an escape such as `%2F`: programs differ in whether they read it".to_owned(),
            );
        }
        if host.split('.').any(|label| label.starts_with("xn--")) {
            push(Severity::Note, "the host is shown to people in other letters (`xn--`)".to_owned());
        }
        if let Some(port) = port(entry).filter(|port| *port != 443) {
            push(Severity::Note, format!("port {port} is not the default: some networks let nobody through to it"));
        }
    }
}
