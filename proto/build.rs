//! Compiles the protos with a compiler written in Rust, so that no `protoc` is needed.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=parley");
    let files = ["parley/v1/board.proto", "parley/v1/orders.proto"];
    let mut compiler = protox::Compiler::new(["."])?;
    // Comments are part of the interface: they become documentation, and reflection shows them.
    compiler.include_source_info(true).include_imports(true).open_files(files)?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("parley.descriptors"), compiler.encode_file_descriptor_set())?;
    prost_build::Config::new().compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}
