//! Compiles the protos with a compiler written in Rust, so that no `protoc` is needed.

use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=parley");
    println!("cargo:rerun-if-changed=journal");
    let mut files = protos(Path::new("parley/v1"))?;
    files.extend(protos(Path::new("journal/parley/journal/v1"))?);
    let mut compiler = protox::Compiler::new(["journal", "."])?;
    // Comments are part of the interface: they become documentation, and reflection shows them.
    compiler.include_source_info(true).include_imports(true).open_files(files)?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("parley.descriptors"), compiler.encode_file_descriptor_set())?;
    tonic_prost_build::configure().bytes(".").compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

/// The protos of one package, in a fixed order.
fn protos(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "proto"));
    files.sort();
    Ok(files)
}
