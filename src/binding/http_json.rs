//! HTTP+JSON: operations by path, and the shape of errors.
