//! Compiles the protos with a compiler written in Rust, so that no `protoc` is needed.
//!
//! Messages that all games share are compiled twice: as clients see them, with the messages of games in them, and as the
//! service sees them, with those messages as the bytes that were said. Both are the same on the wire,
//! but for a field that a sender repeats: there the service takes the last one, where others would merge all of them.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FileDescriptorSet, OneofDescriptorProto};

/// The messages whose meaning belongs to a game. The service hands them on and never looks into them.
const MESSAGES_OF_GAMES: &[&str] = &[
    ".parley.v1.Advice",
    ".parley.v1.Changes",
    ".parley.v1.GameSettings",
    ".parley.v1.Query",
    ".parley.v1.Sheet",
    ".parley.v1.TurnNews",
    ".parley.v1.View",
];

/// The package that is compiled twice.
const SHARED: &str = "parley.v1";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=parley");
    println!("cargo:rerun-if-changed=journal");
    let mut files = Vec::new();
    for folder in ["parley/common/v1", "parley/plunder/v1", "parley/v1", "journal/parley/journal/v1"] {
        files.extend(protos(Path::new(folder))?);
    }
    let mut compiler = protox::Compiler::new(["journal", "."])?;
    // Comments are part of the interface: they become documentation, and reflection shows them.
    compiler.include_source_info(true).include_imports(true).open_files(files)?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("parley.descriptors"), compiler.encode_file_descriptor_set())?;

    let mut typed = compiler.file_descriptor_set();
    let mut opaque = typed.clone();
    typed.file.retain(|file| !file.package().starts_with("parley.journal"));
    tonic_prost_build::configure().bytes(".").compile_fds(typed)?;

    let changed = make_opaque(&mut opaque);
    let out = out.join("opaque");
    std::fs::create_dir_all(&out)?;
    let mut configuration = tonic_prost_build::configure().bytes(".");
    for package in ["common", "plunder"] {
        configuration = configuration.extern_path(format!(".parley.{package}"), format!("crate::{package}"));
    }
    // What has no message of a game in it is one type for both, and is found under the same name in both.
    let mut same = String::new();
    for file in opaque.file.iter().filter(|file| file.package() == SHARED) {
        let messages = file.message_type.iter().map(|message| (message.name(), has_module(message)));
        let lists = file.enum_type.iter().map(|list| (list.name(), false));
        for (name, has_module) in messages.chain(lists) {
            let path = format!(".{SHARED}.{name}");
            if changed.contains(&path) {
                continue;
            }
            if !MESSAGES_OF_GAMES.contains(&path.as_str()) {
                same += &format!("pub use crate::v1::{name};\n");
                if has_module {
                    same += &format!("pub use crate::v1::{};\n", module_of(name));
                }
            }
            configuration = configuration.extern_path(path, format!("crate::v1::{name}"));
        }
    }
    std::fs::write(out.join("same.rs"), same)?;
    configuration.out_dir(out).compile_fds(opaque)?;
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

/// Turns fields that hold messages of games into fields that hold their bytes, and names every message that has such a
/// field, or a field of a message that has one.
fn make_opaque(set: &mut FileDescriptorSet) -> BTreeSet<String> {
    let mut changed = BTreeSet::new();
    let of_game = |name: &str| MESSAGES_OF_GAMES.contains(&name);
    let hands_on = |package: &str| package == SHARED || package.starts_with("parley.journal");
    for file in set.file.iter_mut().filter(|file| hands_on(file.package())) {
        let package = format!(".{}", file.package());
        for message in &mut file.message_type {
            if make_message_opaque(message, &of_game) {
                changed.insert(format!("{package}.{}", message.name()));
            }
        }
    }
    loop {
        let before = changed.len();
        for file in &set.file {
            for message in &file.message_type {
                if message.field.iter().any(|field| changed.contains(field.type_name())) {
                    changed.insert(format!(".{}.{}", file.package(), message.name()));
                }
            }
        }
        if changed.len() == before {
            return changed;
        }
    }
}

/// Whether a message had a field with a message of a game, each of which is optional bytes from now on: whether it is set
/// stays as plain to see as with a message.
fn make_message_opaque(message: &mut DescriptorProto, of_game: &impl Fn(&str) -> bool) -> bool {
    let mut had = false;
    for field in message.field.iter_mut().filter(|field| of_game(field.type_name())) {
        had = true;
        field.set_type(Type::Bytes);
        field.type_name = None;
        field.proto3_optional = Some(true);
        field.oneof_index = Some(message.oneof_decl.len() as i32);
        let name = Some(format!("_{}", field.name()));
        message.oneof_decl.push(OneofDescriptorProto { name, ..Default::default() });
    }
    had
}

/// Whether the code of a message has a module beside it, for what is defined inside of it.
fn has_module(message: &DescriptorProto) -> bool {
    let optional = message.field.iter().filter(|field| field.proto3_optional()).count();
    !message.nested_type.is_empty() || !message.enum_type.is_empty() || message.oneof_decl.len() > optional
}

/// The name of the module beside a message.
fn module_of(message: &str) -> String {
    let mut module = String::new();
    for letter in message.chars() {
        if letter.is_uppercase() && !module.is_empty() {
            module.push('_');
        }
        module.extend(letter.to_lowercase());
    }
    module
}
