//! Clients of Parley. They know the public API and nothing else.
