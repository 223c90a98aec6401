//! Every keyword of JSON Schema, by the validator crate.

use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::{MAX_TOLD, PLAIN, SchemaFault, Violation, missing, no_slot, token, wrong_type};
use crate::findings::quoted;

/// The size of a compiled `pattern`, in bytes; an input is matched against it in linear time.
const MAX_PATTERN: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct FullCheck {
    validator: Validator,
    schema: Value,
}

impl FullCheck {
    pub(super) fn compile(schema: &Value) -> Result<Self, Vec<SchemaFault>> {
        let faults = faults_by_meta_schema(schema);
        if !faults.is_empty() {
            return Err(faults);
        }
        // Whatever else a program switches on in the validator: nothing is fetched, and no pattern
        // backtracks.
        let patterns = PatternOptions::regex().size_limit(MAX_PATTERN).dfa_size_limit(MAX_PATTERN);
        let options = jsonschema::options().offline().with_pattern_options(patterns).should_validate_formats(false);
        let validator = options.build(schema).map_err(|error| vec![fault(&error)])?;
        Ok(Self { validator, schema: schema.clone() })
    }

    pub(super) fn violations(&self, input: &Value) -> Vec<Violation> {
        // Most inputs fit, and to say so needs no list.
        if self.validator.is_valid(input) {
            return Vec::new();
        }
        let mut violations: Vec<Violation> = Vec::new();
        let errors = self.validator.iter_errors(input).take(MAX_TOLD);
        for violation in errors.flat_map(|error| self.violations_of(&error, input)) {
            if violations.len() < MAX_TOLD && !violations.contains(&violation) {
                violations.push(violation);
            }
        }
        if violations.is_empty() {
            violations.push(Violation { pointer: String::new(), why: "does not fit the schema".to_owned() });
        }
        violations
    }

    /// The violations of one error: each member that is missing or unexpected is one.
    fn violations_of(&self, error: &ValidationError<'_>, input: &Value) -> Vec<Violation> {
        let pointer = error.instance_path().as_str();
        let at = |key: &str, why: String| Violation { pointer: format!("{pointer}/{}", token(key)), why };
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                // The validator names one of them, and now and then one that is there.
                let listed = self.schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
                let names =
                    listed.map_or(std::slice::from_ref(property), Vec::as_slice).iter().filter_map(Value::as_str);
                let members = input.pointer(pointer);
                let is_missing = |name: &&str| members.is_none_or(|members| members.get(*name).is_none());
                names.filter(is_missing).take(MAX_TOLD).map(|name| at(name, missing())).collect()
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                unexpected.iter().take(MAX_TOLD).map(|key| at(key, no_slot())).collect()
            }
            // Without `properties` beside it, `additionalProperties: false` is told of the object.
            ValidationErrorKind::FalseSchema if error.schema_path().as_str().ends_with("/additionalProperties") => {
                let members = input.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
                members.take(MAX_TOLD).map(|(key, _)| at(key, no_slot())).collect()
            }
            kind => {
                let keyword = || format!("does not meet {} of the schema", quoted(kind.keyword()));
                vec![Violation { pointer: pointer.to_owned(), why: reasons(error).unwrap_or_else(keyword) }]
            }
        }
    }

    #[allow(clippy::unused_self, reason = "the check without the validator needs it")]
    pub(super) fn is_unchecked(&self) -> bool {
        false
    }
}

/// All that a draft's meta-schema says, where the draft is one that the crate knows.
fn faults_by_meta_schema(schema: &Value) -> Vec<SchemaFault> {
    if Draft::default().detect(schema) == Draft::Unknown {
        let why = "its `$schema` is no draft of JSON Schema that is known here".to_owned();
        let help = "take it out, or write `https://json-schema.org/draft/2020-12/schema`";
        return vec![SchemaFault { pointer: "/$schema".to_owned(), why, help }];
    }
    let validator = match jsonschema::meta::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => return vec![fault(&error)],
    };
    let mut faults: Vec<SchemaFault> = Vec::new();
    // One place is told once for each vocabulary that it is part of.
    for fault in validator.iter_errors(schema).map(|error| fault(&error)) {
        if faults.len() < MAX_TOLD && !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

fn fault(error: &ValidationError<'_>) -> SchemaFault {
    let pointer = error.instance_path().as_str();
    let member = pointer.rsplit('/').next().unwrap_or_default();
    let (why, help) = match error.kind() {
        ValidationErrorKind::Referencing(error) => {
            let why = format!("it refers to what is not in it, and nothing is fetched: {}", quoted(&error.to_string()));
            (why, "put what it refers to under its own `$defs`")
        }
        ValidationErrorKind::Format { format } if format == "regex" => {
            let why = "this is no regular expression, or too large a one, or one that cannot be matched in linear time";
            (why.to_owned(), "write it without look-around and back-references")
        }
        _ => match reasons(error) {
            Some(reason) => (format!("a JSON Schema is written otherwise: this {reason}"), PLAIN),
            None => {
                (format!("a JSON Schema is written otherwise: this cannot be the value of {}", quoted(member)), PLAIN)
            }
        },
    };
    SchemaFault { pointer: pointer.to_owned(), why, help }
}

/// What a keyword asks for, in words of the schema. `None` where the keyword alone must do.
fn reasons(error: &ValidationError<'_>) -> Option<String> {
    Some(match error.kind() {
        ValidationErrorKind::Type { kind: TypeKind::Single(json_type) } => wrong_type(json_type.as_str()),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(types) } => {
            wrong_type(&types.iter().map(|json_type| json_type.as_str()).collect::<Vec<_>>().join(" or "))
        }
        ValidationErrorKind::Enum { options } => format!("must be one of {}", quoted(&options.to_string())),
        ValidationErrorKind::Constant { expected_value } => format!("must be {}", quoted(&expected_value.to_string())),
        ValidationErrorKind::Pattern { pattern } => format!("must match the pattern {}", quoted(pattern)),
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        ValidationErrorKind::MinLength { limit } => format!("must have at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} elements"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} elements"),
        ValidationErrorKind::UniqueItems => "must not have an element twice".to_owned(),
        _ => return None,
    })
}
