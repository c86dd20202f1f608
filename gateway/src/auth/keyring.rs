//! The keys of the service.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ed25519_dalek::{Sha512, SigningKey, VerifyingKey};
use pasetors::keys::{AsymmetricPublicKey, AsymmetricSecretKey};
use pasetors::version4::V4;

use super::token::{self, Claims, Role, TokenError};
use super::{keyfile, token::MAX_TOKEN_BYTES};

/// The folder of the keys, inside the data folder.
pub const KEYS_FOLDER: &str = "keys";
/// The files of the keys: the one for tokens, and the one for receipts.
const KEY_FILES: [&str; 2] = ["tokens.key", "receipts.key"];
/// The file of the admin's token, inside the data folder.
pub const ADMIN_TOKEN_FILE: &str = "admin.token";

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Somebody else may read the file.
    #[error("{} may be read by others (mode {mode:04o}); make it yours alone with `chmod 600`", path.display())]
    Exposed {
        /// The file that others may read.
        path: PathBuf,
        /// The permissions of the file.
        mode: u32,
    },
    /// The file is not what was written into it.
    #[error("{} is damaged; restore it from a copy, or remove it to get a new key", path.display())]
    Damaged {
        /// The file that is damaged.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Failed {
        /// The file that failed.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The machine gives no random bytes.
    #[error("the machine gives no random bytes, so no key can be made")]
    NoRandomness,
}

/// The keys of the service: one signs tokens, the other receipts.
pub struct Keyring {
    token_secret: AsymmetricSecretKey<V4>,
    token_public: AsymmetricPublicKey<V4>,
    receipt_secret: ExpandedSecretKey,
    receipt_public: VerifyingKey,
}

impl fmt::Debug for Keyring {
    /// Says nothing: whoever knows the keys can be anybody.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyring(secret)")
    }
}

impl Keyring {
    /// Reads the keys from the `keys` folder inside the data folder. A key that is not there yet is made and written.
    pub fn load_or_create(data: &Path) -> Result<Self, KeyError> {
        let folder = data.join(KEYS_FOLDER);
        keyfile::make_folder(&folder)?;
        let [tokens, receipts] = KEY_FILES.map(|name| load_or_create(&folder.join(name)));
        Ok(Self::from_keys(&tokens?, &receipts?))
    }

    /// Reads the keys and makes none. Gives the files that are not there and would be made.
    pub fn inspect(data: &Path) -> Result<Vec<PathBuf>, KeyError> {
        let mut missing = Vec::new();
        for name in KEY_FILES {
            let path = data.join(KEYS_FOLDER).join(name);
            if keyfile::load(&path)?.is_none() {
                missing.push(path);
            }
        }
        Ok(missing)
    }

    /// New keys that are written nowhere, for a service that remembers nothing.
    pub fn ephemeral() -> Result<Self, KeyError> {
        Ok(Self::from_keys(&keyfile::generate()?, &keyfile::generate()?))
    }

    /// A new secret, for keys that are kept elsewhere.
    pub fn new_secret() -> Result<[u8; 32], KeyError> {
        Ok(keyfile::generate()?.to_bytes())
    }

    /// A keyring from the secrets of both keys.
    pub fn from_secrets(tokens: [u8; 32], receipts: [u8; 32]) -> Self {
        Self::from_keys(&SigningKey::from_bytes(&tokens), &SigningKey::from_bytes(&receipts))
    }

    fn from_keys(tokens: &SigningKey, receipts: &SigningKey) -> Self {
        let token_secret = AsymmetricSecretKey::<V4>::from(&tokens.to_keypair_bytes())
            .expect("both libraries write the seed and then the public key");
        let token_public = AsymmetricPublicKey::<V4>::from(tokens.verifying_key().as_bytes())
            .expect("a public key has 32 bytes in both libraries");
        let receipt_secret = ExpandedSecretKey::from(receipts.as_bytes());
        Self { token_secret, token_public, receipt_secret, receipt_public: receipts.verifying_key() }
    }

    /// The token that says `claims`; the same claims give the same token.
    pub fn mint(&self, claims: &Claims) -> String {
        let token = token::sign(&self.token_secret, claims);
        debug_assert!(token.len() <= MAX_TOKEN_BYTES);
        token
    }

    /// What a token says, if it is ours and its time is not over at `now`, in seconds since 1970.
    pub fn verify(&self, token: &str, now: u64) -> Result<Claims, TokenError> {
        let claims = token::open(&self.token_public, token)?;
        if claims.is_expired(now) { Err(TokenError::Expired) } else { Ok(claims) }
    }

    /// The token of whoever runs the service. It lasts as long as the key for tokens.
    pub fn admin_token(&self) -> String {
        self.mint(&Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX })
    }

    /// Writes the admin's token into the data folder, where only the owner of the service may read it.
    pub fn write_admin_token(&self, data: &Path) -> Result<PathBuf, KeyError> {
        let path = data.join(ADMIN_TOKEN_FILE);
        keyfile::make_folder(data)?;
        // What is there already needs no room on a disk that may be full.
        let line = format!("{}\n", self.admin_token());
        if !keyfile::holds(&path, line.as_bytes()) {
            keyfile::write(&path, line.as_bytes())?;
        }
        Ok(path)
    }

    /// Signs a receipt.
    pub fn sign_receipt(&self, message: &[u8]) -> [u8; 64] {
        // Expanding the secret once, with the public key made from it, is what this function asks for.
        raw_sign::<Sha512>(&self.receipt_secret, message, &self.receipt_public).to_bytes()
    }

    /// The key that receipts can be checked with.
    pub fn receipt_public_key(&self) -> [u8; 32] {
        self.receipt_public.to_bytes()
    }
}

fn load_or_create(path: &Path) -> Result<SigningKey, KeyError> {
    match keyfile::load(path)? {
        Some(key) => Ok(key),
        None => {
            let key = keyfile::create(path)?;
            tracing::info!(path = %path.display(), "made a new key");
            Ok(key)
        }
    }
}
