//! How the validator crate is used, and what it says of a fault.

use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use jsonschema::{Draft, PatternOptions, ValidationOptions, Validator};
use serde_json::Value;

use super::wrong_type;
use crate::findings::quoted;

/// The size of a compiled `pattern`, in bytes; an input is matched against it in linear time.
const MAX_PATTERN: usize = 1 << 20;

/// Whatever else a program switches on in the validator: nothing is fetched, and no pattern
/// backtracks.
pub(super) fn options<'i>(draft: Draft) -> ValidationOptions<'i> {
    let patterns = PatternOptions::regex().size_limit(MAX_PATTERN).dfa_size_limit(MAX_PATTERN);
    let options = jsonschema::options().offline().with_pattern_options(patterns).should_validate_formats(false);
    options.with_draft(draft)
}

pub(super) fn build(schema: &Value, draft: Draft) -> Result<Validator, ValidationError<'_>> {
    options(draft).build(schema)
}

/// What a keyword asks for, in words of the schema. `None` where the keyword alone must do.
pub(super) fn reasons(error: &ValidationError<'_>) -> Option<String> {
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
