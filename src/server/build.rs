//! From card and extensions to a layer's configuration, or to all that is wrong with them.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::builder::A2aExtensionsBuilder;
use super::claims::ClaimedUris;
use super::config::{InstalledExtension, LayerConfig};
use super::layer::A2aExtensionsLayer;
use super::offered::OfferedService;
use crate::call::{CallRegistry, CallSetup};
use crate::card::{AgentCard, DeclaredExtension, interface_findings};
use crate::extension::A2aExtension;
use crate::findings::{BuildError, Finding, Findings, Severity};
use crate::negotiation::{DeclaredUri, DeclaredUris, MAX_ALIASES, MAX_DECLARED};
use crate::observer::ExtensionsEvent;
use crate::shield::shielded;
use crate::stamping::{ReplyStamper, StampingExtension};
use crate::uri::ExtensionUri;

const DECLARATION_RULE: &str = "A2A §4.4.4";

impl A2aExtensionsBuilder {
    /// Builds the layer.
    ///
    /// # Errors
    ///
    /// [`BuildError`] with every problem of card and configuration: a card that is no object, an
    /// extension that is not declared, declared twice or under no valid URI, more than 63
    /// declarations, two extensions with a URI, an alias or a metadata key in common, one without
    /// any key or with more than 255 aliases, and whatever the extensions find, for example On Request its OR-3.1 to 3.9.
    pub fn build(self) -> Result<A2aExtensionsLayer, BuildError> {
        build_config(self).map(A2aExtensionsLayer::of)
    }
}

fn build_config(builder: A2aExtensionsBuilder) -> Result<LayerConfig, BuildError> {
    let card = builder.card?;
    let mut findings = Findings::default();
    let declarations = read_declarations(&card, &mut findings);
    let mut extensions = builder.extensions;
    install_known(&declarations, &mut extensions);
    let mut declared = declarations.iter().map(DeclaredUri::from).collect::<Vec<_>>();
    let installed = bind_all(&card, extensions, &declarations, &mut declared, &mut findings);
    tell_unimplemented(&declarations, &installed, &mut findings);
    let service = OfferedService::new(&card, builder.options.mount.clone());
    findings.extend(interface_findings(&card));
    if !service.fits_mount() {
        let message = format!("no interface of the card is at `{}`, where the layer is mounted", service.mount);
        findings.warning("A2A §4.4.6", "/supportedInterfaces", message);
    }
    warn_of_unread_grpc(&card, &mut findings);
    let findings = findings.into_result()?;
    if let Some(observer) = &builder.observer {
        for finding in &findings {
            drop(shielded(|| observer.observe(&ExtensionsEvent::Found { finding })));
        }
    }

    let declared = DeclaredUris::new(declared);
    let gates = installed.iter().enumerate().filter(|(_, one)| one.extension.gate().is_some());
    let stamping = installed.iter().map(stamping_extension).collect::<Vec<_>>();
    Ok(LayerConfig {
        gates: gates.map(|(place, _)| place).collect(),
        managed_keys: stamping.iter().flat_map(|one| one.keys.iter().cloned()).collect(),
        stamper: ReplyStamper::new(stamping),
        service,
        registry: CallRegistry::new(builder.options.guard_ttl),
        registers_calls: AtomicBool::new(false),
        claimed: ClaimedUris::default(),
        setup: Arc::new(CallSetup {
            declared,
            extensions: installed.iter().map(|one| Arc::clone(&one.extension) as Arc<dyn Any + Send + Sync>).collect(),
            observer: builder.observer,
            decision_timeout: builder.decision_timeout,
            strict: builder.strict,
        }),
        extensions: installed,
        options: builder.options,
        findings,
    })
}

/// A declaration whose URI can be asked for.
struct Declaration<'a> {
    declared: DeclaredExtension<'a>,
    uri: ExtensionUri,
}

impl From<&Declaration<'_>> for DeclaredUri {
    fn from(declaration: &Declaration<'_>) -> Self {
        Self { spellings: vec![declaration.uri.clone()], required: declaration.declared.required() }
    }
}

fn read_declarations<'a>(card: &'a AgentCard, findings: &mut Findings) -> Vec<Declaration<'a>> {
    let mut declarations: Vec<Declaration<'a>> = Vec::new();
    if card.as_value().pointer("/capabilities/extensions").is_some_and(|list| !list.is_array() && !list.is_null()) {
        findings.error(DECLARATION_RULE, "/capabilities/extensions", "the declared extensions are no array");
    }
    findings.extend(crate::on_request::misplaced_extensions(card));
    for declared in card.extensions() {
        let pointer = format!("{}/uri", declared.pointer());
        let Some(text) = declared.uri() else {
            findings.error(DECLARATION_RULE, pointer, "a declared extension has no `uri`, or one that is no string");
            continue;
        };
        match ExtensionUri::new(text) {
            Err(error) => findings.error(DECLARATION_RULE, pointer, format!("`{text}`: {error}")),
            Ok(uri) if declarations.iter().any(|other| other.uri == uri) => {
                findings.error(DECLARATION_RULE, pointer, format!("`{uri}` is declared twice"));
            }
            Ok(uri) => declarations.push(Declaration { declared, uri }),
        }
        if declared.as_value().get("required").is_some_and(|required| !required.is_boolean() && !required.is_null()) {
            findings.error(DECLARATION_RULE, format!("{}/required", declared.pointer()), "`required` is no boolean");
        }
    }
    if declarations.len() > MAX_DECLARED {
        let count = declarations.len();
        let message = format!("{count} extensions are declared, a layer can tell {MAX_DECLARED} apart");
        findings.error(DECLARATION_RULE, "/capabilities/extensions", message);
    }
    declarations
}

