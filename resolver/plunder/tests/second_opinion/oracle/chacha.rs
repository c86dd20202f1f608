//! ChaCha with 8 rounds, one block at a time, and the words of an exchange (R13.2).

fn quarter(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(16);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(12);
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(8);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(7);
}

/// Block `counter` of stream `stream` (the layout of the original ChaCha: 64-bit counter, 64-bit stream id).
pub fn block(key: &[u8; 32], stream: u64, counter: u64) -> [u32; 16] {
    let mut initial = [0u32; 16];
    for i in 0..4 {
        let text = b"expand 32-byte k";
        initial[i] = u32::from_le_bytes(text[4 * i..4 * i + 4].try_into().unwrap());
    }
    for i in 0..8 {
        initial[4 + i] = u32::from_le_bytes(key[4 * i..4 * i + 4].try_into().unwrap());
    }
    initial[12] = counter as u32;
    initial[13] = (counter >> 32) as u32;
    initial[14] = stream as u32;
    initial[15] = (stream >> 32) as u32;

    let mut s = initial;
    for _double_round in 0..4 {
        quarter(&mut s, 0, 4, 8, 12);
        quarter(&mut s, 1, 5, 9, 13);
        quarter(&mut s, 2, 6, 10, 14);
        quarter(&mut s, 3, 7, 11, 15);
        quarter(&mut s, 0, 5, 10, 15);
        quarter(&mut s, 1, 6, 11, 12);
        quarter(&mut s, 2, 7, 8, 13);
        quarter(&mut s, 3, 4, 9, 14);
    }
    for i in 0..16 {
        s[i] = s[i].wrapping_add(initial[i]);
    }
    s
}

/// The block of the exchange of ships `low < high` in a tick (R13.2).
pub fn exchange_words(seed: &[u8; 32], turn: u64, tick: u32, low: u32, high: u32) -> [u32; 16] {
    assert!(low < high && high < 1 << 28);
    let counter = (u64::from(tick) << 56) | (u64::from(low) << 28) | u64::from(high);
    block(seed, turn, counter)
}

/// A die: `1 + (w·6 >> 32)` (R13.2).
pub fn die(word: u32) -> i64 {
    1 + ((u64::from(word) * 6) >> 32) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_vector_of_chacha8() {
        let mut text = String::new();
        for word in &block(&[0; 32], 0, 0)[..4] {
            for byte in word.to_le_bytes() {
                text += &format!("{byte:02x}");
            }
        }
        assert_eq!(text, "3e00ef2f895f40d67f5bb8e81f09a5a1");
    }

    #[test]
    fn dice_have_six_sides() {
        assert_eq!(die(0), 1);
        assert_eq!(die(u32::MAX), 6);
    }
}
