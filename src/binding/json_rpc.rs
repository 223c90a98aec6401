//! JSON-RPC: methods, and the shape of results and errors.
