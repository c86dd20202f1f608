//! The clients as they are used, against a real server: the example of the README, bots that join, leagues and load runs. They
//! are one program, because every program of tests is linked with the whole service.

mod example;
mod join;
mod league;
mod load;
mod service;
