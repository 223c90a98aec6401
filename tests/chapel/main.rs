//! The chapel example as its users meet it: its binary, over a socket.

mod agents_own;
mod bindings;
mod driver;
mod opened;
mod other_examples;
mod paraphrases;
mod referrals;
mod start;