/// Installs what this crate knows and the card declares, unless it was given already.
fn install_known(declarations: &[Declaration<'_>], extensions: &mut Vec<Box<dyn A2aExtension>>) {
    let known: [Box<dyn A2aExtension>; 2] =
        [Box::new(crate::on_request::OnRequest::new()), Box::new(crate::converse::Converse::new())];
    for extension in known {
        let uri = extension.uri();
        let given = extensions.iter().any(|given| given.uri() == uri);
        if !given && declarations.iter().any(|declaration| declaration.uri == uri) {
            extensions.push(extension);
        }
    }
}

/// Binds every extension to its declaration, and gives them in card order.
fn bind_all(
    card: &AgentCard,
    extensions: Vec<Box<dyn A2aExtension>>,
    declarations: &[Declaration<'_>],
    declared: &mut [DeclaredUri],
    findings: &mut Findings,
) -> Vec<InstalledExtension> {
    let mut installed: Vec<InstalledExtension> = Vec::new();
    for mut extension in extensions {
        let (uri, aliases) = (extension.uri(), extension.aliases());
        let spellings = || std::iter::once(&uri).chain(&aliases);
        let matching =
            declarations.iter().enumerate().filter(|(_, one)| spellings().any(|spelling| *spelling == one.uri));
        let matching = matching.collect::<Vec<_>>();
        let [(index, declaration)] = matching[..] else {
            let times = if matching.is_empty() { "does not declare it" } else { "declares it under several URIs" };
            let message = format!("`{uri}` is given to the layer, but the card {times}");
            let finding = Finding::new(Severity::Error, DECLARATION_RULE, "/capabilities/extensions", message);
            findings.push(finding.with_help(format!("declare `{{\"uri\": \"{uri}\"}}` once")));
            continue;
        };
        if installed.iter().any(|other| other.index == index) {
            let message = format!("`{}` has two implementations", declaration.uri);
            findings.error(DECLARATION_RULE, declaration.declared.pointer(), message);
            continue;
        }
        extension.bind(card, &declaration.declared, findings);
        let keys = extension.metadata_keys().into_iter().map(String::from).collect::<Vec<_>>();
        for message in clashes(&uri, &aliases, &keys, index, declared, &installed) {
            findings.error(DECLARATION_RULE, declaration.declared.pointer(), message);
        }
        if let Some(entry) = declared.get_mut(index) {
            let others = spellings().filter(|spelling| **spelling != declaration.uri);
            entry.spellings.extend(others.take(MAX_ALIASES).cloned());
        }
        installed.push(InstalledExtension { extension: extension.into(), index, keys });
    }
    installed.sort_by_key(|one| one.index);
    installed
}

/// What is wrong with the names of an extension, alone or beside those that are bound already.
fn clashes(
    uri: &ExtensionUri,
    aliases: &[ExtensionUri],
    keys: &[String],
    index: usize,
    declared: &[DeclaredUri],
    installed: &[InstalledExtension],
) -> Vec<String> {
    let mut clashes = Vec::new();
    let others = || declared.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
    let is_taken = |spelling: &&ExtensionUri| others().any(|other| other.spellings.contains(*spelling));
    if let Some(shared) = std::iter::once(uri).chain(aliases).find(is_taken) {
        clashes.push(format!("two extensions go by `{shared}`"));
    }
    if let Some(key) = keys.iter().find(|key| installed.iter().any(|other| other.keys.contains(key))) {
        clashes.push(format!("two extensions own the metadata key `{key}`"));
    }
    if keys.is_empty() {
        clashes.push(format!("`{uri}` names no metadata key that it could set"));
    }
    if aliases.len() > MAX_ALIASES {
        clashes.push(format!("`{uri}` has {} aliases, a layer can tell {MAX_ALIASES} apart", aliases.len()));
    }
    clashes
}

/// A declared extension that nobody implements is negotiated all the same; one that is required is
/// demanded of every client.
fn tell_unimplemented(declarations: &[Declaration<'_>], installed: &[InstalledExtension], findings: &mut Findings) {
    let missing = declarations.iter().enumerate().filter(|(index, _)| installed.iter().all(|one| one.index != *index));
    for (_, declaration) in missing {
        // It would leave the listed skills to every caller.
        if let Some(near) = crate::on_request::near_miss(&declaration.declared, declaration.uri.as_str()) {
            findings.push(near);
            continue;
        }
        let message = match (&declaration.uri, declaration.declared.required()) {
            (uri, true) => format!("`{uri}` is required of every client, and no implementation is given"),
            (uri, false) => {
                format!("`{uri}` is declared and echoed, but nothing is stamped: no implementation is given")
            }
        };
        findings.note(DECLARATION_RULE, declaration.declared.pointer(), message);
    }
}

fn warn_of_unread_grpc(card: &AgentCard, findings: &mut Findings) {
    let offers = card.interfaces().any(|interface| interface.protocol_binding() == Some("GRPC"));
    if offers && cfg!(not(feature = "grpc")) {
        let message = "the card offers gRPC, and this crate was built without its feature `grpc`: calls over gRPC are \
                       refused while a gate is installed, and pass unseen otherwise";
        findings.warning("A2A §4.4.6", "/supportedInterfaces", message);
    }
}

fn stamping_extension(installed: &InstalledExtension) -> StampingExtension {
    StampingExtension {
        extension: Arc::clone(&installed.extension),
        index: installed.index,
        uri: installed.extension.uri(),
        aliases: installed.extension.aliases(),
        keys: installed.keys.clone(),
    }
}
